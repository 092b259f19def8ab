#include "import/api.h"

#include "aws/arn.h"
#include "aws/credentials.h"
#include "aws/sigv4.h"
#include "aws/xml.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/env.h"
#include "base/lock.h"
#include "base/vec.h"

enum { MAX_BODY = 1 << 20, MAX_CALL_HEADERS = 16, MAX_TOKENS = 8, ATTEMPT_S = 60 };

struct api {
    struct arena *arena;
    struct api_options options;
    struct aws_settings settings;
    struct aws_config aws;
    struct http *http;
    struct aws_caller *caller;
    struct aws_credentials *credentials; /* NULL: no row uses AWS */
    struct aws_role role, web_role;
    VEC(struct pick_fact) list;
    struct pick_facts facts;
    pthread_mutex_t lock; /* guards `asked` and the facts that are requested */
    bool asked;
};

/* --- settings --- */

/* In JSON a single block may be written without the list around it. */
static const struct json *block_of(const struct json *config, const char *name)
{
    const struct json *j = json_get(config, name);
    if (j && j->kind == JSON_ARRAY)
        j = j->array.n > 0 ? j->array.items[0] : NULL;
    return j && j->kind == JSON_OBJECT ? j : NULL;
}

static struct str text_of(const struct json *j, const char *name)
{
    return json_text(json_get(j, name), STR_EMPTY);
}

static const struct str *texts_of(struct arena *a, const struct json *config, const char *name, size_t *ret_n)
{
    const struct json *j = json_get(config, name);
    size_t n = j && j->kind == JSON_ARRAY ? j->array.n : 0;
    struct str *list = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++)
        list[i] = json_text(j->array.items[i], STR_EMPTY);
    *ret_n = n;
    return list;
}

static const struct aws_role *read_role(const struct json *config, const char *name, struct aws_role *role)
{
    const struct json *j = block_of(config, name);
    int64_t ns = 0;
    if (!j || text_of(j, "role_arn").n == 0)
        return NULL;
    *role = (struct aws_role){
        .arn = text_of(j, "role_arn"),
        .session_name = text_of(j, "session_name"),
        .external_id = text_of(j, "external_id"),
        .policy = text_of(j, "policy"),
        .source_identity = text_of(j, "source_identity"),
        .web_token = text_of(j, "web_identity_token"),
        .web_token_file = text_of(j, "web_identity_token_file"),
    };
    if (duration_parse(text_of(j, "duration"), &ns))
        role->duration_s = ns / NS_PER_S;
    return role;
}

static void read_settings(struct api *api)
{
    const struct json *config = api->options.config;
    struct aws_settings *s = &api->settings;
    struct str metadata = text_of(config, "skip_metadata_api_check");
    *s = (struct aws_settings){
        .env = api->options.env,
        .access_key = text_of(config, "access_key"),
        .secret_key = text_of(config, "secret_key"),
        .token = text_of(config, "token"),
        .profile = text_of(config, "profile"),
        .region = text_of(config, "region"),
        .assume_role = read_role(config, "assume_role", &api->role),
        .assume_web_role = read_role(config, "assume_role_with_web_identity", &api->web_role),
        .metadata =
            str_eqz(metadata, "true") || json_bool(json_get(config, "skip_metadata_api_check"), false) ? AWS_OFF : AWS_UNSET,
    };
    s->config_files = texts_of(api->arena, config, "shared_config_files", &s->n_config_files);
    s->credentials_files = texts_of(api->arena, config, "shared_credentials_files", &s->n_credentials_files);
}

static void add_fact(struct api *api, struct str name, struct str value)
{
    *VEC_PUSH(api->arena, &api->list) = (struct pick_fact){arena_str(api->arena, name).p, value};
    api->facts = (struct pick_facts){api->list.v, api->list.n};
}

/* Do the rows use AWS? Other APIs need none of its settings, and must not fail because of them. */
static bool needs_aws(const struct rows *rows)
{
    for (size_t i = 0; i < rows->rows.n; i++) {
        const struct row *row = rows->rows.entries[i].value;
        if (row->service && row->service->protocol != ROW_REST)
            return true;
    }
    return false;
}

