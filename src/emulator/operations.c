/*
 * The eight operations. An operation that changes something is only noted here; it happens when it is due, in settle(), which
 * runs before every call. So a client sees it in progress first, as it does with AWS, and a crash in between loses nothing.
 */
#include "base/vec.h"
#include "cloudcontrol/patch.h"
#include "emulator/private.h"

#include <stdio.h>

enum { MAX_TYPE = 196, MAX_IDENTIFIER = 1024, MAX_MODEL = 64 << 10, ID_ATTEMPTS = 16 };
#define WEEK_NS (INT64_C(7) * 24 * 3600 * NS_PER_S)

/* --- input --- */

static bool wants_text(struct cc_emulation *e, const char *key, size_t max, struct str *ret)
{
    const struct json *j = json_get(e->input, key);
    char member[64];
    (void)snprintf(member, sizeof member, "%s", key);
    member[0] = (char)(member[0] - 'A' + 'a');
    if (!j)
        return cc_emulation_fail(
            e, "ValidationException",
            "1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must not be "
            "null",
            member);
    if (j->kind != JSON_STRING)
        return cc_emulation_fail(e, "SerializationException", "%s is no string", key);
    if (j->text.n == 0 || j->text.n > max)
        return cc_emulation_fail(
            e, "ValidationException",
            "1 validation error detected: Value at '%s' failed to satisfy constraint: Member must have length "
            "between 1 and %zu",
            member, max);
    *ret = j->text;
    return true;
}

static bool may_text(struct cc_emulation *e, const char *key, size_t max, struct str *ret)
{
    *ret = STR_EMPTY;
    return !json_get(e->input, key) || wants_text(e, key, max, ret);
}

/* An unknown type is refused before anything else is looked at. */
static const struct cfn_schema *wants_type(struct cc_emulation *e, struct str *ret)
{
    if (!wants_text(e, "TypeName", MAX_TYPE, ret))
        return NULL;
    const struct cfn_schema *schema = cc_emulator_schema(e->emulator, *ret);
    if (!schema)
        (void)cc_emulation_fail(e, "TypeNotFoundException", "The type '" STR_FMT "' cannot be found.", STR_ARG(*ret));
    return schema;
}

static bool wants_handler(struct cc_emulation *e, const struct cfn_schema *s, enum cfn_handler_kind kind, const char *action)
{
    if (s->handlers[kind].present)
        return true;
    return cc_emulation_fail(e, "UnsupportedActionException", "Resource type " STR_FMT " does not support %s action",
                             STR_ARG(s->type_name), action);
}

/* JSON within JSON; NULL: refused. */
static const struct json *wants_document(struct cc_emulation *e, const char *key, enum json_kind kind)
{
    struct str text;
    if (!wants_text(e, key, MAX_MODEL, &text))
        return NULL;
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct json *document = json_parse(e->arena, text, key, &diags);
    if (document && document->kind == kind)
        return document;
    (void)cc_emulation_fail(e, "ValidationException", "%s is not a JSON %s", key, kind == JSON_OBJECT ? "object" : "array");
    return NULL;
}

static const struct json *stored_model(struct cc_emulation *e, struct str text)
{
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct json *model = json_parse(e->arena, text, "model", &diags);
    return model ? model : json_make_object(e->arena, NULL, 0);
}

/* --- output --- */

static struct str json_line(struct arena *a, const struct json *j)
{
    struct buf text BUF_AUTO = BUF_INIT((size_t)CC_EMULATOR_MAX_BODY * 4);
    struct json_writer w = {.out = &text};
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_copy(&text, a);
}

static void put_text(struct cc_emulation *e, const char *key, struct str text)
{
    if (text.n == 0)
        return;
    json_key(&e->out, str_of(key));
    json_write_string(&e->out, text);
}

static void put_time(struct cc_emulation *e, const char *key, int64_t ns)
{
    json_key(&e->out, str_of(key));
    json_write_number(&e->out, arena_printf(e->arena, "%lld.%03d", (long long)(ns / NS_PER_S), (int)(ns % NS_PER_S / NS_PER_MS)));
}

