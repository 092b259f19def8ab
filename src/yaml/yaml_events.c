/*
 * Bugs of libfyaml 0.7.12 that this file works around:
 *
 * - It treats NUL and bytes that are not UTF-8 as the end of a scalar or of the text. So the text is checked first for these and
 *   for control characters that YAML does not allow.
 * - A tab after '-', '?' or ':' where it does not allow one makes it free a key twice. So it reads a copy in which such tabs are
 *   spaces; positions stay the same, and scalars are taken from the original, so they keep their tabs.
 * - It loses the last character of a block scalar that has no final line break. So the copy ends with a line break.
 * - Its conversion of scalars: see yaml_text.h.
 */
#include "yaml/yaml_events.h"

#include "base/buf.h"
#include "base/json.h"
#include "yaml/yaml_text.h"

#include <inttypes.h>
#include <libfyaml.h>
#include <stdlib.h>

/* The library uses some hundred bytes per token before it returns the first event of a flow collection. */
enum { MAX_TEXT = 16 << 20 };

struct yaml_events {
    struct arena *arena;
    struct str text;
    const char *source;
    struct diags *diags;
    struct buf copy; /* what the library reads */
    struct fy_diag *fy_diag;
    struct fy_parser *parser;
    struct fy_event *event;  /* the current one */
    struct yaml_position at; /* of the current event, or of the last that had a position */
    size_t token_end;        /* in the text: where the last event's token ends */
    /* Columns, from 0, of the open collections; a flow collection has the column of the block collection around it. The first
     * entry is for the whole text. */
    size_t columns[JSON_MAX_DEPTH + 2];
    size_t depth; /* number of open collections; it may exceed `columns`, but the reader stops at that depth */
};

/* Errors */

bool yaml_events_fail(struct yaml_events *e, struct yaml_position at, const char *what)
{
    return diags_fail(e->diags, "Invalid YAML", "%s:%" PRIu32 ":%" PRIu32 ": %s.", e->source, at.line, at.column, what);
}

/* Reports the library's first error. */
static bool fail_parser(struct yaml_events *e)
{
    void *iterator = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(e->fy_diag, &iterator);
    if (!error)
        return yaml_events_fail(e, e->at, "the text is not valid YAML");
    struct yaml_position at = {(uint32_t)(error->line > 0 ? error->line : 1), (uint32_t)(error->column > 0 ? error->column : 1)};
    return yaml_events_fail(e, at, error->msg);
}

/* The library would print its errors; we collect them instead. */
static void print_nothing(struct fy_diag *diag, void *user, const char *text, size_t n)
{
    (void)diag, (void)user, (void)text, (void)n;
}

/* Opening */

/* True when YAML allows the character of n bytes at the start of `s`. */
static bool is_allowed(struct str s, size_t n)
{
    unsigned char c = (unsigned char)s.p[0];
    if (n == 1)
        return c >= 0x20 ? c != 0x7f : c == '\t' || c == '\n' || c == '\r';
    if (n == 2 && c == 0xc2) /* the second block of control characters; of these only NEL (U+0085) */
        return (unsigned char)s.p[1] >= 0xa0 || s.p[1] == '\x85';
    return n != 3 || (memcmp(s.p, "\xef\xbf\xbe", 3) != 0 && memcmp(s.p, "\xef\xbf\xbf", 3) != 0);
}

static bool check_text(struct yaml_events *e)
{
    struct yaml_position at = {1, 1};
    struct str text = e->text;
    if (text.n > MAX_TEXT)
        return yaml_events_fail(e, at, "expected at most 16 MiB of text, found more");
    while (text.n > 0) {
        size_t n = str_utf8_first(text);
        if (n == 0)
            return yaml_events_fail(e, at, "expected valid UTF-8, found another byte");
        if (!is_allowed(text, n))
            return yaml_events_fail(e, at, "expected text, found a control character: write it as an escape in double quotes");
        bool new_line = text.p[0] == '\n' || (text.p[0] == '\r' && (text.n == 1 || text.p[1] != '\n'));
        at = new_line ? (struct yaml_position){at.line + 1, 1} : (struct yaml_position){at.line, at.column + 1};
        text = str_slice(text, n, text.n);
    }
    return true;
}

