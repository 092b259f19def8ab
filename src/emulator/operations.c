/*
 * The eight operations. An operation that changes something is only recorded here; due.c performs it when it is due. So clients
 * first see it in progress, as with AWS, and a crash in between loses nothing.
 */
#include "emulator/input.h"
#include "emulator/patch.h"

#include <stdio.h>

/* How long a client token identifies its request. */
#define CLIENT_TOKEN_NS (INT64_C(36) * 3600 * NS_PER_S)

/* --- input --- */

/* Rejects an unknown type before it checks anything else. */
static const struct cfn_schema *wants_type(struct emulation *e, struct str *ret)
{
    if (!emulator_input(e, EMULATOR_MEMBER_TYPE(ret)))
        return NULL;
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct cfn_schema *schema = emulator_schema(e->emulator, *ret, &diags);
    if (!schema && diags_has_errors(&diags))
        (void)emulation_fail(e, "InternalFailure", STR_FMT, STR_ARG(diags.v[0].detail));
    else if (!schema)
        (void)emulation_fail(e, "TypeNotFoundException", "The type '" STR_FMT "' cannot be found.", STR_ARG(*ret));
    return schema;
}

static bool wants_handler(struct emulation *e, const struct cfn_schema *s, enum cfn_handler_kind kind, const char *action)
{
    if (s->handlers[kind].present)
        return true;
    return emulation_fail(e, "UnsupportedActionException", "Resource type " STR_FMT " does not support %s action",
                          STR_ARG(s->type_name), action);
}

/* --- output --- */

static void put_text(struct emulation *e, const char *key, struct str text)
{
    if (text.n == 0)
        return;
    json_key(&e->out, str_of(key));
    json_write_string(&e->out, text);
}

static void put_time(struct emulation *e, const char *key, int64_t ns)
{
    json_key(&e->out, str_of(key));
    json_write_number(&e->out, arena_printf(e->arena, "%lld.%03d", (long long)(ns / NS_PER_S), (int)(ns % NS_PER_S / NS_PER_MS)));
}

/* `first`: for the answer to the call that started the request, which has no RetryAfter. */
static void put_progress(struct emulation *e, const struct emulator_stored_request *r, bool first)
{
    json_begin_object(&e->out);
    put_text(e, "TypeName", r->type);
    if (r->id_known)
        put_text(e, "Identifier", r->id);
    put_text(e, "RequestToken", r->token);
    put_text(e, "HooksRequestToken", r->hooks_token);
    put_text(e, "Operation", str_of(emulator_operation_name(r->operation)));
    put_text(e, "OperationStatus", str_of(emulator_status_name(r->status)));
    put_time(e, "EventTime", r->event_ns);
    if (r->status == EMULATOR_STATUS_FAILED) {
        put_text(e, "ErrorCode", r->error);
        put_text(e, "StatusMessage", r->message);
    }
    if (!first && r->status == EMULATOR_STATUS_IN_PROGRESS && r->due_ns > e->now)
        put_time(e, "RetryAfter", r->due_ns);
    json_end_object(&e->out);
}

/* The result of the hook, which finishes together with the request. */
static void put_hooks(struct emulation *e, const struct emulator_stored_request *r)
{
    const struct emulator_options *o = &e->emulator->options;
    struct str status = r->hook;
    bool warns = str_ends(status, STR("/WARN")), done = emulator_status_is_final(r->status);
    status = str_cut(&status, '/');
    json_key(&e->out, STR("HooksProgressEvent"));
    json_begin_array(&e->out);
    json_begin_object(&e->out);
    put_text(e, "HookTypeName", STR(EMULATOR_HOOK_NAME));
    put_text(e, "HookTypeVersionId", STR("00000001"));
    put_text(e, "HookTypeArn",
             arena_printf(e->arena, "arn:aws:cloudformation:" STR_FMT ":" STR_FMT ":type/hook/Private-Emulator-Guard",
                          STR_ARG(o->region), STR_ARG(o->account)));
    put_text(e, "InvocationPoint", STR("PRE_PROVISION"));
    put_text(e, "HookStatus", done ? status : STR("HOOK_IN_PROGRESS"));
    put_time(e, "HookEventTime", r->begun_ns);
    if (done)
        put_text(
            e, "HookStatusMessage",
            arena_printf(e->arena, "The emulator was started with --hook to end this hook with " STR_FMT ".", STR_ARG(status)));
    put_text(e, "FailureMode", warns ? STR("WARN") : STR("FAIL"));
    json_end_object(&e->out);
    json_end_array(&e->out);
}