static void gather_facts(struct api *api, bool aws)
{
    const struct json *config = api->options.config;
    add_fact(api, STR("region"), aws ? api->aws.region : api->settings.region);
    if (aws)
        add_fact(api, STR("partition"), str_of(aws_partition_of(api->aws.region)->name));
    for (size_t i = 0; config && config->kind == JSON_OBJECT && i < config->object.n; i++) {
        const struct json_member *m = &config->object.members[i];
        if (m->value->kind == JSON_STRING || m->value->kind == JSON_NUMBER)
            add_fact(api, arena_printf(api->arena, "config." STR_FMT, STR_ARG(m->key)), m->value->text);
    }
    for (const char *const *e = api->options.env; e && *e; e++) {
        struct str value = str_of(*e), name = str_cut(&value, '=');
        add_fact(api, arena_printf(api->arena, "env." STR_FMT, STR_ARG(name)), value);
    }
}

static const char *maybe(struct arena *a, const struct json *config, const char *name)
{
    const struct json *j = json_get(config, name);
    return j && j->kind == JSON_STRING ? arena_str(a, j->text).p : NULL;
}

static bool open_parts(struct api *api, struct diags *diags)
{
    const struct api_options *o = &api->options;
    struct arena *a = api->arena;
    bool aws = needs_aws(o->rows);
    read_settings(api);
    if (aws && !aws_config_read(a, &api->settings, diags, &api->aws))
        return false;
    struct http_proxies stated = {maybe(a, o->config, "http_proxy"), maybe(a, o->config, "https_proxy"),
                                  maybe(a, o->config, "no_proxy")};
    const char *ca = maybe(a, o->config, "custom_ca_bundle");
    struct http_options http = {
        .loop = o->loop,
        .ca_file = ca                       ? ca
                   : api->aws.ca_file.n > 0 ? api->aws.ca_file.p
                                            : NULL,
        .insecure = json_bool(json_get(o->config, "insecure"), false),
        .proxies = http_proxies(&stated, o->env, NULL),
        .user_agent = STR("terrane/" TERRANE_VERSION),
    };
    api->http = http_new(&http, diags);
    if (!api->http)
        return false;
    api->caller = aws_caller_new(
        &(struct aws_caller_options){.http = api->http, .time = o->time, .log = o->log, .max_attempts = API_ATTEMPTS});
    gather_facts(api, aws);
    return !aws || aws_credentials_new(
                       &(struct aws_credentials_options){
                           .settings = &api->settings, .caller = api->caller, .loop = o->loop, .log = o->log},
                       diags, &api->credentials);
}

bool api_open(const struct api_options *options, struct diags *diags, struct api **ret)
{
    struct arena *a = arena_new(NULL, 0);
    struct api *api = arena_make(a, struct api);
    api->arena = a;
    api->options = *options;
    mutex_init(&api->lock);
    if (!open_parts(api, diags)) {
        api_close(api);
        return false;
    }
    *ret = api;
    return true;
}

void api_close(struct api *api)
{
    if (!api)
        return;
    aws_credentials_free(api->credentials);
    aws_caller_free(api->caller);
    http_free(api->http);
    mutex_destroy(&api->lock);
    arena_free(api->arena);
}

/* --- addresses --- */

static struct str environment_address(const struct api *api, struct arena *a, struct str name)
{
    char *upper = (char *)arena_printf(a, "AWS_ENDPOINT_URL_" STR_FMT, STR_ARG(name)).p;
    for (char *c = upper; *c; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c == '-' ? '_' : *c;
    struct str own = str_of(env_get(api->options.env, upper));
    return own.n > 0 ? own : str_of(env_get(api->options.env, "AWS_ENDPOINT_URL"));
}

static struct str stated_address(const struct api *api, struct str name)
{
    const struct json *endpoints = json_get(api->options.config, "endpoints");
    if (endpoints && endpoints->kind == JSON_OBJECT)
        return json_text(json_get_str(endpoints, name), STR_EMPTY);
    for (size_t i = 0; endpoints && endpoints->kind == JSON_ARRAY && i < endpoints->array.n; i++) {
        struct str url = json_text(json_get_str(endpoints->array.items[i], name), STR_EMPTY);
        if (url.n > 0)
            return url;
    }
    return STR_EMPTY;
}

static struct str own_address(const struct api *api, struct arena *a, const struct row_service *s)
{
    struct str url = stated_address(api, s->name);
    for (size_t i = 0; url.n == 0 && s->endpoints && i < s->endpoints->array.n; i++)
        url = stated_address(api, json_text(s->endpoints->array.items[i], STR_EMPTY));
    return url.n > 0 ? url : environment_address(api, a, s->name);
}

bool api_is_own(const struct api *api, const struct row_service *service)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return own_address(api, scratch, service).n > 0;
}

