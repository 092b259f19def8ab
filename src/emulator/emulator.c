#include "base/lock.h"
#include "base/random.h"
#include "emulator/emulator_private.h"

#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>

#define TARGET "CloudApiService."

/* A fault that matches no type is probably a typo. */
static bool check_faults(const struct cfn_pack *pack, const struct emulator_fault *v, size_t n, struct diags *diags)
{
    for (size_t i = 0; i < n; i++)
        if (!emulator_fault_is_of(&v[i], pack))
            return diags_fail(diags, "Wrong fault", "The pack has no type " STR_FMT ".", STR_ARG(v[i].type));
    return true;
}

struct emulator *emulator_new(const struct emulator_options *options, struct diags *diags)
{
    if (!check_faults(options->pack, options->fails, options->n_fails, diags) ||
        !check_faults(options->pack, options->hooks, options->n_hooks, diags))
        return NULL;
    struct emulator_store *store = emulator_store_open(options->data, diags);
    if (!store)
        return NULL;
    struct emulator *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    e->options = *options;
    e->store = store;
    e->arena = arena_new(NULL, 0);
    map_init(&e->schemas, e->arena);
    map_init(&e->patterns, e->arena);
    mutex_init(&e->lock);
    (void)RAND_bytes((unsigned char *)&e->random, sizeof e->random);
    return e;
}

void emulator_free(struct emulator *e)
{
    if (!e)
        return;
    emulator_store_close(e->store);
    arena_free(e->arena);
    mutex_destroy(&e->lock);
    free(e);
}

uint64_t emulator_random(struct emulator *e)
{
    return random_next(&e->random);
}

struct str emulator_uuid(struct emulator *e, struct arena *a)
{
    uint64_t x = emulator_random(e), y = emulator_random(e);
    return arena_printf(a, "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)(x >> 32), (unsigned)(x >> 16) & 0xffff,
                        (unsigned)x & 0xfff, (unsigned)(y >> 48) & 0xfff, (unsigned long long)y & UINT64_C(0xffffffffffff));
}

const struct cfn_schema *emulator_schema(struct emulator *e, struct str type, struct diags *diags)
{
    const struct cfn_schema *known = map_get(&e->schemas, type);
    struct cfn_type_name name;
    size_t i = known || !cfn_parse_cf_type(type, &name) ? SIZE_MAX : cfn_pack_find(e->options.pack, type);
    if (i == SIZE_MAX)
        return known;
    struct arena *a = arena_new(e->arena, 0);
    struct str text;
    if (cfn_pack_text(e->options.pack, i, a, diags, &text))
        known = cfn_schema_parse(a, text, "pack", diags);
    if (known)
        map_put(&e->schemas, known->type_name, (void *)known);
    else
        arena_free(a);
    return known;
}

const struct cfn_regex *emulator_pattern(struct emulator *e, const char *pattern)
{
    const struct cfn_regex *known = map_get(&e->patterns, str_of(pattern));
    if (known)
        return known;
    struct diags ignored;
    diags_init(&ignored, e->arena);
    known = cfn_regex_compile(e->arena, arena_printf(e->arena, "^(?:%s)$", pattern), &ignored);
    if (known)
        map_put(&e->patterns, str_of(pattern), (void *)known);
    return known;
}

bool emulation_line(struct emulation *e, const struct json *j, struct str *ret)
{
    struct buf text BUF_AUTO = BUF_INIT(EMULATOR_MAX_LINE);
    struct json_writer w = {.out = &text};
    json_write(&w, j);
    if (!json_finish(&w))
        return false;
    *ret = buf_copy(&text, e->arena);
    return true;
}

const struct json *emulation_model(struct emulation *e, struct str text)
{
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct json *model = json_parse(e->arena, text, "model", &diags);
    return model && model->kind == JSON_OBJECT ? model : json_make_object(e->arena, NULL, 0);
}

void emulation_set_error(struct emulation *e, const char *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    e->error = error;
    e->message = arena_vprintf(e->arena, format, args);
    va_end(args);
}

/* --- answers --- */

static void answer_error(struct arena *a, struct emulator_answer *ret, long status, const char *error, struct str message)
{
    struct buf text BUF_AUTO = BUF_INIT((size_t)EMULATOR_MAX_BODY * 8);
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    json_key(&w, STR("__type"));
    json_write_string(&w, arena_printf(a, "com.amazon.cloudapiservice#%s", error));
    json_key(&w, STR("Message"));
    json_write_string(&w, message);
    json_end_object(&w);
    (void)json_finish(&w);
    ret->status = status;
    ret->error = error;
    ret->body = buf_copy(&text, a);
}

/* Faults of the emulator are 500, all others are errors of the caller. */
static long status_of(const char *error)
{
    return strcmp(error, "InternalFailure") == 0 ? 500 : 400;
}

/* --- signatures --- */

static enum sigv4_key_state find_secret(void *ctx, struct str access_key, struct str token, struct str *ret)
{
    const struct emulator *e = ctx;
    (void)token; /* there are no sessions: any token is valid with the key */
    if (!str_eq(access_key, e->options.access_key))
        return SIGV4_KEY_UNKNOWN;
    *ret = e->options.secret_key;
    return SIGV4_KEY_KNOWN;
}

static void check_signature(struct emulator *e, struct arena *a, const struct emulator_request *r, const char *service,
                            struct sigv4_checked *ret)
{
    *ret = (struct sigv4_checked){.verdict = SIGV4_VALID};
    if (e->options.access_key.n == 0)
        return;
    struct sigv4_check check = {
        .request = {.method = r->method,
                    .path = r->path,
                    .query = r->query,
                    .headers = r->headers,
                    .n_headers = r->n_headers,
                    .payload_hash = sigv4_hash(a, r->body)},
        .service = str_of(service),
        .now_ns = e->options.clock->wall_ns(e->options.clock),
        .secret = find_secret,
        .ctx = e,
    };
    sigv4_verify(a, &check, ret);
}

