/*
 * The line, field by field:  1 | 6 | unix | /run/x/plugin123 | grpc | MIICTjCC...
 *
 *     core protocol | version of Terraform's protocol | network | address | kind of RPC | certificate
 *
 * Fields at the end may be missing: without the fifth, the plugin speaks the old net/rpc; a sixth of 50 characters or less is not
 * a certificate (early plugins printed junk there). A seventh, about multiplexing, is only for clients that asked for it.
 */
#include "plugin/handshake.h"

#include "base/terminal.h"
#include "grpc/tls.h"

enum {
    CORE_PROTOCOL = 1,
    MIN_FIELDS = 4,
    MAX_FIELDS = 7,
    SHORTEST_CERTIFICATE = 50, /* characters; a certificate must be longer */
    SHOWN = 120,               /* bytes of a bad line or field in a message */
};

enum field { FIELD_CORE, FIELD_VERSION, FIELD_NETWORK, FIELD_ADDRESS, FIELD_RPC, FIELD_CERTIFICATE };

static bool check_core(struct str field, struct diags *diags)
{
    int64_t core;
    if (!str_to_i64(field, &core))
        return diags_fail(diags, "Not a handshake line",
                          "The first field must be the number of the plugin handshake, which is %d; found %s. Programs that are "
                          "not Terraform providers print other things.",
                          CORE_PROTOCOL, terminal_quote(diags->arena, field, SHOWN).p);
    if (core != CORE_PROTOCOL)
        return diags_fail(diags, "Unsupported plugin handshake",
                          "The provider uses version %lld of the plugin handshake; Terrane supports version %d only. Upgrade the "
                          "older of the two programs.",
                          (long long)core, CORE_PROTOCOL);
    return true;
}

static bool check_version(struct str field, struct diags *diags, int *ret)
{
    int64_t version;
    if (!str_to_i64(field, &version))
        return diags_fail(diags, "Broken handshake line",
                          "The second field must be the version of the provider protocol, 5 or 6; found %s.",
                          terminal_quote(diags->arena, field, SHOWN).p);
    if (version != 5 && version != 6)
        return diags_fail(diags, "Unsupported provider protocol",
                          "The provider offers protocol version %lld; Terrane supports versions 5 and 6. %s", (long long)version,
                          version < 5 ? "It was built for Terraform 0.11 or older: use a newer release of the provider."
                                      : "It is newer than this program: use an older release of the provider.");
    *ret = (int)version;
    return true;
}

static bool check_rpc(struct str field, struct diags *diags)
{
    if (str_eq(field, STR("grpc")))
        return true;
    if (str_is_empty(field) || str_eq(field, STR("netrpc")))
        return diags_fail(diags, "Unsupported provider protocol",
                          "The provider offers net/rpc, as providers for Terraform 0.11 and older did; Terrane supports gRPC "
                          "only. Use a newer release of the provider.");
    return diags_fail(diags, "Broken handshake line", "The fifth field must be the kind of RPC, \"grpc\"; found %s.",
                      terminal_quote(diags->arena, field, SHOWN).p);
}

static size_t split(struct str line, struct str fields[MAX_FIELDS])
{
    size_t n = 0;
    bool more = true;
    while (more && n < MAX_FIELDS) {
        more = str_find(line, '|', 0) != SIZE_MAX;
        fields[n++] = str_cut(&line, '|');
    }
    return n;
}

bool handshake_parse(struct arena *a, struct str line, struct diags *diags, struct handshake *ret)
{
    if (line.n > HANDSHAKE_MAX_LINE)
        return diags_fail(diags, "Not a handshake line",
                          "A line of more than %d bytes came; a handshake line is shorter. It starts with %s.",
                          HANDSHAKE_MAX_LINE, terminal_quote(diags->arena, line, SHOWN).p);
    struct str fields[MAX_FIELDS] = {0};
    size_t n = split(str_trim(line), fields);
    if (n < MIN_FIELDS)
        return diags_fail(diags, "Not a handshake line",
                          "Expected a line such as 1|6|unix|/path/to/socket|grpc|CERTIFICATE with at least %d fields; found %s.",
                          MIN_FIELDS, terminal_quote(diags->arena, line, SHOWN).p);

    struct handshake h = {0};
    if (!check_core(fields[FIELD_CORE], diags) || !check_version(fields[FIELD_VERSION], diags, &h.protocol) ||
        !grpc_address_parse(a, fields[FIELD_NETWORK], fields[FIELD_ADDRESS], diags, &h.address) ||
        !check_rpc(fields[FIELD_RPC], diags))
        return false;
    if (fields[FIELD_CERTIFICATE].n > SHORTEST_CERTIFICATE &&
        !tls_der_from_base64(a, fields[FIELD_CERTIFICATE], diags, &h.server_der))
        return false;
    *ret = h;
    return true;
}

struct str handshake_write(struct arena *a, const struct handshake *h)
{
    struct str certificate = h->server_der.n > 0 ? tls_der_to_base64(a, h->server_der) : STR_EMPTY;
    return arena_printf(a, "%d|%d|%s|" STR_FMT "|grpc|" STR_FMT "\n", CORE_PROTOCOL, h->protocol,
                        h->address.network == GRPC_UNIX ? "unix" : "tcp", STR_ARG(h->address.text), STR_ARG(certificate));
}

int handshake_choose(struct str offered)
{
    int best = 0;
    while (offered.n > 0) {
        int64_t version;
        if (!str_to_i64(str_trim(str_cut(&offered, ',')), &version))
            continue;
        if ((version == 5 || version == 6) && version > best)
            best = (int)version;
    }
    return best;
}
