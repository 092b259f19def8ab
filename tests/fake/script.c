#include "script.h"

#include "base/lock.h"
#include "plugin/launch.h"
#include "plugin/services.h"
#include "yaml/yaml.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_DEPTH = 10000, GRPC_LAST_STATUS = 16 };

/* ---- names ---- */

struct name {
    const char *text;
    int value;
};

static const struct name crash_names[] = {
    {"exit", CRASH_EXIT},
    {"abort", CRASH_ABORT},
    {"kill", CRASH_KILL},
    {"panic", CRASH_PANIC},
    {"stop", CRASH_STOP},
    {"client", CRASH_CLIENT},
    {NULL, 0},
};
static const struct name crash_when_names[] = {
    {"before", CRASH_BEFORE},
    {"acted", CRASH_ACTED},
    {"answered", CRASH_ANSWERED},
    {NULL, 0},
};
static const struct name fault_names[] = {
    {"garbage", FAULT_GARBAGE},
    {"truncated", FAULT_TRUNCATED},
    {"oversized", FAULT_OVERSIZED},
    {"deep", FAULT_DEEP},
    {"wrong_type", FAULT_WRONG_TYPE},
    {"empty", FAULT_EMPTY},
    {"hang", FAULT_HANG},
    {"unknown_state", FAULT_UNKNOWN},
    {"null_state", FAULT_NULL},
    {"no_state", FAULT_MISSING},
    {NULL, 0},
};
static const struct name deferred_names[] = {
    {"unknown", DEFERRED_UNKNOWN},
    {"resource_config_unknown", DEFERRED_RESOURCE_CONFIG_UNKNOWN},
    {"provider_config_unknown", DEFERRED_PROVIDER_CONFIG_UNKNOWN},
    {"absent_prereq", DEFERRED_ABSENT_PREREQ},
    {NULL, 0},
};
static const struct name severity_names[] = {{"error", DIAG_ERROR}, {"warning", DIAG_WARNING}, {NULL, 0}};
static const struct name operation_names[] = {
    {"create", OPERATION_CREATE},
    {"update", OPERATION_UPDATE},
    {"delete", OPERATION_DELETE},
    {NULL, 0},
};
static const struct name counts_names[] = {{"process", COUNT_IN_PROCESS}, {"cloud", COUNT_IN_CLOUD}, {NULL, 0}};

/* Calls with another name in protocol 5. */
static const struct {
    const char *v5, *v6;
} rpc_names[] = {
    {"GetSchema", "GetProviderSchema"},
    {"PrepareProviderConfig", "ValidateProviderConfig"},
    {"ValidateResourceTypeConfig", "ValidateResourceConfig"},
    {"ValidateDataSourceConfig", "ValidateDataResourceConfig"},
    {"Configure", "ConfigureProvider"},
    {"Stop", "StopProvider"},
};

struct str script_rpc_name(struct str method)
{
    while (str_find(method, '/', 0) != SIZE_MAX)
        (void)str_cut(&method, '/');
    for (size_t i = 0; i < sizeof rpc_names / sizeof rpc_names[0]; i++)
        if (str_eqz(method, rpc_names[i].v5))
            return str_of(rpc_names[i].v6);
    return method;
}

/* ---- reading: an object is described by a table of its keys ---- */

struct reader {
    struct arena *arena;
    const char *source;
    struct diags *diags;
};

/* Reads a value into the field at `offset` of the struct that the table describes. An unknown key is an error. */
struct key {
    const char *name;
    bool (*read)(const struct reader *r, const struct key *key, const struct json *j, void *field);
    size_t offset;
    int64_t min, max;         /* limits of a number */
    const struct name *names; /* values of an enumeration */
    const struct key *keys;   /* keys of an object */
};

static bool fail(const struct reader *r, const struct json *at, const char *what)
{
    return diags_fail(r->diags, "Invalid script", "%s, line %u, column %u: %s", r->source, at->line, at->column, what);
}