static void make_copy(struct yaml_events *e)
{
    bool after_indicator = false;
    for (size_t i = 0; i < e->text.n; i++) {
        char c = e->text.p[i];
        if (c != ' ' && c != '\t')
            after_indicator = c == '-' || c == '?' || c == ':';
        buf_addc(&e->copy, c == '\t' && after_indicator ? ' ' : c);
    }
    if (!str_ends(e->text, STR("\n")))
        buf_addc(&e->copy, '\n');
}

static bool open_parser(struct yaml_events *e)
{
    const struct fy_diag_cfg diag = {.output_fn = print_nothing, .level = FYET_ERROR, .module_mask = ~0U};
    e->fy_diag = fy_diag_create(&diag);
    if (!e->fy_diag)
        return false;
    fy_diag_set_collect_errors(e->fy_diag, true);
    const struct fy_parse_cfg config = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                 FYPCF_SLOPPY_FLOW_INDENTATION, /* a closing bracket may be at the margin, as is common */
        .diag = e->fy_diag,
    };
    e->parser = fy_parser_create(&config);
    make_copy(e);
    return e->parser && buf_ok(&e->copy) && fy_parser_set_string(e->parser, e->copy.p, e->copy.n) == 0;
}

bool yaml_events_open(struct arena *a, struct str text, const char *source, struct diags *diags, struct yaml_events **ret)
{
    struct yaml_events *e = malloc(sizeof *e);
    if (!e)
        abort();
    *e = (struct yaml_events){.arena = a, .text = text, .source = source, .diags = diags, .at = {1, 1}};
    e->copy = BUF_INIT(text.n + 1);
    bool ok = check_text(e);
    if (ok && !open_parser(e))
        ok = yaml_events_fail(e, e->at, "not enough memory to read it");
    if (ok)
        *ret = e;
    else
        yaml_events_close(e);
    return ok;
}

/* Tokens */

static size_t end_of(struct fy_token *token, size_t otherwise)
{
    const struct fy_mark *mark = token ? fy_token_end_mark(token) : NULL;
    return mark && mark->input_pos > otherwise ? mark->input_pos : otherwise;
}

/* The source text of a token. */
static struct str token_source(const struct yaml_events *e, struct fy_token *token)
{
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
    return start && end ? str_slice(e->text, start->input_pos, end->input_pos) : STR_EMPTY;
}

/* The token of an event, if it belongs to the event: libfyaml 0.8 gives a document without "---" the next token. */
static struct fy_token *own_token(const struct yaml_events *e)
{
    struct fy_token *token = fy_event_get_token(e->event);
    bool implied = e->event->type == FYET_DOCUMENT_START && !str_starts(token_source(e, token), STR("---"));
    return implied ? NULL : token;
}

static void drop_event(struct yaml_events *e)
{
    if (!e->event)
        return;
    e->token_end = end_of(own_token(e), e->token_end);
    fy_parser_event_free(e->parser, e->event);
    e->event = NULL;
}

void yaml_events_close(struct yaml_events *e)
{
    if (!e)
        return;
    drop_event(e);
    if (e->parser)
        fy_parser_destroy(e->parser);
    if (e->fy_diag)
        fy_diag_destroy(e->fy_diag);
    buf_free(&e->copy);
    free(e);
}

/* Collections: the indentation of a block scalar counts from the block collection that holds it. */

static size_t *column_at(struct yaml_events *e, size_t depth)
{
    return &e->columns[depth <= JSON_MAX_DEPTH ? depth : JSON_MAX_DEPTH + 1];
}

static void enter(struct yaml_events *e)
{
    /* Only flow collections have a token that is not empty. */
    bool in_brackets = token_source(e, fy_event_get_token(e->event)).n > 0;
    size_t column = in_brackets ? *column_at(e, e->depth) : e->at.column - 1;
    *column_at(e, ++e->depth) = column;
}

static void leave(struct yaml_events *e)
{
    if (e->depth > 0)
        e->depth--;
}

