/*
 * A recursive descent parser with one token of look-ahead, on the tokens of hcl1_lex.h. Depth is counted where a body or list
 * opens, so the stack is bounded by HCL1_MAX_DEPTH.
 */
#include "registry/hcl1.h"

#include "base/json.h"
#include "base/vec.h"
#include "registry/hcl1_lex.h"

struct parser {
    struct hcl1_lexer lexer;
    struct hcl1_token token; /* the look-ahead */
    unsigned depth;
};

static bool advance(struct parser *p)
{
    return hcl1_lex(&p->lexer, &p->token);
}

static bool fail_expected(struct parser *p, const char *expected)
{
    return hcl1_fail(&p->lexer, p->token.line, p->token.column, "expected %s, found %s", expected,
                     hcl1_token_name(p->token.kind));
}

static bool enter(struct parser *p)
{
    if (p->depth == HCL1_MAX_DEPTH)
        return hcl1_fail(&p->lexer, p->token.line, p->token.column, "nested deeper than %d levels", (int)HCL1_MAX_DEPTH);
    p->depth++;
    return true;
}

static bool parse_value(struct parser *p, struct hcl1_value *ret);
static bool parse_body(struct parser *p, enum hcl1_token_kind end, struct hcl1_value *ret);

static bool parse_list(struct parser *p, struct hcl1_value *ret)
{
    VEC(struct hcl1_value) items = {0};
    struct hcl1_value list = {.kind = HCL1_LIST, .line = p->token.line, .column = p->token.column};
    if (!enter(p) || !advance(p))
        return false;
    while (p->token.kind != HCL1_TOKEN_BRACKET_CLOSE) {
        struct hcl1_value item;
        if (!parse_value(p, &item))
            return false;
        *VEC_PUSH(p->lexer.arena, &items) = item;
        if (p->token.kind == HCL1_TOKEN_BRACKET_CLOSE)
            break;
        if (p->token.kind != HCL1_TOKEN_COMMA)
            return fail_expected(p, "\",\" or \"]\" after a list element");
        if (!advance(p))
            return false;
    }
    p->depth--;
    list.list.v = items.v;
    list.list.n = items.n;
    *ret = list;
    return advance(p);
}

static bool parse_braces(struct parser *p, struct hcl1_value *ret)
{
    uint32_t line = p->token.line, column = p->token.column;
    if (!enter(p) || !advance(p) || !parse_body(p, HCL1_TOKEN_BRACE_CLOSE, ret))
        return false;
    p->depth--;
    ret->line = line;
    ret->column = column;
    return advance(p);
}

static bool parse_value(struct parser *p, struct hcl1_value *ret)
{
    struct hcl1_value v = {.line = p->token.line, .column = p->token.column};
    switch (p->token.kind) {
    case HCL1_TOKEN_BRACE_OPEN:
        return parse_braces(p, ret);
    case HCL1_TOKEN_BRACKET_OPEN:
        return parse_list(p, ret);
    case HCL1_TOKEN_STRING:
    case HCL1_TOKEN_HEREDOC:
        v.kind = HCL1_STRING;
        v.text = p->token.text;
        break;
    case HCL1_TOKEN_NUMBER:
        v.kind = HCL1_NUMBER;
        v.text = p->token.text;
        break;
    case HCL1_TOKEN_BOOL:
        v.kind = HCL1_BOOL;
        v.boolean = str_eq(p->token.text, STR("true"));
        break;
    case HCL1_TOKEN_WORD:
    case HCL1_TOKEN_UNKNOWN:
        return fail_expected(p, "a value (text needs double quotes)");
    default:
        return fail_expected(p, "a value");
    }
    *ret = v;
    return advance(p);
}

static bool is_key(enum hcl1_token_kind kind)
{
    return kind == HCL1_TOKEN_WORD || kind == HCL1_TOKEN_STRING;
}

static bool parse_labels(struct parser *p, struct hcl1_item *item)
{
    VEC(struct str) labels = {0};
    while (is_key(p->token.kind)) {
        *VEC_PUSH(p->lexer.arena, &labels) = p->token.text;
        if (!advance(p))
            return false;
    }
    item->labels = labels.v;
    item->n_labels = labels.n;
    return true;
}