static bool read_object(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    if (j->kind != JSON_OBJECT)
        return fail(r, j, "expected a mapping");
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        const struct key *k = key->keys;
        while (k->name && !str_eqz(m->key, k->name))
            k++;
        if (!k->name)
            return diags_fail(r->diags, "Invalid script", "%s, line %u, column %u: unknown key \"" STR_FMT "\"", r->source,
                              m->line, m->column, STR_ARG(m->key));
        if (!k->read(r, k, m->value, (char *)into + k->offset))
            return false;
    }
    return true;
}

static bool read_name(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    struct buf known BUF_AUTO = BUF_INIT(1024);
    for (const struct name *n = key->names; n->text; n++) {
        if (j->kind == JSON_STRING && str_eqz(j->text, n->text)) {
            *(int *)field = n->value;
            return true;
        }
        buf_printf(&known, " %s", n->text);
    }
    return fail(r, j, arena_printf(r->arena, "expected one of:" STR_FMT, STR_ARG(buf_str(&known))).p);
}

static bool read_int(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    int64_t i;
    if (j->kind != JSON_NUMBER || !str_to_i64(j->text, &i) || i < key->min || i > key->max)
        return fail(
            r, j,
            arena_printf(r->arena, "expected a whole number from %lld to %lld", (long long)key->min, (long long)key->max).p);
    *(int64_t *)field = i;
    return true;
}

static bool read_bool(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    (void)key;
    if (j->kind != JSON_BOOL)
        return fail(r, j, "expected true or false");
    *(bool *)field = j->boolean;
    return true;
}

static bool read_text(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    (void)key;
    if (j->kind != JSON_STRING)
        return fail(r, j, "expected a string");
    *(struct str *)field = arena_str(r->arena, j->text);
    return true;
}

#define TEXT(key, type, field) {key, read_text, offsetof(type, field), 0, 0, NULL, NULL}
#define BOOL(key, type, field) {key, read_bool, offsetof(type, field), 0, 0, NULL, NULL}
#define INT(key, type, field, min, max) {key, read_int, offsetof(type, field), min, max, NULL, NULL}
#define NAME(key, type, field, names) {key, read_name, offsetof(type, field), 0, 0, names, NULL}
#define OBJECT(key, type, field, keys) {key, read_object, offsetof(type, field), 0, 0, NULL, keys}
#define OWN(key, fn) {key, fn, 0, 0, 0, NULL, NULL} /* `fn` gets the whole struct */
#define END {NULL, NULL, 0, 0, 0, NULL, NULL}

/* ---- diagnostics ---- */

/* [tags, {key: Name}], [rule, 0, port]: names are attributes, numbers are indexes. */
static bool read_path(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    (void)key;
    bool is_list = j->kind == JSON_ARRAY;
    struct path path = PATH_ROOT;
    for (size_t i = 0; i < (is_list ? j->array.n : 1); i++) {
        const struct json *step = is_list ? j->array.items[i] : j;
        struct str name = json_text(json_get(step, "key"), STR_EMPTY);
        int64_t index;
        if (name.n > 0)
            path = path_key(r->arena, path, arena_str(r->arena, name));
        else if (step->kind == JSON_STRING)
            path = path_attr(r->arena, path, arena_str(r->arena, step->text));
        else if (step->kind == JSON_NUMBER && str_to_i64(step->text, &index))
            path = path_index(r->arena, path, index);
        else
            return fail(r, step, "expected an attribute's name, an index or {key: NAME}");
    }
    *(struct path *)field = path;
    return true;
}

static const struct key diagnostic_keys[] = {
    NAME("severity", struct diag, severity, severity_names),
    TEXT("summary", struct diag, summary),
    TEXT("detail", struct diag, detail),
    {"attribute", read_path, offsetof(struct diag, path), 0, 0, NULL, NULL},
    END,
};