static void put_event(struct emulation *e, const struct emulator_stored_request *r, bool first)
{
    json_begin_object(&e->out);
    json_key(&e->out, STR("ProgressEvent"));
    put_progress(e, r, first);
    if (r->hook.n > 0 && !first)
        put_hooks(e, r);
    json_end_object(&e->out);
}

/* Encodes a model. The call fails if it is too long; a stored model never is. */
static bool line_of(struct emulation *e, const struct json *j, struct str *ret)
{
    return emulation_line(e, j, ret) ||
           emulation_fail(e, "InternalFailure", "A document is longer than %d bytes.", EMULATOR_MAX_LINE);
}

static bool put_description(struct emulation *e, struct str id, const struct json *properties)
{
    struct str line;
    if (!line_of(e, properties, &line))
        return false;
    json_begin_object(&e->out);
    put_text(e, "Identifier", id);
    put_text(e, "Properties", line);
    json_end_object(&e->out);
    return true;
}

/* --- starting requests --- */

/* True if the same request was made before; answers it again. *ret_failed: the token belongs to a different request. */
static bool is_repetition(struct emulation *e, struct emulator_stored_request *r, bool *ret_failed)
{
    struct emulator_stored_request earlier;
    *ret_failed = false;
    if (r->client_token.n == 0 ||
        !emulator_store_request_of(e->emulator->store, e->arena, r->client_token, e->now - CLIENT_TOKEN_NS, &earlier))
        return false;
    if (str_eq(earlier.digest, r->digest)) {
        *r = earlier;
        return true;
    }
    *ret_failed =
        !emulation_fail(e, "ClientTokenConflictException",
                        "ClientToken " STR_FMT " is already associated with an existing operation with RequestToken " STR_FMT,
                        STR_ARG(r->client_token), STR_ARG(earlier.token));
    return false;
}

static bool is_free(struct emulation *e, const struct emulator_stored_request *r)
{
    struct emulator_stored_request other;
    if (r->id.n == 0 || !emulator_store_running(e->emulator->store, e->arena, r->type, r->id, &other))
        return true;
    return emulation_fail(e, "ConcurrentOperationException",
                          "Another operation with RequestToken " STR_FMT " is in progress for the resource " STR_FMT
                          " with identifier " STR_FMT,
                          STR_ARG(other.token), STR_ARG(r->type), STR_ARG(emulator_shown(e->arena, r->id)));
}

/* The caller sets `ret->client_token`. */
static bool start_request(struct emulation *e, enum emulator_operation operation, struct str type,
                          struct emulator_stored_request *ret)
{
    const struct emulator_options *o = &e->emulator->options;
    const struct emulator_fault *hook = emulator_fault_of(o->hooks, o->n_hooks, type, operation);
    struct str input;
    if (!line_of(e, e->input, &input))
        return false;
    *ret = (struct emulator_stored_request){
        .type = type,
        .operation = operation,
        .status = EMULATOR_STATUS_IN_PROGRESS,
        .client_token = ret->client_token,
        .digest = sigv4_hash(e->arena, input),
        .token = emulator_uuid(e->emulator, e->arena),
        .begun_ns = e->now,
        .event_ns = e->now,
        .due_ns = e->now + o->latency_ns,
    };
    if (hook) {
        ret->hook = arena_printf(e->arena, STR_FMT "%s", STR_ARG(hook->what), hook->warns ? "/WARN" : "");
        ret->hooks_token = emulator_uuid(e->emulator, e->arena);
    }
    return true;
}

static bool note_request(struct emulation *e, const struct emulator_stored_request *r)
{
    if (!is_free(e, r))
        return false;
    if (!emulator_store_put_request(e->emulator->store, r))
        return emulation_fail(e, "InternalFailure", "%s", emulator_store_problem(e->emulator->store));
    put_event(e, r, true);
    return true;
}

static bool check_model(struct emulation *e, const struct cfn_schema *s, const struct json *model)
{
    struct str wrong;
    if (emulator_model_check(e->arena, s, model, EMULATOR_CHECK_CALL, &wrong))
        return true;
    return emulation_fail(e, "ValidationException", "Model validation failed (" STR_FMT ")", STR_ARG(wrong));
}

