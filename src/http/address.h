/* Parses addresses to listen on, as users write them. */
#pragma once

#include "base/diag.h"

#include <sys/socket.h>

struct http_address {
    struct sockaddr_storage where;
    bool is_loopback, is_any;
};

/* Accepts HOST:PORT, [HOST]:PORT and :PORT. HOST is "localhost" or an IP address, never a name that would need a DNS lookup. */
bool http_address_parse(struct str text, struct http_address *ret);
/* Like http_address_parse(), with a diagnostic on failure. */
bool http_address_read(const char *text, struct diags *diags, struct http_address *ret);
/* Writes the URL for a browser on this machine, such as "http://127.0.0.1:PORT/"; `ret` has room for HTTP_URL bytes. */
enum { HTTP_URL = 80 };
void http_address_url(const struct http_address *a, unsigned port, char ret[HTTP_URL]);

/*
 * True when the value of a Host header is an IP address or "localhost", with or without a port. Other names are refused to
 * prevent DNS rebinding: another site's page could make its own name resolve to us, but not one of these.
 */
bool http_host_is_plain(struct str host);
