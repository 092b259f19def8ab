/*
 * Reads any bytes as a stream of requests: splitting, parsing and reading parameters must never crash, each line is either
 * accepted or refused, and its answer must be one line of JSON.
 */
#include "base/must.h"
#include "jsonrpc/lines.h"
#include "jsonrpc/params.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20, MAX_LINE = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(struct arena *a, const struct buf *line)
{
    struct diags diags;
    diags_init(&diags, a);
    must_hold(buf_ok(line) && line->n > 0 && str_find(buf_str(line), '\n', 0) == line->n - 1);
    must_hold(json_parse(a, buf_str(line), "answer", &diags) != NULL);
}

static void answer(struct arena *a, const struct rpc_message *m)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer w = {.out = &out};
    rpc_begin_answer(&w, m->id);
    json_write_string(&w, rpc_shown(a, m->method));
    must_hold(rpc_end(&w));
    check_line(a, &out);
}

static void refuse(struct arena *a, const struct json *id, const struct rpc_error *error)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    rpc_write_error(&out, id, error);
    check_line(a, &out);
}

static void on_line(void *ctx, struct str line)
{
    (void)ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct rpc_request r = {.arena = a};
    if (!rpc_message_read(a, line, &r.message, &r.error)) {
        refuse(a, NULL, &r.error);
        return;
    }
    struct str text = STR_EMPTY;
    bool flag;
    int64_t count;
    const struct json *object, *array;
    const struct rpc_param table[] = {
        {"provider", PARAM_TEXT, true, &text},          {"refresh", PARAM_BOOL, false, &flag},
        {"limit", PARAM_COUNT, false, &count},          {"config", PARAM_OBJECT, false, &object},
        {"ignore_changes", PARAM_ARRAY, false, &array},
    };
    if (PARAMS_READ(&r, table))
        answer(a, &r.message);
    else
        refuse(a, r.message.id, &r.error);
}

static void on_too_long(void *ctx)
{
    (void)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rpc_line_reader lines;
    rpc_line_reader_init(&lines, MAX_LINE, NULL, on_line, on_too_long);
    /* Feeds it in two pieces, split where the input says. */
    size_t cut = size > 0 ? data[0] * size / 256 : 0;
    rpc_line_reader_feed(&lines, (struct str){(const char *)data, cut});
    rpc_line_reader_feed(&lines, (struct str){(const char *)data + cut, size - cut});
    rpc_line_reader_end(&lines);
    return 0;
}