static bool create_resource(struct emulation *e)
{
    struct str type, text;
    struct emulator_stored_request r;
    bool failed;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s ||
        !emulator_input(e, EMULATOR_MEMBER_DOCUMENT("DesiredState", &text, true),
                        EMULATOR_MEMBER_CLIENT_TOKEN(&r.client_token)) ||
        !wants_handler(e, s, CFN_CREATE, "CREATE"))
        return false;
    if (!start_request(e, EMULATOR_OP_CREATE, type, &r))
        return false;
    if (is_repetition(e, &r, &failed)) {
        put_event(e, &r, true);
        return true;
    }
    const struct json *model = failed ? NULL : emulator_input_document(e, "DesiredState", text, JSON_OBJECT);
    if (!model || !check_model(e, s, model))
        return false;
    struct str set = emulator_model_read_only(e->arena, s, model);
    if (set.n > 0)
        return emulation_fail(e, "ValidationException",
                              "Model validation failed (#: readOnlyProperties [" STR_FMT "] cannot be set)", STR_ARG(set));
    r.id_known = emulator_model_identifier(e->arena, s, model, &r.id);
    return line_of(e, model, &r.model) && note_request(e, &r);
}

static bool not_found(struct emulation *e, struct str type, struct str id)
{
    return emulation_fail(e, "ResourceNotFoundException",
                          STR_FMT " Handler returned status FAILED: Resource of type '" STR_FMT "' with identifier '" STR_FMT
                                  "' was not found. (HandlerErrorCode: NotFound, RequestToken: " STR_FMT ")",
                          STR_ARG(type), STR_ARG(type), STR_ARG(emulator_shown(e->arena, id)),
                          STR_ARG(emulator_uuid(e->emulator, e->arena)));
}

/* The model after the patch; NULL if rejected. It has write-only properties only if the patch sets them. */
static const struct json *patched(struct emulation *e, const struct cfn_schema *s, const struct json *before,
                                  const struct json *patch)
{
    struct str problem = STR("the result is not an object");
    const struct json *after = emulator_patch(e->arena, before, patch, &problem);
    if (!after || after->kind != JSON_OBJECT) {
        (void)emulation_fail(e, "ValidationException", "Invalid patch update: " STR_FMT, STR_ARG(problem));
        return NULL;
    }
    struct str fixed = emulator_model_create_only(e->arena, s, before, after);
    if (fixed.n > 0) {
        (void)emulation_fail(e, "NotUpdatableException",
                             "Invalid patch update: createOnlyProperties [" STR_FMT "] cannot be updated", STR_ARG(fixed));
        return NULL;
    }
    fixed = emulator_model_read_only_changed(e->arena, s, before, after);
    if (fixed.n > 0) {
        (void)emulation_fail(e, "NotUpdatableException",
                             "Invalid patch update: readOnlyProperties [" STR_FMT "] cannot be updated", STR_ARG(fixed));
        return NULL;
    }
    return check_model(e, s, after) ? after : NULL;
}

static bool update_resource(struct emulation *e)
{
    struct str type, id, text, model;
    struct emulator_stored_request r;
    bool failed;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s ||
        !emulator_input(e, EMULATOR_MEMBER_IDENTIFIER(&id), EMULATOR_MEMBER_DOCUMENT("PatchDocument", &text, true),
                        EMULATOR_MEMBER_CLIENT_TOKEN(&r.client_token)) ||
        !wants_handler(e, s, CFN_UPDATE, "UPDATE"))
        return false;
    if (!start_request(e, EMULATOR_OP_UPDATE, type, &r))
        return false;
    if (is_repetition(e, &r, &failed)) {
        put_event(e, &r, true);
        return true;
    }
    const struct json *patch = failed ? NULL : emulator_input_document(e, "PatchDocument", text, JSON_ARRAY);
    if (!patch)
        return false;
    if (!emulator_store_get(e->emulator->store, e->arena, type, id, &model))
        return not_found(e, type, id);
    const struct json *before = emulation_model(e, model),
                      *after = patched(e, s, emulator_model_visible(e->arena, s, before, 0), patch);
    if (!after)
        return false;
    r.id = id;
    r.id_known = true;
    if (!line_of(e, emulator_model_keep(e->arena, s, before, after), &r.model))
        return false;
    if (r.model.n > EMULATOR_INPUT_MAX_MODEL)
        return emulation_fail(e, "ValidationException", "Invalid patch update: the properties are longer than %d characters",
                              EMULATOR_INPUT_MAX_MODEL);
    return note_request(e, &r);
}

static bool delete_resource(struct emulation *e)
{
    struct str type, id;
    struct emulator_stored_request r;
    bool failed;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s || !emulator_input(e, EMULATOR_MEMBER_IDENTIFIER(&id), EMULATOR_MEMBER_CLIENT_TOKEN(&r.client_token)) ||
        !wants_handler(e, s, CFN_DELETE, "DELETE"))
        return false;
    if (!start_request(e, EMULATOR_OP_DELETE, type, &r))
        return false;
    if (is_repetition(e, &r, &failed)) {
        put_event(e, &r, true);
        return true;
    }
    r.id = id;
    r.id_known = true;
    return !failed && note_request(e, &r);
}