/* Is any configured endpoint an http: one? */
static bool is_emulator(const struct api *api)
{
    const struct json *endpoints = json_get(api->options.config, "endpoints");
    const struct json *const *all = endpoints && endpoints->kind == JSON_ARRAY ? endpoints->array.items : &endpoints;
    size_t n = !endpoints ? 0 : endpoints->kind == JSON_ARRAY ? endpoints->array.n : 1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; all[i]->kind == JSON_OBJECT && k < all[i]->object.n; k++)
            if (str_starts(json_text(all[i]->object.members[k].value, STR_EMPTY), STR("http:")))
                return true;
    return false;
}

bool api_reaches(const struct api *api, const struct row_service *service)
{
    return service->protocol == ROW_REST || api_is_own(api, service) || !is_emulator(api);
}

static bool find_endpoint(struct api *api, struct arena *a, const struct row_service *s, struct aws_endpoint *ret,
                          struct diags *diags)
{
    struct str region = s->region.n > 0 ? s->region : api->aws.region;
    struct str url = s->protocol == ROW_REST ? STR_EMPTY : own_address(api, a, s);
    if (s->protocol == ROW_REST && !pick_fill(a, NULL, &api->facts, s->url, &url))
        return diags_fail(diags, "Missing setting",
                          "The address of service " STR_FMT " is made of \"" STR_FMT "\", and something in it is not set.",
                          STR_ARG(s->name), STR_ARG(s->url));
    if (s->protocol != ROW_REST && !aws_region_valid(region))
        return diags_fail(diags, "Missing region",
                          "No AWS region is set. Set `region` in the provider's configuration, or AWS_REGION.");
    if (url.n == 0 && str_ends(s->host, STR(".com")))
        url = arena_printf(a, "https://" STR_FMT, STR_ARG(s->host));
    if (url.n == 0)
        url = arena_printf(a, "https://" STR_FMT "." STR_FMT ".%s", STR_ARG(s->host.n > 0 ? s->host : s->name), STR_ARG(region),
                           aws_partition_of(region)->suffix);
    if (!aws_endpoint_of_url(a, http_curl(api->http), url, ret))
        return diags_fail(diags, "Invalid endpoint", "\"" STR_FMT "\" is not a valid address for service " STR_FMT ".",
                          STR_ARG(str_slice(url, 0, 200)), STR_ARG(s->name));
    ret->region = region;
    ret->signing_name = arena_str(a, s->signing.n > 0 ? s->signing : s->name).p;
    return true;
}

/* Requests the account once; if that fails, rows that need it find nothing. */
const struct pick_facts *api_facts(struct api *api)
{
    mutex_lock(&api->lock);
    if (!api->asked && api->credentials) {
        struct row_service sts = {.name = STR("sts"), .protocol = ROW_QUERY};
        struct aws_endpoint endpoint;
        struct aws_identity who;
        struct aws_failure failure;
        struct diags quiet;
        diags_init(&quiet, api->arena);
        api->asked = true;
        if (api_reaches(api, &sts) && find_endpoint(api, api->arena, &sts, &endpoint, &quiet) &&
            aws_sts_identity(api->caller, &endpoint, api->arena, api->credentials, api->options.cancel, NO_DEADLINE, &who,
                             &failure))
            add_fact(api, STR("account"), who.account);
    }
    mutex_unlock(&api->lock);
    return &api->facts;
}

/* --- one call --- */

struct asking {
    struct api *api;
    struct arena *arena;
    const struct row *row;
    const struct picked *parent;
    const struct pick_facts *facts;
    struct str tokens[MAX_TOKENS]; /* for the next page */
    size_t n_tokens;
    size_t page;
};

struct body {
    struct str method, path, query, text;
};

static bool fill(const struct asking *q, struct str template, struct str *ret)
{
    /* Paths in parameters refer to the row's parent: ^ is the parent. */
    struct picked here = {.item = json_make_null(q->arena), .parent = q->parent};
    return pick_fill(q->arena, &here, q->facts, template, ret);
}