static void put_progress(struct cc_emulation *e, const struct cc_stored_request *r)
{
    json_begin_object(&e->out);
    put_text(e, "TypeName", r->type);
    if (r->id_known)
        put_text(e, "Identifier", r->id);
    put_text(e, "RequestToken", r->token);
    put_text(e, "Operation", str_of(cc_operation_name(r->operation)));
    put_text(e, "OperationStatus", str_of(cc_status_name(r->status)));
    put_time(e, "EventTime", r->event_ns);
    if (r->status == CC_STATUS_FAILED) {
        put_text(e, "ErrorCode", r->error);
        put_text(e, "StatusMessage", r->message);
    }
    if (r->status == CC_STATUS_IN_PROGRESS && r->due_ns > e->now)
        put_time(e, "RetryAfter", r->due_ns);
    json_end_object(&e->out);
}

static void put_event(struct cc_emulation *e, const struct cc_stored_request *r)
{
    json_begin_object(&e->out);
    json_key(&e->out, STR("ProgressEvent"));
    put_progress(e, r);
    json_end_object(&e->out);
}

static void put_description(struct cc_emulation *e, struct str id, const struct json *properties)
{
    json_begin_object(&e->out);
    put_text(e, "Identifier", id);
    put_text(e, "Properties", json_line(e->arena, properties));
    json_end_object(&e->out);
}

/* --- beginning something --- */

/* True: the same was asked before, and is answered again. *ret_failed: the token belongs to another request. */
static bool is_repetition(struct cc_emulation *e, struct cc_stored_request *r, bool *ret_failed)
{
    struct cc_stored_request earlier;
    *ret_failed = false;
    if (r->client_token.n == 0 || !cc_store_request(e->emulator->store, e->arena, "client_token", r->client_token, &earlier))
        return false;
    if (str_eq(earlier.digest, r->digest)) {
        *r = earlier;
        return true;
    }
    *ret_failed =
        !cc_emulation_fail(e, "ClientTokenConflictException",
                           "ClientToken " STR_FMT " is already associated with an existing operation with RequestToken " STR_FMT,
                           STR_ARG(r->client_token), STR_ARG(earlier.token));
    return false;
}

static bool is_free(struct cc_emulation *e, const struct cc_stored_request *r)
{
    struct cc_stored_request other;
    if (r->id.n == 0 || !cc_store_running(e->emulator->store, e->arena, r->type, r->id, &other))
        return true;
    return cc_emulation_fail(e, "ConcurrentOperationException",
                             "Another operation with RequestToken " STR_FMT " is in progress for the resource " STR_FMT
                             " with identifier " STR_FMT,
                             STR_ARG(other.token), STR_ARG(r->type), STR_ARG(r->id));
}

static bool start_request(struct cc_emulation *e, enum cc_operation operation, struct str type, struct cc_stored_request *ret)
{
    struct cc_stored_request r = {.type = type, .operation = operation, .status = CC_STATUS_IN_PROGRESS, .event_ns = e->now};
    if (!may_text(e, "ClientToken", CC_API_MAX_TOKEN, &r.client_token))
        return false;
    r.digest = sigv4_hash(e->arena, json_line(e->arena, e->input));
    r.token = cc_emulator_uuid(e->emulator, e->arena);
    r.due_ns = e->now + e->emulator->options.latency_ns;
    *ret = r;
    return true;
}

static bool note_request(struct cc_emulation *e, const struct cc_stored_request *r)
{
    if (!is_free(e, r))
        return false;
    if (!cc_store_put_request(e->emulator->store, r))
        return cc_emulation_fail(e, "InternalFailure", "%s", cc_store_problem(e->emulator->store));
    put_event(e, r);
    return true;
}

static bool check_model(struct cc_emulation *e, const struct cfn_schema *s, const struct json *model)
{
    struct str wrong;
    if (cc_model_check(e->arena, s, model, CC_CHECK_CALL, &wrong))
        return true;
    return cc_emulation_fail(e, "ValidationException", "Model validation failed (" STR_FMT ")", STR_ARG(wrong));
}

static bool create_resource(struct cc_emulation *e)
{
    struct str type;
    struct cc_stored_request r;
    bool failed;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s || !wants_handler(e, s, CFN_CREATE, "CREATE") || !start_request(e, CC_OP_CREATE, type, &r))
        return false;
    if (is_repetition(e, &r, &failed)) {
        put_event(e, &r);
        return true;
    }
    const struct json *model = failed ? NULL : wants_document(e, "DesiredState", JSON_OBJECT);
    if (!model || !check_model(e, s, model))
        return false;
    struct str set = cc_model_read_only(e->arena, s, model);
    if (set.n > 0)
        return cc_emulation_fail(e, "ValidationException",
                                 "Model validation failed (#: readOnlyProperties [" STR_FMT "] cannot be set)", STR_ARG(set));
    r.id_known = cc_model_identifier(e->arena, s, model, &r.id);
    r.model = json_line(e->arena, model);
    return note_request(e, &r);
}

