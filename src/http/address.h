/* Where to listen, as people write it. */
#pragma once

#include "base/diag.h"

#include <sys/socket.h>

struct http_address {
    struct sockaddr_storage where;
    bool is_loopback, is_any;
};

/* HOST:PORT, [HOST]:PORT, :PORT; HOST is "localhost" or a number, never a name that would have to be looked up. */
bool http_address_parse(struct str text, struct http_address *ret);
/* The same, with a diagnostic. */
bool http_address_read(const char *text, struct diags *diags, struct http_address *ret);
/* "http://127.0.0.1:PORT/": how a browser on this machine gets there. `ret` has room for HTTP_URL bytes. */
enum { HTTP_URL = 80 };
void http_address_url(const struct http_address *a, unsigned port, char ret[HTTP_URL]);

/*
 * The value of a Host header: a number or "localhost", with or without a port? A page of another site cannot have such a name
 * resolved to us.
 */
bool http_host_is_plain(struct str host);