/* --- reading and listing --- */

static bool get_resource(struct emulation *e)
{
    struct str type, id, text;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s || !emulator_input(e, EMULATOR_MEMBER_IDENTIFIER(&id)) || !wants_handler(e, s, CFN_READ, "READ"))
        return false;
    if (!emulator_store_get(e->emulator->store, e->arena, type, id, &text))
        return not_found(e, type, id);
    uint64_t shuffle = e->emulator->options.keep_order ? 0 : emulator_random(e->emulator) | 1;
    json_begin_object(&e->out);
    put_text(e, "TypeName", type);
    json_key(&e->out, STR("ResourceDescription"));
    bool put = put_description(e, id, emulator_model_visible(e->arena, s, emulation_model(e, text), shuffle));
    json_end_object(&e->out);
    return put;
}

/* A token is the last identifier in hexadecimal: opaque enough, and still valid after a restart. */
static struct str make_token(struct arena *a, struct str last)
{
    struct buf text BUF_AUTO = BUF_INIT(EMULATOR_INPUT_MAX_NEXT);
    for (size_t i = 0; i < last.n; i++)
        buf_printf(&text, "%02x", (unsigned char)last.p[i]);
    return buf_copy(&text, a);
}

static bool read_token(struct emulation *e, struct str token, struct str *ret)
{
    struct buf text BUF_AUTO = BUF_INIT(EMULATOR_INPUT_MAX_NEXT);
    for (size_t i = 0; i < token.n; i += 2) {
        unsigned byte;
        char digits[3] = {token.p[i], i + 1 < token.n ? token.p[i + 1] : '\0', '\0'};
        if (strspn(digits, "0123456789abcdef") != 2 || sscanf(digits, "%x", &byte) != 1)
            return emulation_fail(e, "InvalidRequestException", "The NextToken is invalid.");
        buf_addc(&text, (char)byte);
    }
    *ret = buf_copy(&text, e->arena);
    return true;
}

struct listing {
    struct emulation *e;
    const struct cfn_schema *schema;
    const struct json *wanted; /* properties that must be equal; NULL: all objects */
    size_t max, n;
    struct str last;
    bool more;
    bool failed; /* with an error in `e` */
};

static bool list_one(void *ctx, struct str id, struct str text)
{
    struct listing *l = ctx;
    const struct json *model = emulation_model(l->e, text);
    for (size_t i = 0; l->wanted && i < l->wanted->object.n; i++) {
        const struct json *value = json_get_str(model, l->wanted->object.members[i].key);
        if (!value || !json_eq(value, l->wanted->object.members[i].value))
            return true;
    }
    if (l->n == l->max) {
        l->more = true;
        return false;
    }
    l->n++;
    l->last = arena_str(l->e->arena, id);
    l->failed = !put_description(l->e, l->last, emulator_model_identity(l->e->arena, l->schema, model));
    return !l->failed;
}

/* Some types can only be listed with arguments: their handlerSchema has required properties. */
static bool check_list_model(struct emulation *e, const struct cfn_schema *s, const struct json *model)
{
    const struct cfn_handler *h = &s->handlers[CFN_LIST];
    for (size_t i = 0; i < h->required.n; i++)
        if (!json_get_str(model, h->required.v[i]))
            return emulation_fail(e, "InvalidRequestException",
                                  "Missing or invalid ResourceModel property in " STR_FMT
                                  " list handler request input. Required property: (#: required key [" STR_FMT "] not found)",
                                  STR_ARG(s->type_name), STR_ARG(h->required.v[i]));
    return true;
}

static bool list_resources(struct emulation *e)
{
    struct str type, token, model, after = STR_EMPTY;
    struct listing l = {.e = e};
    l.schema = wants_type(e, &type);
    if (!l.schema || !emulator_input_page(e, &l.max) ||
        !emulator_input(e, EMULATOR_MEMBER_NEXT_TOKEN(&token), EMULATOR_MEMBER_DOCUMENT("ResourceModel", &model, false)) ||
        !wants_handler(e, l.schema, CFN_LIST, "LIST") || !read_token(e, token, &after))
        return false;
    if (model.n > 0 && !(l.wanted = emulator_input_document(e, "ResourceModel", model, JSON_OBJECT)))
        return false;
    if (!check_list_model(e, l.schema, l.wanted))
        return false;
    json_begin_object(&e->out);
    put_text(e, "TypeName", type);
    json_key(&e->out, STR("ResourceDescriptions"));
    json_begin_array(&e->out);
    bool ok = emulator_store_each(e->emulator->store, type, after, list_one, &l);
    json_end_array(&e->out);
    if (l.more)
        put_text(e, "NextToken", make_token(e->arena, l.last));
    json_end_object(&e->out);
    if (l.failed)
        return false;
    return ok || emulation_fail(e, "InternalFailure", "%s", emulator_store_problem(e->emulator->store));
}