static bool not_found(struct cc_emulation *e, struct str type, struct str id)
{
    return cc_emulation_fail(e, "ResourceNotFoundException",
                             STR_FMT " Handler returned status FAILED: Resource of type '" STR_FMT "' with identifier '" STR_FMT
                                     "' was not found. (HandlerErrorCode: NotFound, RequestToken: " STR_FMT ")",
                             STR_ARG(type), STR_ARG(type), STR_ARG(id), STR_ARG(cc_emulator_uuid(e->emulator, e->arena)));
}

/* The model after the patch; NULL: refused. Write-only properties are not in it unless the patch brings them. */
static const struct json *patched(struct cc_emulation *e, const struct cfn_schema *s, const struct json *before)
{
    const struct json *patch = wants_document(e, "PatchDocument", JSON_ARRAY);
    if (!patch)
        return NULL;
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct json *after = cc_patch_apply(e->arena, before, patch, &diags);
    if (!after || after->kind != JSON_OBJECT) {
        (void)cc_emulation_fail(e, "ValidationException", "Invalid patch update: " STR_FMT,
                                STR_ARG(diags.n > 0 ? diags.v[0].detail : STR("the result is no object")));
        return NULL;
    }
    struct str fixed = cc_model_create_only(e->arena, s, before, after);
    if (fixed.n > 0) {
        (void)cc_emulation_fail(e, "NotUpdatableException",
                                "Invalid patch update: createOnlyProperties [" STR_FMT "] cannot be updated", STR_ARG(fixed));
        return NULL;
    }
    fixed = cc_model_read_only_changed(e->arena, s, before, after);
    if (fixed.n > 0) {
        (void)cc_emulation_fail(e, "NotUpdatableException",
                                "Invalid patch update: readOnlyProperties [" STR_FMT "] cannot be updated", STR_ARG(fixed));
        return NULL;
    }
    return check_model(e, s, after) ? after : NULL;
}

static bool update_resource(struct cc_emulation *e)
{
    struct str type, id, text;
    struct cc_stored_request r;
    bool failed;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s || !wants_text(e, "Identifier", MAX_IDENTIFIER, &id) || !wants_handler(e, s, CFN_UPDATE, "UPDATE") ||
        !start_request(e, CC_OP_UPDATE, type, &r))
        return false;
    if (is_repetition(e, &r, &failed)) {
        put_event(e, &r);
        return true;
    }
    if (failed)
        return false;
    if (!cc_store_get(e->emulator->store, e->arena, type, id, &text))
        return not_found(e, type, id);
    const struct json *after = patched(e, s, cc_model_visible(e->arena, s, stored_model(e, text), 0));
    if (!after)
        return false;
    r.id = id;
    r.id_known = true;
    r.model = json_line(e->arena, after);
    return note_request(e, &r);
}

static bool delete_resource(struct cc_emulation *e)
{
    struct str type, id;
    struct cc_stored_request r;
    bool failed;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s || !wants_text(e, "Identifier", MAX_IDENTIFIER, &id) || !wants_handler(e, s, CFN_DELETE, "DELETE") ||
        !start_request(e, CC_OP_DELETE, type, &r))
        return false;
    if (is_repetition(e, &r, &failed)) {
        put_event(e, &r);
        return true;
    }
    r.id = id;
    r.id_known = true;
    return !failed && note_request(e, &r);
}

/* --- doing it --- */

static void fail_request(struct cc_stored_request *r, const char *error, struct str message)
{
    r->status = CC_STATUS_FAILED;
    r->error = str_of(error);
    r->message = message;
}

/* TYPE[/OPERATION]=ERRORCODE, where TYPE may end in *. NULL: not this one. */
static const char *injected_failure(struct cc_emulation *e, const struct cc_stored_request *r)
{
    struct str error = e->emulator->options.fail;
    struct str what = str_cut(&error, '='), operation = what;
    struct str type = str_cut(&operation, '/');
    bool any = str_ends(type, STR("*"));
    struct str stem = any ? str_slice(type, 0, type.n - 1) : type;
    bool matches = any ? str_starts(r->type, stem) : str_eq(r->type, stem);
    bool this_one = operation.n == 0 || str_eqz(operation, cc_operation_name(r->operation));
    return error.n > 0 && matches && this_one ? arena_str(e->arena, error).p : NULL;
}

