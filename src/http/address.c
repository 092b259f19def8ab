#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

/* Splits the text into the host and the rest (":PORT", or empty). False when a bracket is not closed. */
static bool split(struct str text, struct str *ret_host, struct str *ret_rest)
{
    bool bracketed = str_starts(text, STR("["));
    size_t end = str_find(text, bracketed ? ']' : ':', 0);
    if (bracketed && end == SIZE_MAX)
        return false;
    if (end == SIZE_MAX)
        end = text.n;
    *ret_host = str_slice(text, bracketed, end);
    *ret_rest = str_slice(text, end + bracketed, text.n);
    return true;
}

static bool number(struct str host, int family, void *ret)
{
    char z[INET6_ADDRSTRLEN];
    if (host.n >= sizeof z || host.n == 0)
        return false;
    (void)snprintf(z, sizeof z, STR_FMT, STR_ARG(host));
    return inet_pton(family, z, ret) == 1;
}

static void set_4(struct http_address *a, struct in_addr host, uint16_t port)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = host};
    *a = (struct http_address){.is_loopback = ntohl(host.s_addr) >> 24 == IN_LOOPBACKNET, .is_any = host.s_addr == INADDR_ANY};
    memcpy(&a->where, &in, sizeof in);
}

static void set_6(struct http_address *a, struct in6_addr host, uint16_t port)
{
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = host};
    *a = (struct http_address){.is_loopback = IN6_IS_ADDR_LOOPBACK(&host), .is_any = IN6_IS_ADDR_UNSPECIFIED(&host)};
    memcpy(&a->where, &in, sizeof in);
}

bool http_address_parse(struct str text, struct http_address *ret)
{
    struct str host, rest;
    struct in_addr four = {.s_addr = INADDR_ANY};
    struct in6_addr six;
    int64_t port;
    if (!split(text, &host, &rest) || !str_starts(rest, STR(":")) || !str_to_i64(str_slice(rest, 1, rest.n), &port) || port < 0 ||
        port > UINT16_MAX)
        return false;
    if (str_eqz(host, "localhost"))
        four.s_addr = htonl(INADDR_LOOPBACK);
    if (host.n == 0 || str_eqz(host, "localhost") || number(host, AF_INET, &four))
        set_4(ret, four, (uint16_t)port);
    else if (number(host, AF_INET6, &six))
        set_6(ret, six, (uint16_t)port);
    else
        return false;
    return true;
}

bool http_address_read(const char *text, struct diags *diags, struct http_address *ret)
{
    return http_address_parse(str_of(text), ret) ||
           diags_fail(diags, "Wrong address",
                      "\"%s\" is not a valid address; expected HOST:PORT with a number or localhost as HOST, for example "
                      "127.0.0.1:7400, [::1]:7400, or :7400 for all addresses of this machine.",
                      text);
}

void http_address_url(const struct http_address *a, unsigned port, char ret[HTTP_URL])
{
    char host[INET6_ADDRSTRLEN] = "127.0.0.1";
    bool is_6 = a->where.ss_family == AF_INET6;
    if (is_6) {
        struct sockaddr_in6 in;
        memcpy(&in, &a->where, sizeof in);
        (void)inet_ntop(AF_INET6, a->is_any ? &in6addr_loopback : &in.sin6_addr, host, sizeof host);
    } else if (!a->is_any) {
        struct sockaddr_in in;
        memcpy(&in, &a->where, sizeof in);
        (void)inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
    }
    (void)snprintf(ret, HTTP_URL, is_6 ? "http://[%s]:%u/" : "http://%s:%u/", host, port);
}

bool http_host_is_plain(struct str host)
{
    struct str name, rest;
    unsigned char any[sizeof(struct in6_addr)];
    int64_t port;
    if (!split(host, &name, &rest) || (rest.n > 0 && (rest.p[0] != ':' || !str_to_i64(str_slice(rest, 1, rest.n), &port))))
        return false;
    return str_eq_nocase(name, STR("localhost")) || number(name, AF_INET, any) || number(name, AF_INET6, any);
}
