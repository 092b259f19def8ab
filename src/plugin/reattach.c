/*
 * TF_REATTACH_PROVIDERS (docs/core-rules.md 1.8):
 *
 *     {"hashicorp/aws": {"Protocol":"grpc", "ProtocolVersion":6, "Pid":123, "Test":true,
 *                        "Addr":{"Network":"unix", "String":"/run/x.sock"}}}
 *
 * Only the entry that was asked for is checked in full: errors in the entries of other providers do not matter here.
 */
#include "base/json.h"
#include "base/terminal.h"
#include "plugin/launch.h"
#include "plugin/plugin_private.h"

#include <strings.h>

enum {
    MAX_VARIABLE = 1 << 20,
    MAX_SOURCE_PARTS = 3,
    SHOWN = 120, /* bytes of an invalid text in a message */
};

static const char variable_name[] = "TF_REATTACH_PROVIDERS";
static const char summary[] = "Invalid TF_REATTACH_PROVIDERS";

/* ---- source addresses: TYPE, NAMESPACE/TYPE or HOST/NAMESPACE/TYPE ---- */

struct reattach_source {
    struct str host, namespace, type; /* host empty: the default registry */
};

/* Terraform and OpenTofu have different defaults. */
static bool is_default_host(struct str host)
{
    return str_eq_nocase(host, STR("registry.terraform.io")) || str_eq_nocase(host, STR("registry.opentofu.org"));
}

static struct reattach_source source_parse(struct str text)
{
    struct str parts[MAX_SOURCE_PARTS] = {0};
    size_t n = 0;
    struct str rest = text;
    while (rest.n > 0 && n < MAX_SOURCE_PARTS)
        parts[n++] = str_cut(&rest, '/');
    if (rest.n > 0 || n == 0)
        return (struct reattach_source){.type = text}; /* not an address: matches only the same text */
    struct reattach_source s = {.type = parts[n - 1]};
    s.namespace = n >= 2 ? parts[n - 2] : STR("hashicorp");
    if (n == MAX_SOURCE_PARTS && !is_default_host(parts[0]))
        s.host = parts[0];
    return s;
}

static bool source_eq(struct reattach_source a, struct reattach_source b)
{
    return str_eq_nocase(a.type, b.type) && str_eq_nocase(a.namespace, b.namespace) && str_eq_nocase(a.host, b.host);
}

/* ---- reading ---- */

static bool fail_entry(struct diags *diags, struct str source, const char *rule, struct str found)
{
    return diags_fail(diags, summary, "The entry for " STR_FMT ": %s; found %s.", STR_ARG(source), rule,
                      terminal_quote(diags->arena, found, SHOWN).p);
}

static bool read_entry(struct arena *a, struct str source, const struct json *entry, struct diags *diags, struct reattach *ret)
{
    if (entry->kind != JSON_OBJECT)
        return diags_fail(diags, summary, "The entry for " STR_FMT " must be an object.", STR_ARG(source));
    struct str rpc = json_text(json_get(entry, "Protocol"), STR_EMPTY);
    if (!str_eq(rpc, STR("grpc")))
        return fail_entry(diags, source, "Protocol must be \"grpc\"", rpc);
    int64_t version = json_int(json_get(entry, "ProtocolVersion"), 0);
    if (version == 0)
        version = 5; /* entries of old providers do not have the field */
    if (version != 5 && version != 6)
        return diags_fail(diags, summary,
                          "The entry for " STR_FMT " has protocol version %lld; Terrane supports versions 5 and 6.",
                          STR_ARG(source), (long long)version);
    const struct json *addr = json_get(entry, "Addr");
    struct grpc_address address;
    if (!grpc_address_parse(a, json_text(json_get(addr, "Network"), STR_EMPTY), json_text(json_get(addr, "String"), STR_EMPTY),
                            diags, &address))
        return false;
    *ret = (struct reattach){
        .protocol = (int)version,
        .pid = json_int(json_get(entry, "Pid"), 0),
        .test = json_bool(json_get(entry, "Test"), false),
        .address = address,
    };
    return true;
}