/* --- STS: who am I --- */

static void answer_sts(struct emulator *e, struct arena *a, const struct emulator_request *r, struct emulator_answer *ret)
{
    struct sigv4_checked checked;
    check_signature(e, a, r, "sts", &checked);
    ret->content_type = "text/xml";
    if (checked.verdict != SIGV4_VALID) {
        ret->error = sigv4_error_name(checked.verdict, SIGV4_QUERY);
        ret->status = sigv4_error_status(checked.verdict, SIGV4_QUERY);
        ret->body =
            arena_printf(a,
                         "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error><Type>Sender</Type>"
                         "<Code>%s</Code><Message>The request is not signed by a known key.</Message></Error><RequestId>" STR_FMT
                         "</RequestId></ErrorResponse>",
                         ret->error, STR_ARG(ret->request_id));
        return;
    }
    ret->status = 200;
    ret->body = arena_printf(
        a,
        "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult>"
        "<Arn>arn:aws:iam::" STR_FMT ":user/emulator</Arn><UserId>AIDAEMULATOR000000001</UserId><Account>" STR_FMT "</Account>"
        "</GetCallerIdentityResult><ResponseMetadata><RequestId>" STR_FMT "</RequestId></ResponseMetadata>"
        "</GetCallerIdentityResponse>",
        STR_ARG(e->options.account), STR_ARG(e->options.account), STR_ARG(ret->request_id));
}

static bool asks_sts(const struct emulator_request *r)
{
    static const char wanted[] = "Action=GetCallerIdentity";
    struct str where[] = {r->body, r->query};
    for (size_t i = 0; i < 2; i++)
        while (where[i].n > 0)
            if (str_eqz(str_cut(&where[i], '&'), wanted))
                return true;
    return false;
}

/* --- Cloud Control --- */

static bool is_throttled(struct emulator *e)
{
    e->n_calls++;
    return e->options.throttle > 0 && e->n_calls % e->options.throttle == 0;
}

/* One transaction: due requests, then the call. */
static bool run_locked(struct emulation *c, emulator_handler_fn *operation)
{
    struct emulator_store *store = c->emulator->store;
    if (is_throttled(c->emulator))
        return emulation_fail(c, "ThrottlingException", "Rate exceeded");
    if (!emulator_store_begin(store))
        return emulation_fail(c, "InternalFailure", "%s", emulator_store_problem(store));
    bool due_done = emulation_do_due(c);
    bool ok = due_done && operation(c);
    if (!emulator_store_end(store, due_done)) /* a rejected call changes nothing, but the due requests stay done */
        return emulation_fail(c, "InternalFailure", "%s", emulator_store_problem(store));
    return ok;
}

static void answer_operation(struct emulator *e, struct arena *a, const struct emulator_request *r,
                             emulator_handler_fn *operation, struct emulator_answer *ret)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf text BUF_AUTO = BUF_INIT((size_t)EMULATOR_MAX_BODY * 64);
    struct emulation c = {.emulator = e, .arena = a, .now = e->options.clock->wall_ns(e->options.clock), .out = {.out = &text}};
    c.input = json_parse(a, r->body.n > 0 ? r->body : STR("{}"), "request", &diags);
    if (!c.input || c.input->kind != JSON_OBJECT) {
        answer_error(a, ret, 400, "SerializationException", STR("The body is not a JSON object."));
        return;
    }
    mutex_lock(&e->lock);
    bool ok = run_locked(&c, operation);
    mutex_unlock(&e->lock);
    if (!ok) {
        answer_error(a, ret, status_of(c.error), c.error, c.message);
        return;
    }
    if (!json_finish(&c.out)) {
        answer_error(a, ret, 500, "InternalFailure", STR("The answer is larger than this emulator can send."));
        return;
    }
    ret->status = 200;
    ret->body = buf_copy(&text, a);
}

void emulator_answer(struct emulator *e, struct arena *a, const struct emulator_request *request, struct emulator_answer *ret)
{
    mutex_lock(&e->lock);
    *ret = (struct emulator_answer){.content_type = "application/x-amz-json-1.0", .request_id = emulator_uuid(e, a)};
    mutex_unlock(&e->lock);
    const struct http_header *named = http_header_find(request->headers, request->n_headers, STR("X-Amz-Target"));
    struct str target = named ? named->value : STR_EMPTY;
    if (target.n == 0 && asks_sts(request)) {
        answer_sts(e, a, request, ret);
        return;
    }
    bool ours = str_starts(target, STR(TARGET));
    emulator_handler_fn *operation = ours ? emulator_handler(str_slice(target, sizeof TARGET - 1, target.n)) : NULL;
    if (!operation || !str_eqz(request->method, "POST")) {
        answer_error(a, ret, 400, "UnknownOperationException",
                     STR("This is an emulator of the AWS Cloud Control API: POST with X-Amz-Target: CloudApiService.OPERATION."));
        return;
    }
    struct sigv4_checked checked;
    check_signature(e, a, request, "cloudcontrolapi", &checked);
    if (checked.verdict != SIGV4_VALID)
        answer_error(a, ret, sigv4_error_status(checked.verdict, SIGV4_JSON), sigv4_error_name(checked.verdict, SIGV4_JSON),
                     checked.message);
    else
        answer_operation(e, a, request, operation, ret);
}