static bool wants_request(struct emulation *e, struct emulator_stored_request *ret)
{
    struct str token;
    if (!emulator_input(e, EMULATOR_MEMBER_REQUEST_TOKEN(&token)))
        return false;
    if (emulator_store_request(e->emulator->store, e->arena, token, ret))
        return true;
    return emulation_fail(e, "RequestTokenNotFoundException", "Request with token " STR_FMT " was not found", STR_ARG(token));
}

static bool request_status(struct emulation *e)
{
    struct emulator_stored_request r;
    if (!wants_request(e, &r))
        return false;
    put_event(e, &r, false);
    return true;
}

/* A finished request stays as it is. A running handler stops at once, however long it would have taken. */
static bool cancel_request(struct emulation *e)
{
    struct emulator_stored_request r;
    if (!wants_request(e, &r))
        return false;
    if (r.status == EMULATOR_STATUS_SUCCESS || r.status == EMULATOR_STATUS_FAILED)
        return emulation_fail(e, "ValidationException", "Request " STR_FMT " is already in status %s", STR_ARG(r.token),
                              emulator_status_name(r.status));
    if (r.status != EMULATOR_STATUS_CANCEL_COMPLETE) {
        r.status = EMULATOR_STATUS_CANCEL_IN_PROGRESS;
        r.event_ns = r.due_ns = e->now;
        if (!emulator_store_put_request(e->emulator->store, &r))
            return emulation_fail(e, "InternalFailure", "%s", emulator_store_problem(e->emulator->store));
    }
    put_event(e, &r, true);
    return true;
}

struct history {
    struct emulation *e;
    size_t max, n;
    int64_t last;
    bool more;
};

static bool list_request(void *ctx, const struct emulator_stored_request *r)
{
    struct history *h = ctx;
    if (h->n == h->max) {
        h->more = true;
        return false;
    }
    h->n++;
    h->last = r->number;
    put_progress(h->e, r, false);
    return true;
}

static bool wants_filter(struct emulation *e, struct emulator_store_filter *ret)
{
    static const char *const operations[] = {"CREATE", "DELETE", "UPDATE"};
    static const char *const statuses[] = {"PENDING", "IN_PROGRESS",        "SUCCESS",
                                           "FAILED",  "CANCEL_IN_PROGRESS", "CANCEL_COMPLETE"};
    return emulator_input_filter(e, "Operations", operations, sizeof operations / sizeof operations[0], &ret->operations) &&
           emulator_input_filter(e, "OperationStatuses", statuses, sizeof statuses / sizeof statuses[0], &ret->statuses);
}

static bool list_requests(struct emulation *e)
{
    struct history h = {.e = e};
    struct emulator_store_filter filter = {0};
    struct str token;
    if (!emulator_input_page(e, &h.max) || !emulator_input(e, EMULATOR_MEMBER_NEXT_TOKEN(&token)) || !wants_filter(e, &filter))
        return false;
    if (token.n > 0 && (!str_to_i64(token, &filter.before) || filter.before < 1))
        return emulation_fail(e, "InvalidRequestException", "The NextToken is invalid.");
    json_begin_object(&e->out);
    json_key(&e->out, STR("ResourceRequestStatusSummaries"));
    json_begin_array(&e->out);
    bool ok = emulator_store_each_request(e->emulator->store, e->arena, &filter, list_request, &h);
    json_end_array(&e->out);
    if (h.more)
        put_text(e, "NextToken", arena_printf(e->arena, "%lld", (long long)h.last));
    json_end_object(&e->out);
    return ok || emulation_fail(e, "InternalFailure", "%s", emulator_store_problem(e->emulator->store));
}

emulator_handler_fn *emulator_handler(struct str name)
{
    static const struct {
        const char *name;
        emulator_handler_fn *fn;
    } operations[] = {
        {"CreateResource", create_resource},       {"GetResource", get_resource},
        {"UpdateResource", update_resource},       {"DeleteResource", delete_resource},
        {"ListResources", list_resources},         {"GetResourceRequestStatus", request_status},
        {"CancelResourceRequest", cancel_request}, {"ListResourceRequests", list_requests},
    };
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (str_eqz(name, operations[i].name))
            return operations[i].fn;
    return NULL;
}