static void add_diagnostic(const struct reader *r, struct effect *e, const struct diag *d)
{
    struct diag *all = arena_make_n(r->arena, struct diag, e->n_diagnostics + 1);
    if (e->n_diagnostics > 0)
        memcpy(all, e->diagnostics, e->n_diagnostics * sizeof *all);
    all[e->n_diagnostics++] = *d;
    e->diagnostics = all;
    e->has_errors = e->has_errors || d->severity == DIAG_ERROR;
}

static bool read_diagnostics(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    (void)key;
    if (j->kind != JSON_ARRAY)
        return fail(r, j, "expected a list of diagnostics");
    for (size_t i = 0; i < j->array.n; i++) {
        struct diag d = {.severity = DIAG_ERROR};
        if (!read_object(r, &(struct key){.keys = diagnostic_keys}, j->array.items[i], &d))
            return false;
        add_diagnostic(r, into, &d);
    }
    return true;
}

static bool read_throttle(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    bool throttle = false;
    if (!read_bool(r, key, j, &throttle))
        return false;
    const struct diag d = {
        .severity = DIAG_ERROR,
        .summary = STR("Request was throttled"),
        .detail = STR("ThrottlingException: Rate exceeded (status 429)"),
    };
    if (throttle)
        add_diagnostic(r, into, &d);
    return true;
}

/* ---- effects ---- */

static bool read_bytes(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    struct effect *e = into;
    struct str hex = STR_EMPTY;
    if (!read_text(r, key, j, &hex))
        return false;
    struct buf bytes BUF_AUTO = BUF_INIT(SCRIPT_MAX_BYTES);
    int high = -1;
    for (size_t i = 0; i < hex.n; i++) {
        unsigned char c = (unsigned char)hex.p[i];
        if (isspace(c))
            continue;
        if (!isxdigit(c))
            return fail(r, j, "expected hexadecimal digits");
        int digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (high >= 0)
            buf_addc(&bytes, (char)(high << 4 | digit));
        high = high >= 0 ? -1 : digit;
    }
    if (high >= 0)
        return fail(r, j, "expected an even number of hexadecimal digits");
    e->bytes = buf_copy(&bytes, r->arena);
    e->fault = FAULT_BYTES;
    return true;
}

static bool read_status(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    struct effect *e = into;
    e->fault = FAULT_STATUS;
    return read_int(r, &(struct key){.name = key->name, .min = 1, .max = GRPC_LAST_STATUS}, j, &e->grpc_status);
}

static const struct key effect_keys[] = {
    INT("latency_ms", struct effect, latency_ms, 0, INT32_MAX),
    INT("answer_ms", struct effect, answer_ms, 0, INT32_MAX),
    TEXT("stdout", struct effect, stdout_text),
    TEXT("stderr", struct effect, stderr_text),
    OWN("diagnostics", read_diagnostics),
    OWN("throttle", read_throttle),
    BOOL("act", struct effect, act),
    NAME("deferred", struct effect, deferred, deferred_names),
    NAME("crash", struct effect, crash, crash_names),
    NAME("at", struct effect, crash_when, crash_when_names),
    INT("exit_status", struct effect, exit_status, 0, 255),
    NAME("answer", struct effect, fault, fault_names),
    OWN("bytes", read_bytes),
    INT("size", struct effect, size, 1, INT32_MAX),
    INT("depth", struct effect, depth, 1, 1 << 20),
    OWN("status", read_status),
    TEXT("message", struct effect, grpc_message),
    END,
};

/* ---- rules ---- */

static bool read_rpc(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    struct rule *rule = into;
    if (!read_text(r, key, j, &rule->rpc))
        return false;
    rule->rpc = script_rpc_name(rule->rpc);
    return true;
}

static bool read_nth(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    struct rule *rule = into;
    if (!read_int(r, &(struct key){.name = key->name, .min = 1, .max = INT32_MAX}, j, &rule->from))
        return false;
    rule->to = rule->from;
    return true;
}