static bool parse_item(struct parser *p, struct hcl1_item *ret)
{
    struct hcl1_item item = {.key = p->token.text, .line = p->token.line, .column = p->token.column};
    if (!advance(p) || !parse_labels(p, &item))
        return false;
    if (p->token.kind == HCL1_TOKEN_ASSIGN && item.n_labels > 0)
        return fail_expected(p, "\"{\" (an argument has one name only)");
    if (p->token.kind == HCL1_TOKEN_ASSIGN) {
        item.assigned = true;
        if (!advance(p) || !parse_value(p, &item.value))
            return false;
    } else if (p->token.kind == HCL1_TOKEN_BRACE_OPEN) {
        if (!parse_braces(p, &item.value))
            return false;
    } else {
        return fail_expected(p, "\"=\" or \"{\" after a name");
    }
    *ret = item;
    return true;
}

/* Parses up to the token `end`, which is not consumed. */
static bool parse_body(struct parser *p, enum hcl1_token_kind end, struct hcl1_value *ret)
{
    VEC(struct hcl1_item) items = {0};
    while (p->token.kind != end) {
        if (!is_key(p->token.kind))
            return fail_expected(p, end == HCL1_TOKEN_END ? "a name" : "a name or \"}\"");
        struct hcl1_item item;
        if (!parse_item(p, &item))
            return false;
        *VEC_PUSH(p->lexer.arena, &items) = item;
        if (p->token.kind == HCL1_TOKEN_COMMA && !advance(p))
            return false;
    }
    *ret = (struct hcl1_value){.kind = HCL1_BODY, .line = 1, .column = 1};
    ret->body.v = items.v;
    ret->body.n = items.n;
    return true;
}

/* json_parse bounds the depth of its tree, so this recursion is bounded. */
static struct hcl1_value from_json(struct arena *a, const struct json *j)
{
    struct hcl1_value v = {.line = j->line, .column = j->column};
    switch (j->kind) {
    case JSON_NULL:
        v.kind = HCL1_NULL;
        break;
    case JSON_BOOL:
        v.kind = HCL1_BOOL;
        v.boolean = j->boolean;
        break;
    case JSON_NUMBER:
    case JSON_STRING:
        v.kind = j->kind == JSON_NUMBER ? HCL1_NUMBER : HCL1_STRING;
        v.text = j->text;
        break;
    case JSON_ARRAY: {
        struct hcl1_value *items = arena_make_n(a, struct hcl1_value, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            items[i] = from_json(a, j->array.items[i]);
        v.kind = HCL1_LIST;
        v.list.v = items;
        v.list.n = j->array.n;
        break;
    }
    case JSON_OBJECT: {
        struct hcl1_item *items = arena_make_n(a, struct hcl1_item, j->object.n);
        for (size_t i = 0; i < j->object.n; i++) {
            const struct json_member *m = &j->object.members[i];
            items[i] = (struct hcl1_item){.key = m->key, .line = m->line, .column = m->column, .value = from_json(a, m->value)};
        }
        v.kind = HCL1_BODY;
        v.body.v = items;
        v.body.n = j->object.n;
        break;
    }
    }
    return v;
}

const struct hcl1_value *hcl1_parse(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    if (text.n > HCL1_MAX_BYTES) {
        (void)diags_fail(diags, "Invalid CLI configuration", "%s: larger than %d bytes.", source, (int)HCL1_MAX_BYTES);
        return NULL;
    }
    struct hcl1_value *root = arena_make(a, struct hcl1_value);
    struct str trimmed = str_trim(text);
    if (trimmed.n > 0 && trimmed.p[0] == '{') {
        const struct json *json = json_parse(a, text, source, diags);
        if (!json)
            return NULL;
        *root = from_json(a, json);
        return root;
    }
    struct parser p = {.lexer = {.arena = a, .text = text, .line = 1, .column = 1, .source = source, .diags = diags}};
    return advance(&p) && parse_body(&p, HCL1_TOKEN_END, root) ? root : NULL;
}