bool reattach_find(struct arena *a, struct str variable, struct str source, struct diags *diags, bool *ret_found,
                   struct reattach *ret)
{
    if (variable.n > MAX_VARIABLE)
        return diags_fail(diags, summary, "The variable holds %zu bytes; at most %d are read.", variable.n, MAX_VARIABLE);
    if (str_trim(variable).n == 0) {
        *ret_found = false;
        return true;
    }
    const struct json *entries = json_parse(a, variable, variable_name, diags);
    if (!entries)
        return false;
    if (entries->kind != JSON_OBJECT)
        return diags_fail(diags, summary,
                          "The variable must hold a JSON object, from provider source address to how to reach it.");
    struct reattach_source wanted = source_parse(source);
    for (size_t i = 0; i < entries->object.n; i++) {
        const struct json_member *m = &entries->object.members[i];
        if (!source_eq(source_parse(m->key), wanted))
            continue;
        if (!read_entry(a, m->key, m->value, diags, ret))
            return false;
        *ret_found = true;
        return true;
    }
    *ret_found = false;
    return true;
}

/* ---- writing ---- */

struct str reattach_write(struct arena *a, struct str source, const struct reattach *r)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_VARIABLE);
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    json_key(&w, source);
    json_begin_object(&w);
    json_key(&w, STR("Protocol"));
    json_write_string(&w, STR("grpc"));
    json_key(&w, STR("ProtocolVersion"));
    json_write_int(&w, r->protocol);
    json_key(&w, STR("Pid"));
    json_write_int(&w, r->pid);
    json_key(&w, STR("Test"));
    json_write_bool(&w, r->test);
    json_key(&w, STR("Addr"));
    json_begin_object(&w);
    json_key(&w, STR("Network"));
    json_write_string(&w, r->address.network == GRPC_UNIX ? STR("unix") : STR("tcp"));
    json_key(&w, STR("String"));
    json_write_string(&w, r->address.text);
    json_end_object(&w);
    json_end_object(&w);
    json_end_object(&w);
    (void)json_finish(&w); /* cannot fail: the text is short */
    return buf_copy(&text, a);
}

/* ---- attaching ---- */

#define CONNECT_PATIENCE (10 * NS_PER_S)

static bool fail_attach(struct diags *diags, struct str name, const struct reattach *r, const struct diags *reasons)
{
    const struct diag *reason = &reasons->v[0];
    return diags_fail(diags, "Provider cannot be attached to",
                      STR_FMT " at " STR_FMT " (from %s): " STR_FMT ". " STR_FMT
                              " The provider may have ended: start it again, or unset the variable.",
                      STR_ARG(name), STR_ARG(r->address.text), variable_name, STR_ARG(reason->summary), STR_ARG(reason->detail));
}

static bool attach(struct loop *loop, struct log *log, struct str name, const struct reattach *r, struct diags *diags,
                   struct plugin **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags reasons;
    diags_init(&reasons, scratch);
    struct plugin *p = plugin_new(loop, log, name);
    p->protocol = r->protocol;
    const struct grpc_client_options options = {
        .loop = loop,
        .log = log,
        .address = r->address,
        .max_message = PLUGIN_MAX_MESSAGE,
        .connect_deadline = clock_now(&system_clock) + CONNECT_PATIENCE,
    };
    if (!grpc_client_connect(&options, &reasons, &p->client)) {
        plugin_free(p);
        return fail_attach(diags, name, r, &reasons);
    }
    plugin_open_streams(p);
    *ret = p;
    return true;
}

bool provider_attach(struct loop *loop, struct log *log, struct str name, const struct reattach *r, struct diags *diags,
                     struct provider **ret)
{
    struct plugin *p = NULL;
    if (!attach(loop, log, name, r, diags, &p))
        return false;
    *ret = provider_new(p);
    return true;
}