static void add_parameter(struct buf *out, struct str name, struct str value)
{
    if (out->n > 0)
        buf_addc(out, '&');
    sigv4_encode(out, name, false);
    buf_addc(out, '=');
    sigv4_encode(out, value, false);
}

static struct str token_of(const struct asking *q, size_t i)
{
    return i < q->n_tokens ? q->tokens[i] : STR_EMPTY;
}

/* Writes the parameters and the page token as a form. */
static bool form(const struct asking *q, struct buf *out)
{
    const struct json *p = q->row->parameters;
    for (size_t i = 0; p && i < p->object.n; i++) {
        struct str value;
        if (!fill(q, json_text(p->object.members[i].value, STR_EMPTY), &value))
            return false;
        add_parameter(out, p->object.members[i].key, value);
    }
    struct str names = q->row->page.in;
    for (size_t i = 0; names.n > 0 && i < q->n_tokens; i++) {
        struct str name = str_cut(&names, ',');
        if (token_of(q, i).n > 0)
            add_parameter(out, name, token_of(q, i));
    }
    return buf_ok(out);
}

static bool write_filled(const struct asking *q, struct json_writer *w, const struct json *j)
{
    struct str text;
    switch (j->kind) {
    case JSON_STRING:
        if (!fill(q, j->text, &text))
            return false;
        json_write_string(w, text);
        return true;
    case JSON_ARRAY:
        json_begin_array(w);
        for (size_t i = 0; i < j->array.n; i++)
            if (!write_filled(q, w, j->array.items[i]))
                return false;
        json_end_array(w);
        return true;
    case JSON_OBJECT:
        json_begin_object(w);
        for (size_t i = 0; i < j->object.n; i++) {
            json_key(w, j->object.members[i].key);
            if (!write_filled(q, w, j->object.members[i].value))
                return false;
        }
        json_end_object(w);
        return true;
    default:
        json_write(w, j);
        return true;
    }
}

static bool json_body(const struct asking *q, struct buf *out)
{
    struct json_writer w = {.out = out};
    const struct json *p = q->row->parameters;
    json_begin_object(&w);
    for (size_t i = 0; p && i < p->object.n; i++) {
        json_key(&w, p->object.members[i].key);
        if (!write_filled(q, &w, p->object.members[i].value))
            return false;
    }
    struct str names = q->row->page.in;
    for (size_t i = 0; names.n > 0 && i < q->n_tokens; i++) {
        struct str name = str_cut(&names, ',');
        if (token_of(q, i).n == 0)
            continue;
        json_key(&w, name);
        json_write_string(&w, token_of(q, i));
    }
    json_end_object(&w);
    return json_finish(&w);
}

/* Fills a path such as /buckets/{^Name}?policy: values are percent-encoded, the template's own text is not. */
static bool fill_path(const struct asking *q, struct str template, struct buf *out)
{
    while (template.n > 0) {
        size_t open = str_find(template, '{', 0), end = open == SIZE_MAX ? SIZE_MAX : str_find(template, '}', open);
        struct str value;
        buf_add(out, str_slice(template, 0, open));
        if (end == SIZE_MAX)
            break;
        if (!fill(q, str_slice(template, open, end + 1), &value))
            return false;
        sigv4_encode(out, value, false);
        template = str_slice(template, end + 1, template.n);
    }
    return buf_ok(out);
}

/* "GET /a/{^b}?c" */
static bool rest_body(const struct asking *q, struct buf *path, struct buf *out, struct body *ret)
{
    struct str template = q->row->call;
    ret->method = str_cut(&template, ' ');
    if (!fill_path(q, template, path))
        return false;
    struct str query = buf_copy(path, q->arena);
    ret->path = str_cut(&query, '?');
    bool get = str_eqz(ret->method, "GET");
    if (!get && !json_body(q, out))
        return false;
    struct buf more BUF_AUTO = BUF_INIT(MAX_BODY);
    if (query.n > 0)
        buf_printf(&more, STR_FMT "%s", STR_ARG(query), str_find(query, '=', 0) == SIZE_MAX ? "=" : "");
    if (get && !form(q, &more))
        return false;
    ret->query = buf_copy(&more, q->arena);
    return true;
}

