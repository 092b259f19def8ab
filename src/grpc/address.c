#include "grpc/address.h"

#include "grpc/resolve.h"

#include <arpa/inet.h>

const char *unix_path_problem(struct str path)
{
    if (path.n == 0 || path.p[0] != '/')
        return "the path of a unix socket must be absolute";
    if (path.n > UNIX_PATH_MAX_BYTES)
        return "the path of a unix socket must have at most 107 bytes";
    if (memchr(path.p, '\0', path.n))
        return "the path contains a NUL";
    return NULL;
}

/* Splits at the last colon and removes the brackets of IPv6. */
static bool split_host_port(struct str text, struct str *ret_host, struct str *ret_port, bool *ret_ipv6)
{
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    if (colon == 0)
        return false;
    struct str host = str_slice(text, 0, colon - 1);
    *ret_ipv6 = host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    *ret_host = *ret_ipv6 ? str_slice(host, 1, host.n - 1) : host;
    *ret_port = str_slice(text, colon, text.n);
    return true;
}

bool tcp_resolve(struct str text, struct sockaddr_storage *ret, const char **ret_why)
{
    struct str host, port_text;
    bool ipv6;
    if (!split_host_port(text, &host, &port_text, &ipv6)) {
        *ret_why = "expected a TCP address as HOST:PORT";
        return false;
    }
    int64_t port;
    if (!str_to_i64(port_text, &port) || port < 0 || port > UINT16_MAX) {
        *ret_why = "the port is not a number from 0 to 65535";
        return false;
    }
    struct sockaddr_storage address = {.ss_family = ipv6 ? AF_INET6 : AF_INET};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;
    char host_z[INET6_ADDRSTRLEN];
    bool ok = host.n < sizeof host_z && str_find(host, '\0', 0) == SIZE_MAX;
    if (ok) {
        memcpy(host_z, host.p, host.n);
        host_z[host.n] = '\0';
        ok = inet_pton(address.ss_family, host_z, ipv6 ? (void *)&v6->sin6_addr : (void *)&v4->sin_addr) == 1;
    }
    if (!ok) {
        *ret_why = "the host is not a numeric address";
        return false;
    }
    if (ipv6)
        v6->sin6_port = htons((uint16_t)port);
    else
        v4->sin_port = htons((uint16_t)port);
    *ret = address;
    return true;
}

struct str tcp_format(struct arena *a, const struct sockaddr_storage *address)
{
    char host[INET6_ADDRSTRLEN] = "";
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        (void)inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        return arena_printf(a, "[%s]:%u", host, (unsigned)ntohs(v6->sin6_port));
    }
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    (void)inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
    return arena_printf(a, "%s:%u", host, (unsigned)ntohs(v4->sin_port));
}

/* How much of an address a message quotes, because it comes from outside. */
enum { SHOWN = 200 };

static bool reject(struct diags *diags, struct str network, struct str text, const char *why)
{
    return diags_fail(diags, "Invalid address of a plugin", "\"" STR_FMT "\" (network \"" STR_FMT "\"): %s.",
                      STR_ARG(str_slice(text, 0, SHOWN)), STR_ARG(str_slice(network, 0, SHOWN)), why);
}

bool grpc_address_parse(struct arena *a, struct str network, struct str text, struct diags *diags, struct grpc_address *ret)
{
    const char *why = NULL;
    enum grpc_network kind = GRPC_UNIX;
    if (str_eq(network, STR("unix"))) {
        why = unix_path_problem(text);
    } else if (str_eq(network, STR("tcp"))) {
        kind = GRPC_TCP;
        struct sockaddr_storage address;
        if (tcp_resolve(text, &address, &why) && ((struct sockaddr_in *)&address)->sin_port == 0)
            why = "port 0 cannot be connected to"; /* both address families have the port at the same offset */
    } else {
        why = "the network must be \"unix\" or \"tcp\"";
    }
    if (why)
        return reject(diags, network, text, why);
    *ret = (struct grpc_address){kind, arena_str(a, text)};
    return true;
}
