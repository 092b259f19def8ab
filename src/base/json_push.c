/*
 * Push mode: finds where top-level values begin and end in a stream of bytes, without building anything.
 *
 * The scanner knows only what it needs for that: nesting, strings, and where a number or word ends. Whether a value is valid
 * is for the tree reader, which the callback calls. A value that lies within one piece is handed over where it is; one that
 * spans pieces is gathered first.
 */
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum state {
    BETWEEN,      /* between top-level values */
    IN_WORD,      /* top-level number or word: ends before the first byte that cannot belong to one */
    IN_STRING,    /* in a string, top-level or nested */
    IN_ESCAPE,    /* behind a backslash in a string */
    IN_CONTAINER, /* in an array or object, in no string */
};

struct json_push {
    size_t max_value;
    json_push_fn *on_value;
    void *ctx;
    enum state state;
    uint32_t depth;
    uint64_t in_object[JSON_MAX_DEPTH / 64];
    uint64_t offset; /* bytes of the stream before the current piece */
    struct buf held; /* the start of a value that a former piece began */
    bool failed;
};

struct json_push *json_push_new(size_t max_value, json_push_fn *on_value, void *ctx)
{
    struct json_push *push = malloc(sizeof *push);
    if (!push)
        abort();
    *push = (struct json_push){.max_value = max_value, .on_value = on_value, .ctx = ctx, .held = BUF_INIT(max_value)};
    return push;
}

void json_push_free(struct json_push *push)
{
    if (!push)
        return;
    buf_free(&push->held);
    free(push);
}

static bool fail(struct json_push *push, struct diags *diags, size_t at, const char *what)
{
    push->failed = true;
    return diags_fail(diags, "Invalid JSON stream", "Byte %" PRIu64 " of the stream: %s.", push->offset + at + 1, what);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A word that runs into one of these has ended; any other byte is kept with it, for the tree reader to refuse. */
static bool ends_word(char c)
{
    return is_space(c) || c == '"' || c == '{' || c == '[' || c == '}' || c == ']' || c == ',' || c == ':';
}

/* These take one byte of a value each. False: it cannot be part of any. */
static bool open_bracket(struct json_push *push, bool object, struct diags *diags, size_t at)
{
    if (push->depth == JSON_MAX_DEPTH)
        return fail(push, diags, at, "nested deeper than 256 levels");
    uint64_t bit = UINT64_C(1) << (push->depth % 64);
    uint64_t *word = &push->in_object[push->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    push->depth++;
    push->state = IN_CONTAINER;
    return true;
}

static bool close_bracket(struct json_push *push, bool object, struct diags *diags, size_t at)
{
    bool in_object = push->depth > 0 && (push->in_object[(push->depth - 1) / 64] >> ((push->depth - 1) % 64) & 1);
    if (push->depth == 0 || in_object != object)
        return fail(push, diags, at, object ? "expected no '}' here" : "expected no ']' here");
    push->depth--;
    return true;
}

static bool step_container(struct json_push *push, char c, struct diags *diags, size_t at)
{
    switch (c) {
    case '{':
    case '[':
        return open_bracket(push, c == '{', diags, at);
    case '}':
    case ']':
        if (!close_bracket(push, c == '}', diags, at))
            return false;
        push->state = push->depth > 0 ? IN_CONTAINER : BETWEEN;
        return true;
    case '"':
        push->state = IN_STRING;
        return true;
    default:
        return true;
    }
}

/* The first byte of a top-level value. */
static bool step_first(struct json_push *push, char c, struct diags *diags, size_t at)
{
    if (c == ',' || c == ':')
        return fail(push, diags, at, "expected a value");
    push->state = IN_WORD;
    return step_container(push, c, diags, at);
}

static void step_string(struct json_push *push, char c)
{
    if (push->state == IN_ESCAPE)
        push->state = IN_STRING;
    else if (c == '\\')
        push->state = IN_ESCAPE;
    else if (c == '"')
        push->state = push->depth > 0 ? IN_CONTAINER : BETWEEN;
}

static bool hold(struct json_push *push, struct str part, struct diags *diags)
{
    buf_add(&push->held, part);
    if (buf_ok(&push->held))
        return true;
    push->failed = true;
    return diags_fail(diags, "Invalid JSON stream", "A value in the stream is larger than the limit of %zu bytes.",
                      push->max_value);
}

/* The value ends with `last`, the part of it that is in the current piece. */
static bool emit(struct json_push *push, struct str last, struct diags *diags)
{
    struct str value = last;
    if (push->held.n > 0 || last.n > push->max_value) {
        if (!hold(push, last, diags))
            return false;
        value = buf_str(&push->held);
    }
    bool ok = push->on_value(push->ctx, value, diags);
    push->failed = !ok;
    buf_clear(&push->held);
    return ok;
}

bool json_push_feed(struct json_push *push, struct str bytes, struct diags *diags)
{
    if (push->failed)
        return diags_fail(diags, "Invalid JSON stream", "The stream has already failed.");
    size_t start = 0; /* of the current value in this piece */
    for (size_t i = 0; i < bytes.n; i++) {
        char c = bytes.p[i];
        if (push->state == IN_WORD && ends_word(c)) {
            push->state = BETWEEN;
            if (!emit(push, str_slice(bytes, start, i), diags))
                return false;
        }
        if (push->state == IN_STRING || push->state == IN_ESCAPE) {
            step_string(push, c);
        } else if (push->state == IN_CONTAINER) {
            if (!step_container(push, c, diags, i))
                return false;
        } else if (push->state == BETWEEN) {
            start = i;
            if (is_space(c))
                continue;
            if (!step_first(push, c, diags, i))
                return false;
        }
        if (push->state == BETWEEN && !emit(push, str_slice(bytes, start, i + 1), diags))
            return false;
    }
    push->offset += bytes.n;
    return push->state == BETWEEN || hold(push, str_slice(bytes, start, bytes.n), diags);
}

bool json_push_end(struct json_push *push, struct diags *diags)
{
    if (push->failed)
        return diags_fail(diags, "Invalid JSON stream", "The stream has already failed.");
    if (push->state == IN_WORD) {
        push->state = BETWEEN;
        return emit(push, STR_EMPTY, diags);
    }
    if (push->state != BETWEEN)
        return fail(push, diags, 0, "expected the rest of a value, found the end of the stream");
    return true;
}