/* Read-only values are made up until the identifier is one that nobody has. */
static bool finish_model(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r,
                         const struct json *given, const struct json **ret)
{
    const struct cc_emulator_options *o = &e->emulator->options;
    for (int attempt = 0; attempt < ID_ATTEMPTS; attempt++) {
        struct cc_sampler sampler = {
            .arena = e->arena, .schema = s, .account = o->account, .region = o->region, .seed = cc_emulator_random(e->emulator)};
        struct str other;
        *ret = cc_model_complete(&sampler, given);
        if (!cc_model_identifier(e->arena, s, *ret, &r->id))
            return false;
        if (r->id_known || !cc_store_get(e->emulator->store, e->arena, r->type, r->id, &other))
            return true;
    }
    return false;
}

static void finish_create(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r)
{
    const struct json *model;
    struct str other, wrong;
    if (!cc_model_check(e->arena, s, stored_model(e, r->model), CC_CHECK_WHOLE, &wrong)) {
        fail_request(r, "InvalidRequest", arena_printf(e->arena, "Model validation failed (" STR_FMT ")", STR_ARG(wrong)));
        return;
    }
    if (!finish_model(e, s, r, stored_model(e, r->model), &model)) {
        fail_request(r, "InternalFailure", STR("The identifier cannot be made up from the schema."));
        return;
    }
    if (r->id_known && cc_store_get(e->emulator->store, e->arena, r->type, r->id, &other)) {
        fail_request(r, "AlreadyExists",
                     arena_printf(e->arena, "Resource of type '" STR_FMT "' with identifier '" STR_FMT "' already exists.",
                                  STR_ARG(r->type), STR_ARG(r->id)));
        return;
    }
    r->id_known = true;
    r->status = CC_STATUS_SUCCESS;
    (void)cc_store_put(e->emulator->store, r->type, r->id, json_line(e->arena, model));
}

static void finish_update(struct cc_emulation *e, const struct cfn_schema *s, struct cc_stored_request *r)
{
    struct str wrong;
    const struct json *model = stored_model(e, r->model);
    if (!cc_model_check(e->arena, s, model, CC_CHECK_WHOLE, &wrong)) {
        fail_request(r, "InvalidRequest", arena_printf(e->arena, "Model validation failed (" STR_FMT ")", STR_ARG(wrong)));
        return;
    }
    const struct cc_emulator_options *o = &e->emulator->options;
    struct cc_sampler sampler = {
        .arena = e->arena, .schema = s, .account = o->account, .region = o->region, .seed = cc_emulator_random(e->emulator)};
    r->status = CC_STATUS_SUCCESS;
    (void)cc_store_put(e->emulator->store, r->type, r->id, json_line(e->arena, cc_model_complete(&sampler, model)));
}

static void finish_delete(struct cc_emulation *e, struct cc_stored_request *r)
{
    struct str text;
    if (!cc_store_get(e->emulator->store, e->arena, r->type, r->id, &text)) {
        fail_request(r, "NotFound",
                     arena_printf(e->arena, "Resource of type '" STR_FMT "' with identifier '" STR_FMT "' was not found.",
                                  STR_ARG(r->type), STR_ARG(r->id)));
        return;
    }
    r->status = CC_STATUS_SUCCESS;
    (void)cc_store_delete(e->emulator->store, r->type, r->id);
}

static void finish_request(struct cc_emulation *e, struct cc_stored_request *r)
{
    const struct cfn_schema *s = cc_emulator_schema(e->emulator, r->type);
    const char *injected = injected_failure(e, r);
    if (r->status == CC_STATUS_CANCEL_IN_PROGRESS)
        r->status = CC_STATUS_CANCEL_COMPLETE;
    else if (injected)
        fail_request(r, injected, arena_printf(e->arena, "The emulator was told to fail so (%s).", injected));
    else if (!s)
        fail_request(r, "InternalFailure", STR("The pack has no such type any more."));
    else if (r->operation == CC_OP_CREATE)
        finish_create(e, s, r);
    else if (r->operation == CC_OP_UPDATE)
        finish_update(e, s, r);
    else
        finish_delete(e, r);
    r->event_ns = e->now;
}