static const struct key match_keys[] = {
    OWN("rpc", read_rpc),
    TEXT("type", struct rule, type),
    TEXT("contains", struct rule, contains),
    TEXT("configured", struct rule, configured),
    NAME("operation", struct rule, operation, operation_names),
    OWN("nth", read_nth),
    INT("from", struct rule, from, 1, INT32_MAX),
    INT("to", struct rule, to, 1, INT32_MAX),
    INT("every", struct rule, every, 1, INT32_MAX),
    END,
};

static const struct key rule_keys[] = {
    {"match", read_object, 0, 0, 0, NULL, match_keys},
    OBJECT("do", struct rule, effect, effect_keys),
    END,
};

static bool read_rules(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    (void)key;
    struct script *s = into;
    if (j->kind != JSON_ARRAY)
        return fail(r, j, "expected a list of rules");
    s->rules = arena_make_n(r->arena, struct rule, j->array.n);
    s->n_rules = j->array.n;
    for (size_t i = 0; i < j->array.n; i++) {
        s->rules[i] = (struct rule){
            .from = 1,
            .every = 1,
            .effect = {.deferred = DEFERRED_NOT, .exit_status = 1, .size = PLUGIN_MAX_MESSAGE + 1, .depth = DEFAULT_DEPTH},
        };
        if (!read_object(r, &(struct key){.keys = rule_keys}, j->array.items[i], &s->rules[i]))
            return false;
    }
    return true;
}

/* ---- types ---- */

static bool read_names(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    (void)key;
    if (j->kind != JSON_ARRAY)
        return fail(r, j, "expected a list of attribute names");
    *(const struct json **)field = j;
    return true;
}

static bool read_defaults(const struct reader *r, const struct key *key, const struct json *j, void *field)
{
    (void)key;
    if (j->kind != JSON_OBJECT)
        return fail(r, j, "expected a mapping from attribute to value");
    *(const struct json **)field = j;
    return true;
}

static const struct key trait_keys[] = {
    TEXT("id", struct trait, id),
    {"defaults", read_defaults, offsetof(struct trait, defaults), 0, 0, NULL, NULL},
    {"hashed", read_names, offsetof(struct trait, hashed), 0, 0, NULL, NULL},
    {"unread", read_names, offsetof(struct trait, unread), 0, 0, NULL, NULL},
    TEXT("import", struct trait, import),
    TEXT("import_absent", struct trait, import_absent),
    BOOL("state_only", struct trait, state_only),
    END,
};

static bool read_types(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    (void)key;
    struct script *s = into;
    if (j->kind != JSON_OBJECT)
        return fail(r, j, "expected a mapping from resource type to how it behaves");
    s->traits = arena_make_n(r->arena, struct trait, j->object.n);
    s->n_traits = j->object.n;
    for (size_t i = 0; i < j->object.n; i++) {
        s->traits[i] = (struct trait){.type_name = arena_str(r->arena, j->object.members[i].key)};
        if (!read_object(r, &(struct key){.keys = trait_keys}, j->object.members[i].value, &s->traits[i]))
            return false;
    }
    return true;
}

/* ---- the script ---- */

static bool read_replace(const struct reader *r, const struct key *key, const struct json *j, void *into)
{
    (void)key;
    if (j->kind != JSON_OBJECT)
        return fail(r, j, "expected a mapping from type to attribute names");
    for (size_t i = 0; i < j->object.n; i++)
        if (j->object.members[i].value->kind != JSON_ARRAY)
            return fail(r, j->object.members[i].value, "expected a list of attribute names");
    ((struct script *)into)->replace = j;
    return true;
}

static const struct key capability_keys[] = {
    BOOL("plan_destroy", struct server_capabilities, plan_destroy),
    BOOL("get_provider_schema_optional", struct server_capabilities, get_provider_schema_optional),
    BOOL("move_resource_state", struct server_capabilities, move_resource_state),
    BOOL("generate_resource_config", struct server_capabilities, generate_resource_config),
    END,
};