static bool make_body(const struct asking *q, struct body *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_BODY), path BUF_AUTO = BUF_INIT(MAX_BODY);
    const struct row_service *s = q->row->service;
    bool ok = true;
    *ret = (struct body){.method = STR("POST"), .path = STR("/"), .query = STR_EMPTY};
    switch (s->protocol) {
    case ROW_QUERY:
    case ROW_EC2:
        add_parameter(&out, STR("Action"), q->row->call);
        add_parameter(&out, STR("Version"), s->version);
        ok = form(q, &out);
        break;
    case ROW_JSON:
        ok = json_body(q, &out);
        break;
    default:
        ok = rest_body(q, &path, &out, ret);
    }
    ret->text = buf_copy(&out, q->arena);
    return ok && buf_ok(&out);
}

static size_t make_headers(const struct asking *q, const struct body *body, struct http_header headers[MAX_CALL_HEADERS])
{
    const struct row_service *s = q->row->service;
    size_t n = 0;
    if (body->text.n > 0 || s->protocol == ROW_JSON)
        headers[n++] = (struct http_header){STR("Content-Type"), s->content_type};
    if (s->protocol == ROW_JSON)
        headers[n++] = (struct http_header){
            STR("X-Amz-Target"), arena_printf(q->arena, STR_FMT "." STR_FMT, STR_ARG(s->target), STR_ARG(q->row->call))};
    if (s->protocol == ROW_REST_XML)
        headers[n++] = (struct http_header){STR("X-Amz-Content-Sha256"), sigv4_hash(q->arena, body->text)};
    if (s->protocol == ROW_REST)
        headers[n++] = (struct http_header){STR("Accept"), STR("application/json")};
    for (size_t i = 0; s->headers && i < s->headers->object.n && n < MAX_CALL_HEADERS; i++) {
        const struct json_member *m = &s->headers->object.members[i];
        size_t many = m->value->kind == JSON_ARRAY ? m->value->array.n : 1;
        struct str value;
        for (size_t k = 0; k < many; k++)
            if (fill(q, json_text(m->value->kind == JSON_ARRAY ? m->value->array.items[k] : m->value, STR_EMPTY), &value)) {
                headers[n++] = (struct http_header){m->key, value};
                break;
            }
    }
    return n;
}

/* A failing service is retried only a few times; aws_call() itself handles throttling. */
static enum aws_retry retry(struct str name, long status)
{
    (void)name;
    return status >= 500 && status != 501 ? AWS_RETRY_FEW : AWS_RETRY_NO;
}

/* A call that an emulator does not know (500 and no AWS error) is not retried. */
static enum aws_retry retry_emulator(struct str name, long status)
{
    return name.n > 0 || status != 500 ? retry(name, status) : AWS_RETRY_NO;
}

static bool read_any_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message)
{
    return aws_read_json_error(a, response, ret_name, ret_message) || aws_read_xml_error(a, response, ret_name, ret_message);
}

static bool is_absent(const struct row *row, const struct aws_failure *f)
{
    char status[16];
    (void)snprintf(status, sizeof status, "%ld", f->status);
    for (size_t i = 0; row->absent && i < row->absent->array.n; i++) {
        struct str name = json_text(row->absent->array.items[i], STR_EMPTY);
        if (str_eq(name, f->name) || str_eqz(name, status))
            return true;
    }
    return false;
}

/* The answer without its wrapping elements: root element, XxxResult. */
static const struct json *unwrapped(const struct asking *q, const struct http_response *response)
{
    enum row_protocol protocol = q->row->service->protocol;
    struct diags quiet;
    diags_init(&quiet, q->arena);
    bool xml = str_starts(str_trim(response->body), STR("<")); /* an XML service also returns JSON, such as a bucket's policy */
    if (!xml)
        return str_trim(response->body).n == 0 ? json_make_object(q->arena, NULL, 0)
                                               : json_parse(q->arena, response->body, "answer", &quiet);
    const struct json *tree = aws_xml_tree(q->arena, response->body);
    if (tree && tree->object.n == 1)
        tree = tree->object.members[0].value;
    for (size_t i = 0; tree && protocol == ROW_QUERY && tree->kind == JSON_OBJECT && i < tree->object.n; i++)
        if (str_ends(tree->object.members[i].key, STR("Result")))
            return tree->object.members[i].value;
    return tree;
}