/* Scalars */

static enum yaml_style style_of(struct fy_token *token)
{
    switch (token ? fy_token_scalar_style(token) : FYSS_PLAIN) {
    case FYSS_SINGLE_QUOTED:
        return YAML_SINGLE_QUOTED;
    case FYSS_DOUBLE_QUOTED:
        return YAML_DOUBLE_QUOTED;
    case FYSS_LITERAL:
        return YAML_LITERAL;
    case FYSS_FOLDED:
        return YAML_FOLDED;
    default:
        return YAML_PLAIN;
    }
}

/* The header of a block scalar is between the previous token (or the scalar's own anchor and tag) and its content. */
static struct str block_text(struct yaml_events *e, struct fy_token *token, enum yaml_style style)
{
    size_t before = end_of(fy_event_get_anchor_token(e->event), e->token_end);
    before = end_of(fy_event_get_tag_token(e->event), before);
    const struct fy_mark *start = fy_token_start_mark(token);
    struct yaml_block_header header = yaml_read_header(str_slice(e->text, before, start->input_pos));
    size_t indent = header.indent > 0 ? header.indent + *column_at(e, e->depth) : 0;
    return yaml_block_text(e->arena, style, token_source(e, token), header.chomping, indent);
}

static bool read_scalar(struct yaml_events *e, struct yaml_event *ret)
{
    struct fy_token *token = fy_event_get_token(e->event);
    enum yaml_style style = style_of(token);
    ret->is_plain = style == YAML_PLAIN;
    if (style == YAML_LITERAL || style == YAML_FOLDED) {
        ret->text = block_text(e, token, style);
        return true;
    }
    if (yaml_flow_text(e->arena, style, token_source(e, token), &ret->text))
        return true;
    return yaml_events_fail(e, e->at, "expected an escape sequence that YAML knows, found another");
}

/* Events */

static bool read_event(struct yaml_events *e, struct yaml_event *ret)
{
    switch (e->event->type) {
    case FYET_DOCUMENT_START:
        ret->kind = YAML_DOCUMENT_START;
        return true;
    case FYET_DOCUMENT_END:
        ret->kind = YAML_DOCUMENT_END;
        return true;
    case FYET_SCALAR:
        ret->kind = YAML_SCALAR;
        return read_scalar(e, ret);
    case FYET_ALIAS:
        ret->kind = YAML_ALIAS;
        ret->anchor = token_source(e, fy_event_get_token(e->event));
        return true;
    case FYET_SEQUENCE_START:
    case FYET_MAPPING_START:
        ret->kind = e->event->type == FYET_SEQUENCE_START ? YAML_SEQUENCE_START : YAML_MAPPING_START;
        enter(e);
        return true;
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        ret->kind = e->event->type == FYET_SEQUENCE_END ? YAML_SEQUENCE_END : YAML_MAPPING_END;
        leave(e);
        return true;
    default:
        ret->kind = YAML_STREAM_END;
        return true;
    }
}

static bool pull(struct yaml_events *e)
{
    do {
        drop_event(e);
        e->event = fy_parser_parse(e->parser);
        if (!e->event)
            return fail_parser(e);
    } while (e->event->type == FYET_STREAM_START || e->event->type == FYET_NONE);
    return true;
}

bool yaml_events_next(struct yaml_events *e, struct yaml_event *ret)
{
    if (!pull(e))
        return false;
    /* A missing node (as in "key:") has no position; it gets the position of the previous node. */
    const struct fy_mark *mark = fy_event_start_mark(e->event);
    if (mark)
        e->at = (struct yaml_position){(uint32_t)mark->line + 1, (uint32_t)mark->column + 1};
    struct fy_token *anchor = fy_event_get_anchor_token(e->event), *tag = fy_event_get_tag_token(e->event);
    *ret = (struct yaml_event){
        .at = e->at,
        .has_anchor = anchor != NULL,
        .anchor = token_source(e, anchor),
        .tag = tag ? str_of(fy_token_get_text0(tag)) : STR_EMPTY,
        .text = STR_EMPTY,
    };
    return read_event(e, ret);
}