static const struct key script_keys[] = {
    INT("protocol", struct script, protocol, 5, 6),
    TEXT("handshake", struct script, handshake),
    TEXT("cloud", struct script, cloud_folder),
    NAME("counts", struct script, counts, counts_names),
    INT("latency_ms", struct script, latency_ms, 0, INT32_MAX),
    BOOL("legacy_type_system", struct script, legacy_type_system),
    OWN("replace", read_replace),
    OWN("types", read_types),
    OBJECT("capabilities", struct script, capabilities, capability_keys),
    OWN("rules", read_rules),
    END,
};

bool script_read(struct arena *a, struct str text, const char *source, struct diags *diags, struct script *ret)
{
    const struct reader r = {a, source, diags};
    struct script s = {.capabilities = {.plan_destroy = true}};
    const struct json *j = yaml_parse(a, text, source, diags);
    if (!j)
        return false;
    if (j->kind != JSON_NULL && !read_object(&r, &(struct key){.keys = script_keys}, j, &s))
        return false;
    *ret = s;
    mutex_init(&ret->lock);
    return true;
}

void script_done(struct script *s)
{
    mutex_destroy(&s->lock);
}

/* ---- matching ---- */

/*
 * Appends one byte per call to a file: its length is the count, across all processes and their crashes. The caller holds the
 * script's lock.
 */
static int64_t count_in_cloud(const struct script *s, size_t rule)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str path = arena_printf(a, STR_FMT "/.count-%zu", STR_ARG(s->cloud_folder), rule);
    int fd = open(path.p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct stat st;
    int64_t n = fd >= 0 && write(fd, "x", 1) == 1 && fstat(fd, &st) == 0 ? st.st_size : 0;
    if (fd >= 0)
        (void)close(fd);
    return n;
}

static bool is_null(struct str request, uint32_t field)
{
    enum { MSGPACK = 1 };
    struct str value = STR_EMPTY, bytes = STR_EMPTY;
    (void)service_find_bytes(request, field, &value);
    (void)service_find_bytes(value, MSGPACK, &bytes);
    return str_eqz(bytes, "\xc0");
}

enum operation script_operation(struct str rpc, struct str request)
{
    enum { PRIOR = 2, PLANNED = 3 };
    if (!str_eqz(rpc, "ApplyResourceChange") && !str_eqz(rpc, "PlanResourceChange"))
        return OPERATION_NONE;
    if (is_null(request, PRIOR))
        return OPERATION_CREATE;
    return is_null(request, PLANNED) ? OPERATION_DELETE : OPERATION_UPDATE;
}

static bool contains(struct str text, struct str part)
{
    return part.n == 0 || memmem(text.p, text.n, part.p, part.n);
}

static bool fits(const struct rule *rule, const struct script_call *call)
{
    return (rule->rpc.n == 0 || str_eq(rule->rpc, call->rpc)) && (rule->type.n == 0 || str_eq(rule->type, call->type)) &&
           contains(call->request, rule->contains) && contains(call->configuration, rule->configured) &&
           (rule->operation == OPERATION_NONE || rule->operation == script_operation(call->rpc, call->request));
}

static bool is_turn(const struct rule *rule, int64_t n)
{
    return n >= rule->from && (rule->to == 0 || n <= rule->to) && (n - rule->from) % rule->every == 0;
}

const struct effect *script_match(struct script *s, const struct script_call *call)
{
    if (s->n_rules == 0)
        return NULL;
    const struct effect *effect = NULL;
    mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_rules; i++) {
        struct rule *rule = &s->rules[i];
        if (!fits(rule, call))
            continue;
        int64_t n = s->counts == COUNT_IN_CLOUD && s->cloud_folder.n > 0 ? count_in_cloud(s, i) : ++rule->n_seen;
        if (!effect && is_turn(rule, n))
            effect = &rule->effect;
    }
    mutex_unlock(&s->lock);
    return effect;
}
