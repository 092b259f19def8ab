#include "jsonrpc/message.h"

static bool refuse(struct arena *a, enum rpc_code code, const char *message, struct rpc_error *ret)
{
    *ret = (struct rpc_error){.code = code, .message = arena_str(a, str_of(message))};
    return false;
}

/* The JSON parser's message without a file name: "1:17: expected ...". */
static bool refuse_text(struct arena *a, const struct diags *diags, struct rpc_error *ret)
{
    struct str detail = diags->v[0].detail;
    *ret = (struct rpc_error){.code = RPC_NOT_JSON, .message = arena_printf(a, "not JSON: " STR_FMT, STR_ARG(detail))};
    return false;
}

static bool is_id(const struct json *j)
{
    return j->kind == JSON_NUMBER || j->kind == JSON_STRING || j->kind == JSON_NULL;
}

bool rpc_message_read(struct arena *a, struct str line, struct rpc_message *ret, struct rpc_error *ret_error)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, line, "line", &diags);
    if (!j)
        return refuse_text(a, &diags, ret_error);
    if (j->kind == JSON_ARRAY)
        return refuse(a, RPC_NOT_A_REQUEST, "not a request: batches are not supported; send one message per line", ret_error);
    const struct json *version = json_get(j, "jsonrpc"), *method = json_get(j, "method"), *id = json_get(j, "id");
    if (!version || version->kind != JSON_STRING || !str_eqz(version->text, "2.0"))
        return refuse(a, RPC_NOT_A_REQUEST, "not a request: jsonrpc is not \"2.0\"", ret_error);
    if (!method || method->kind != JSON_STRING)
        return refuse(a, RPC_NOT_A_REQUEST, "not a request: method is not a string", ret_error);
    if (id && !is_id(id))
        return refuse(a, RPC_NOT_A_REQUEST, "not a request: id is neither a number nor a string nor null", ret_error);
    const struct json *params = json_get(j, "params");
    *ret = (struct rpc_message){.id = id, .method = method->text, .params = params ? params : json_make_object(a, NULL, 0)};
    return true;
}

struct str rpc_shown(struct arena *a, struct str text)
{
    if (text.n <= RPC_MAX_SHOWN)
        return text;
    size_t n = 0;
    for (size_t next; (next = str_utf8_first(str_slice(text, n, text.n))) > 0 && n + next <= RPC_MAX_SHOWN;)
        n += next;
    return arena_printf(a, STR_FMT "...", STR_ARG(str_slice(text, 0, n)));
}

static void begin(struct json_writer *w)
{
    json_begin_object(w);
    json_key(w, STR("jsonrpc"));
    json_write_string(w, STR("2.0"));
}

static void write_id(struct json_writer *w, const struct json *id)
{
    json_key(w, STR("id"));
    if (id)
        json_write(w, id);
    else
        json_write_null(w);
}

void rpc_begin_answer(struct json_writer *w, const struct json *id)
{
    begin(w);
    write_id(w, id);
    json_key(w, STR("result"));
}

void rpc_begin_notification(struct json_writer *w, struct str method)
{
    begin(w);
    json_key(w, STR("method"));
    json_write_string(w, method);
    json_key(w, STR("params"));
}

bool rpc_end(struct json_writer *w)
{
    json_end_object(w);
    if (!json_finish(w))
        return false;
    buf_addc(w->out, '\n');
    return buf_ok(w->out);
}

void rpc_write_error(struct buf *out, const struct json *id, const struct rpc_error *error)
{
    struct json_writer w = {.out = out};
    begin(&w);
    write_id(&w, id);
    json_key(&w, STR("error"));
    json_begin_object(&w);
    json_key(&w, STR("code"));
    json_write_int(&w, error->code);
    json_key(&w, STR("message"));
    json_write_string(&w, error->message);
    if (error->n_data > 0) {
        json_key(&w, STR("data"));
        json_begin_array(&w);
        for (size_t i = 0; i < error->n_data; i++)
            json_write_string(&w, error->data[i]);
        json_end_array(&w);
    }
    json_end_object(&w);
    (void)rpc_end(&w);
}