bool cc_emulation_settle(struct cc_emulation *e)
{
    struct cc_stored_request r;
    while (cc_store_due(e->emulator->store, e->arena, e->now, &r)) {
        finish_request(e, &r);
        if (!cc_store_put_request(e->emulator->store, &r))
            return cc_emulation_fail(e, "InternalFailure", "%s", cc_store_problem(e->emulator->store));
    }
    return cc_store_forget(e->emulator->store, e->now - WEEK_NS);
}

/* --- asking --- */

static bool get_resource(struct cc_emulation *e)
{
    struct str type, id, text;
    const struct cfn_schema *s = wants_type(e, &type);
    if (!s || !wants_text(e, "Identifier", MAX_IDENTIFIER, &id) || !wants_handler(e, s, CFN_READ, "READ"))
        return false;
    if (!cc_store_get(e->emulator->store, e->arena, type, id, &text))
        return not_found(e, type, id);
    uint64_t shuffle = e->emulator->options.keep_order ? 0 : cc_emulator_random(e->emulator) | 1;
    json_begin_object(&e->out);
    put_text(e, "TypeName", type);
    json_key(&e->out, STR("ResourceDescription"));
    put_description(e, id, cc_model_visible(e->arena, s, stored_model(e, text), shuffle));
    json_end_object(&e->out);
    return true;
}

static bool wants_page(struct cc_emulation *e, size_t *ret_max, struct str *ret_after)
{
    const struct json *max = json_get(e->input, "MaxResults");
    int64_t n = json_int(max, max ? 0 : CC_EMULATOR_PAGE);
    if (n < 1 || n > CC_EMULATOR_MAX_PAGE)
        return cc_emulation_fail(
            e, "ValidationException",
            "1 validation error detected: Value at 'maxResults' failed to satisfy constraint: Member must be "
            "between 1 and %d",
            CC_EMULATOR_MAX_PAGE);
    *ret_max = (size_t)n;
    return may_text(e, "NextToken", (size_t)MAX_IDENTIFIER * 2, ret_after);
}

/* A token is the last identifier in hexadecimal digits: opaque enough, and good after a restart. */
static struct str make_token(struct arena *a, struct str last)
{
    struct buf text BUF_AUTO = BUF_INIT((size_t)MAX_IDENTIFIER * 4);
    for (size_t i = 0; i < last.n; i++)
        buf_printf(&text, "%02x", (unsigned char)last.p[i]);
    return buf_copy(&text, a);
}

static bool read_token(struct cc_emulation *e, struct str token, struct str *ret)
{
    struct buf text BUF_AUTO = BUF_INIT((size_t)MAX_IDENTIFIER * 2);
    for (size_t i = 0; i + 1 < token.n; i += 2) {
        unsigned byte;
        char digits[3] = {token.p[i], token.p[i + 1], '\0'};
        if (strspn(digits, "0123456789abcdef") != 2 || sscanf(digits, "%x", &byte) != 1)
            return cc_emulation_fail(e, "InvalidRequestException", "The NextToken is invalid.");
        buf_addc(&text, (char)byte);
    }
    *ret = buf_copy(&text, e->arena);
    return true;
}

struct listing {
    struct cc_emulation *e;
    const struct cfn_schema *schema;
    const struct json *wanted; /* properties that must be equal; NULL: all objects */
    size_t max, n;
    struct str last;
    bool more;
};

static bool list_one(void *ctx, struct str id, struct str text)
{
    struct listing *l = ctx;
    const struct json *model = stored_model(l->e, text);
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
    put_description(l->e, l->last, cc_model_identity(l->e->arena, l->schema, model));
    return true;
}

/* Some types can only be listed when it is said of what: a handlerSchema with required properties. */
static bool check_list_model(struct cc_emulation *e, const struct cfn_schema *s, const struct json *model)
{
    const struct cfn_handler *h = &s->handlers[CFN_LIST];
    for (size_t i = 0; i < h->required.n; i++)
        if (!json_get_str(model, h->required.v[i]))
            return cc_emulation_fail(e, "InvalidRequestException",
                                     "Missing or invalid ResourceModel property in " STR_FMT
                                     " list handler request input. Required property: (#: required key [" STR_FMT "] not found)",
                                     STR_ARG(s->type_name), STR_ARG(h->required.v[i]));
    return true;
}