/* *ret NULL: nothing exists. */
static bool ask(const struct asking *q, struct diags *diags, const struct json **ret, bool *ret_unknown)
{
    struct api *api = q->api;
    const struct row *row = q->row;
    struct http_header headers[MAX_CALL_HEADERS];
    struct aws_endpoint endpoint;
    struct body body;
    struct http_response response;
    struct aws_failure failure = {0};
    bool throttled;
    *ret = NULL;
    if (!find_endpoint(api, q->arena, row->service, &endpoint, diags))
        return false;
    if (!make_body(q, &body))
        return true; /* the parent lacks a value that the call needs, so it has no such objects */
    struct aws_call call = {
        .endpoint = &endpoint,
        .method = arena_str(q->arena, body.method).p,
        .path = body.path,
        .query = body.query,
        .headers = headers,
        .n_headers = make_headers(q, &body, headers),
        .body = body.text,
        .operation = arena_str(q->arena, row->call).p,
        .credentials = row->service->protocol == ROW_REST ? NULL : api->credentials,
        .timeout_ns = ATTEMPT_S * NS_PER_S,
        .cancel = api->options.cancel,
        .read_error = read_any_error,
        .ret_throttled = &throttled,
        .retry = is_emulator(api) ? retry_emulator : retry,
    };
    if (!rates_take(api->options.rates, row->service->name, api->options.cancel))
        return diags_fail(diags, "Interrupted", "The objects were not listed.");
    bool ok = aws_call(api->caller, q->arena, &call, &response, &failure);
    if (throttled)
        rates_refused(api->options.rates, row->service->name);
    else if (ok)
        rates_answered(api->options.rates, row->service->name);
    if (ok) {
        *ret = unwrapped(q, &response);
        return *ret || diags_fail(diags, "Answer cannot be read", STR_FMT " " STR_FMT ": the answer is not well-formed.",
                                  STR_ARG(row->service->name), STR_ARG(row->call));
    }
    if (is_absent(row, &failure))
        return true;
    *ret_unknown = failure.kind == AWS_FAIL_ANSWER && api_is_own(api, row->service);
    return diags_fail(diags, "Objects cannot be listed", STR_FMT " " STR_FMT ": " STR_FMT, STR_ARG(row->service->name),
                      STR_ARG(row->call), STR_ARG(aws_failure_text(q->arena, &failure)));
}

/* --- pages --- */

/* Prepares the request of the next page; false: this was the last page. */
static bool next_page(struct asking *q, const struct json *answer, size_t found)
{
    struct str paths = q->row->page.out;
    struct picked at = {.item = answer};
    bool more = false, same = true;
    if (str_eqz(paths, "+")) {
        q->tokens[0] = arena_printf(q->arena, "%zu", q->page + 2);
        q->n_tokens = 1;
        return found > 0;
    }
    for (size_t i = 0; paths.n > 0 && i < MAX_TOKENS; i++) {
        struct str path = str_cut(&paths, ','), token = STR_EMPTY;
        (void)pick_text(q->arena, &at, path, &token);
        more |= i == 0 && token.n > 0;
        same &= i < q->n_tokens && str_eq(token, q->tokens[i]);
        q->tokens[i] = token;
        q->n_tokens = i + 1 > q->n_tokens ? i + 1 : q->n_tokens;
    }
    return more && !same;
}

bool api_items(struct api *api, struct arena *a, const struct row *row, const struct picked *parent, struct pick_values *ret,
               struct diags *diags, bool *ret_unknown)
{
    struct asking q = {.api = api, .arena = a, .row = row, .parent = parent, .facts = api_facts(api)};
    VEC(const struct json *) all = {0};
    *ret_unknown = false;
    for (q.page = 0;; q.page++) {
        const struct json *answer;
        if (q.page == API_MAX_PAGES)
            return diags_fail(diags, "Too many pages", STR_FMT " " STR_FMT " has more than %d pages.",
                              STR_ARG(row->service->name), STR_ARG(row->call), API_MAX_PAGES);
        if (!ask(&q, diags, &answer, ret_unknown))
            return false;
        if (!answer)
            break;
        struct pick_values items = pick_all(a, answer, row->items);
        for (size_t i = 0; i < items.n; i++)
            *VEC_PUSH(a, &all) = items.v[i];
        if (!next_page(&q, answer, items.n))
            break;
    }
    *ret = (struct pick_values){all.v, all.n};
    return true;
}