static bool list_resources(struct cc_emulation *e)
{
    struct str type, token, after = STR_EMPTY;
    struct listing l = {.e = e};
    l.schema = wants_type(e, &type);
    if (!l.schema || !wants_handler(e, l.schema, CFN_LIST, "LIST") || !wants_page(e, &l.max, &token) ||
        !read_token(e, token, &after))
        return false;
    if (json_get(e->input, "ResourceModel") && !(l.wanted = wants_document(e, "ResourceModel", JSON_OBJECT)))
        return false;
    if (!check_list_model(e, l.schema, l.wanted))
        return false;
    json_begin_object(&e->out);
    put_text(e, "TypeName", type);
    json_key(&e->out, STR("ResourceDescriptions"));
    json_begin_array(&e->out);
    bool ok = cc_store_each(e->emulator->store, type, after, list_one, &l);
    json_end_array(&e->out);
    if (l.more)
        put_text(e, "NextToken", make_token(e->arena, l.last));
    json_end_object(&e->out);
    return ok || cc_emulation_fail(e, "InternalFailure", "%s", cc_store_problem(e->emulator->store));
}

static bool wants_request(struct cc_emulation *e, struct cc_stored_request *ret)
{
    struct str token;
    if (!wants_text(e, "RequestToken", CC_API_MAX_TOKEN, &token))
        return false;
    if (cc_store_request(e->emulator->store, e->arena, "token", token, ret))
        return true;
    return cc_emulation_fail(e, "RequestTokenNotFoundException", "Request with token " STR_FMT " was not found", STR_ARG(token));
}

static bool request_status(struct cc_emulation *e)
{
    struct cc_stored_request r;
    if (!wants_request(e, &r))
        return false;
    put_event(e, &r);
    return true;
}

/* What was done stays done. */
static bool cancel_request(struct cc_emulation *e)
{
    struct cc_stored_request r;
    if (!wants_request(e, &r))
        return false;
    if (r.status == CC_STATUS_SUCCESS || r.status == CC_STATUS_FAILED)
        return cc_emulation_fail(e, "ValidationException", "Request " STR_FMT " is already in status %s", STR_ARG(r.token),
                                 cc_status_name(r.status));
    if (r.status != CC_STATUS_CANCEL_COMPLETE) {
        r.status = CC_STATUS_CANCEL_IN_PROGRESS;
        r.event_ns = e->now;
        if (!cc_store_put_request(e->emulator->store, &r))
            return cc_emulation_fail(e, "InternalFailure", "%s", cc_store_problem(e->emulator->store));
    }
    put_event(e, &r);
    return true;
}

struct history {
    struct cc_emulation *e;
    const struct json *operations, *statuses;
    size_t max, n;
    int64_t last;
    bool more;
};

static bool is_listed(const struct json *wanted, const char *name)
{
    if (!wanted || wanted->kind != JSON_ARRAY || wanted->array.n == 0)
        return true;
    for (size_t i = 0; i < wanted->array.n; i++)
        if (str_eqz(json_text(wanted->array.items[i], STR_EMPTY), name))
            return true;
    return false;
}

static bool list_request(void *ctx, const struct cc_stored_request *r)
{
    struct history *h = ctx;
    if (!is_listed(h->operations, cc_operation_name(r->operation)) || !is_listed(h->statuses, cc_status_name(r->status)))
        return true;
    if (h->n == h->max) {
        h->more = true;
        return false;
    }
    h->n++;
    h->last = r->number;
    put_progress(h->e, r);
    return true;
}

static bool list_requests(struct cc_emulation *e)
{
    struct history h = {.e = e};
    struct str token;
    int64_t before = 0;
    const struct json *filter = json_get(e->input, "ResourceRequestStatusFilter");
    if (!wants_page(e, &h.max, &token))
        return false;
    if (token.n > 0 && !str_to_i64(token, &before))
        return cc_emulation_fail(e, "InvalidRequestException", "The NextToken is invalid.");
    h.operations = json_get(filter, "Operations");
    h.statuses = json_get(filter, "OperationStatuses");
    json_begin_object(&e->out);
    json_key(&e->out, STR("ResourceRequestStatusSummaries"));
    json_begin_array(&e->out);
    bool ok = cc_store_each_request(e->emulator->store, e->arena, before, list_request, &h);
    json_end_array(&e->out);
    if (h.more)
        put_text(e, "NextToken", arena_printf(e->arena, "%lld", (long long)h.last));
    json_end_object(&e->out);
    return ok || cc_emulation_fail(e, "InternalFailure", "%s", cc_store_problem(e->emulator->store));
}

cc_operation_fn *cc_emulator_operation(struct str name)
{
    static const struct {
        const char *name;
        cc_operation_fn *fn;
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
