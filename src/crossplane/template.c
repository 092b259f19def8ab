#include "base/ascii.h"
#include "base/vec.h"
#include "crossplane/template_private.h"

#include <inttypes.h>

enum { ANY_ARGUMENTS = 0 }; /* at least one */
static const struct {
    const char *name;
    size_t arguments;
} functions[] = {
    [FUNCTION_INDEX] = {"index", ANY_ARGUMENTS},
    [FUNCTION_LOWER] = {"ToLower", 1},
    [FUNCTION_UPPER] = {"ToUpper", 1},
    [FUNCTION_JOIN] = {"Join", 2},
    [FUNCTION_REPLACE] = {"Replace", 4},
    [FUNCTION_SPLIT] = {"Split", 2},
    [FUNCTION_EQ] = {"eq", 2},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

struct parser {
    struct arena *arena;
    struct str text;
    size_t at;     /* position in the template; inside an action, in the action */
    size_t end;    /* end of the action: where its closing braces, or the trim marker before them, start */
    size_t action; /* start of the action, for messages */
    bool trim;     /* the previous action ended with a trim marker */
    int depth;
    const char *where;
    struct diags *diags;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str why = arena_vprintf(p->arena, format, args);
    va_end(args);
    return diags_fail(
        p->diags, "Invalid template",
        "%s: \"" STR_FMT "\" cannot be read: " STR_FMT
        ". Expected fields such as .external_name, .parameters.NAME and .setup.configuration.NAME; eq, index, ToLower, "
        "ToUpper, Join, Replace and Split; if, else and end.",
        p->where, STR_ARG(p->text), STR_ARG(why));
}

/* --- finding actions --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t find_pair(struct str s, const char *pair, size_t from)
{
    for (size_t i = from; i + 1 < s.n; i++)
        if (s.p[i] == pair[0] && s.p[i + 1] == pair[1])
            return i;
    return SIZE_MAX;
}

/* The position after the quoted string that starts at `i`; SIZE_MAX if it is not closed. */
static size_t skip_quoted(struct str s, size_t i)
{
    char quote = s.p[i++];
    for (; i < s.n && s.p[i] != quote; i++) {
        if (s.p[i] == '\n' && quote == '"')
            return SIZE_MAX;
        i += s.p[i] == '\\' && quote == '"';
    }
    return i < s.n ? i + 1 : SIZE_MAX;
}

/* The position of the closing braces of the action whose content starts at `i`. */
static size_t find_close(struct str s, size_t i)
{
    while (i + 1 < s.n) {
        if (s.p[i] == '}' && s.p[i + 1] == '}')
            return i;
        i = s.p[i] == '"' || s.p[i] == '`' ? skip_quoted(s, i) : i + 1;
        if (i == SIZE_MAX)
            break;
    }
    return SIZE_MAX;
}

static struct xp_template_part *add_part(struct parser *p, struct xp_template_parts *parts)
{
    return VEC_PUSH(p->arena, parts);
}

static void add_text(struct parser *p, struct xp_template_parts *parts, struct str text, bool trim_end)
{
    while (p->trim && text.n > 0 && is_blank(text.p[0]))
        text = str_slice(text, 1, text.n);
    while (trim_end && text.n > 0 && is_blank(text.p[text.n - 1]))
        text.n--;
    p->trim = false;
    if (text.n > 0)
        add_part(p, parts)->text = text;
}

/* Adds the text before the next action, and enters the action: p->at is its first character, p->end the one after its last. */
static bool open_action(struct parser *p, struct xp_template_parts *parts, bool *ret_found)
{
    size_t start = find_pair(p->text, "{{", p->at);
    *ret_found = start != SIZE_MAX;
    if (!*ret_found) {
        add_text(p, parts, str_slice(p->text, p->at, p->text.n), false);
        p->at = p->text.n;
        return true;
    }
    size_t inside = start + 2;
    bool trim = inside + 1 < p->text.n && p->text.p[inside] == '-' && is_blank(p->text.p[inside + 1]);
    add_text(p, parts, str_slice(p->text, p->at, start), trim);
    p->action = start;
    p->at = inside + (trim ? 2 : 0);
    size_t close = p->text.n - p->at >= 2 && p->text.p[p->at] == '/' && p->text.p[p->at + 1] == '*'
                       ? find_pair(p->text, "*/", p->at + 2)
                       : SIZE_MAX;
    p->end = find_close(p->text, close == SIZE_MAX ? p->at : close);
    return p->end != SIZE_MAX || fail(p, "{{ has no }}");
}

/* Finds the trim marker at the end of the action. */
static void find_end(struct parser *p)
{
    p->trim = p->end >= p->at + 2 && p->text.p[p->end - 1] == '-' && is_blank(p->text.p[p->end - 2]);
    p->end -= p->trim ? 2 : 0;
}

static bool skip_blanks(struct parser *p)
{
    bool any = false;
    for (; p->at < p->end && is_blank(p->text.p[p->at]); p->at++)
        any = true;
    return any;
}

static void close_action(struct parser *p)
{
    p->at = find_pair(p->text, "}}", p->end) + 2;
}

/* --- expressions --- */

static bool is_word(char c)
{
    return is_lower(c) || is_upper(c) || is_digit(c) || c == '_';
}

static struct str take_word(struct parser *p)
{
    size_t from = p->at;
    while (p->at < p->end && is_word(p->text.p[p->at]))
        p->at++;
    return str_slice(p->text, from, p->at);
}

/* The next word, without consuming it. */
static struct str next_word(struct parser *p)
{
    size_t from = p->at;
    struct str word = take_word(p);
    p->at = from;
    return word;
}

static bool parse_pipeline(struct parser *p, const struct xp_template_node **ret);

static struct xp_template_node *new_node(struct parser *p, enum xp_template_node_kind kind)
{
    struct xp_template_node *n = arena_make(p->arena, struct xp_template_node);
    n->kind = kind;
    return n;
}

/* .a.b at p->at, if any. */
static bool parse_fields(struct parser *p, const struct xp_template_node *of, const struct xp_template_node **ret)
{
    size_t from = p->at + 1;
    while (p->at < p->end && p->text.p[p->at] == '.') {
        p->at++;
        if (take_word(p).n == 0)
            return fail(p, "expected a name after the dot");
    }
    if (p->at <= from) {
        *ret = of;
        return true;
    }
    struct xp_template_node *n = new_node(p, NODE_FIELD);
    n->of = of;
    n->path = str_slice(p->text, from, p->at);
    *ret = n;
    return true;
}

static bool parse_quoted(struct parser *p, const struct xp_template_node **ret)
{
    size_t from = p->at, to = skip_quoted(str_slice(p->text, 0, p->end), p->at);
    if (to == SIZE_MAX)
        return fail(p, "a string has no end");
    p->at = to;
    struct str raw = str_slice(p->text, from, to), text = str_slice(p->text, from + 1, to - 1);
    struct xp_template_node *n = new_node(p, NODE_LITERAL);
    n->literal = raw.p[0] == '`' ? json_make_string(p->arena, text) : json_parse_lenient(p->arena, raw);
    *ret = n;
    return n->literal != NULL || fail(p, STR_FMT " is not a string", STR_ARG(raw));
}

static bool parse_number(struct parser *p, const struct xp_template_node **ret)
{
    size_t from = p->at;
    p->at += p->text.p[p->at] == '-';
    struct str digits = take_word(p);
    struct xp_template_node *n = new_node(p, NODE_LITERAL);
    int64_t value;
    if (digits.n == 0 || !str_to_i64(str_slice(p->text, from, p->at), &value))
        return fail(p, "\"" STR_FMT "\" is not a number", STR_ARG(str_slice(p->text, from, p->at)));
    n->literal = json_make_number(p->arena, arena_printf(p->arena, "%" PRId64, value));
    *ret = n;
    return true;
}

static bool parse_call(struct parser *p, struct str name, const struct xp_template_node **ret);

static bool parse_group(struct parser *p, const struct xp_template_node **ret)
{
    const struct xp_template_node *inner;
    p->at++;
    if (++p->depth > TEMPLATE_MAX_DEPTH)
        return fail(p, "it is nested too deeply");
    if (!parse_pipeline(p, &inner))
        return false;
    p->depth--;
    if (p->at >= p->end || p->text.p[p->at] != ')')
        return fail(p, "a ) is missing");
    p->at++;
    return parse_fields(p, inner, ret);
}

static bool parse_constant(struct parser *p, struct str word, const struct xp_template_node **ret)
{
    struct xp_template_node *n = new_node(p, NODE_LITERAL);
    n->literal = json_make_bool(p->arena, str_eqz(word, "true"));
    (void)take_word(p);
    *ret = n;
    return true;
}

static bool is_operand_end(struct parser *p)
{
    return p->at >= p->end || p->text.p[p->at] == ')' || p->text.p[p->at] == '|';
}

/* One value: a field, a literal, an expression in parentheses, or a function call. */
static bool parse_operand(struct parser *p, const struct xp_template_node **ret)
{
    char c = p->text.p[p->at];
    struct str word = next_word(p);
    if (c == '.')
        return parse_fields(p, NULL, ret);
    if (c == '"' || c == '`')
        return parse_quoted(p, ret);
    if (c == '(')
        return parse_group(p, ret);
    if (is_digit(c) || c == '-')
        return parse_number(p, ret);
    if (str_eqz(word, "true") || str_eqz(word, "false"))
        return parse_constant(p, word, ret);
    if (word.n > 0)
        return parse_call(p, word, ret);
    return fail(p, "\"%c\" was not expected", c);
}

static bool find_function(struct parser *p, struct str name, enum xp_template_function *ret)
{
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (str_eqz(name, functions[i].name)) {
            *ret = (enum xp_template_function)i;
            return true;
        }
    return fail(p, "\"" STR_FMT "\" is not known here", STR_ARG(name));
}

/* NAME ARGUMENT... */
static bool parse_call(struct parser *p, struct str name, const struct xp_template_node **ret)
{
    struct xp_template_node *n = new_node(p, NODE_CALL);
    if (!find_function(p, name, &n->function))
        return false;
    (void)take_word(p);
    while (skip_blanks(p), !is_operand_end(p)) {
        if (is_lower(p->text.p[p->at]) || is_upper(p->text.p[p->at])) {
            struct str word = next_word(p);
            if (!str_eqz(word, "true") && !str_eqz(word, "false"))
                return fail(p, "\"" STR_FMT "\" as an argument needs ( ) around it", STR_ARG(word));
        }
        if (n->n + 1 >= TEMPLATE_MAX_ARGUMENTS)
            return fail(p, "\"%s\" has too many arguments", functions[n->function].name);
        if (!parse_operand(p, &n->arguments[n->n]))
            return false;
        n->n++;
        if (!is_operand_end(p) && !is_blank(p->text.p[p->at]))
            return fail(p, "\"%c\" was not expected", p->text.p[p->at]);
    }
    *ret = n;
    return true;
}

static bool check_arguments(struct parser *p, const struct xp_template_node *n)
{
    if (n->kind != NODE_CALL)
        return true;
    size_t wanted = functions[n->function].arguments;
    if (wanted == ANY_ARGUMENTS ? n->n == 0 : n->n != wanted)
        return fail(p, "\"%s\" has the wrong number of arguments", functions[n->function].name);
    return true;
}

/* VALUE | FUNCTION ARGUMENT... | ...: the value before a bar becomes the last argument of the function after it. */
static bool parse_pipeline(struct parser *p, const struct xp_template_node **ret)
{
    const struct xp_template_node *value = NULL;
    do {
        const struct xp_template_node *next = NULL;
        skip_blanks(p);
        if (is_operand_end(p))
            return fail(p, "a value is missing");
        if (!parse_operand(p, &next) || !next)
            return false;
        if (value && next->kind != NODE_CALL)
            return fail(p, "expected a function after |");
        if (value) {
            struct xp_template_node *call = new_node(p, NODE_CALL);
            *call = *next;
            call->arguments[call->n++] = value; /* parse_call() leaves room for it */
            next = call;
        }
        if (!check_arguments(p, next))
            return false;
        value = next;
        skip_blanks(p);
    } while (p->at < p->end && p->text.p[p->at] == '|' && ++p->at);
    *ret = value;
    return true;
}

static bool parse_value(struct parser *p, const struct xp_template_node **ret)
{
    if (!parse_pipeline(p, ret))
        return false;
    return p->at >= p->end || fail(p, "\"%c\" was not expected", p->text.p[p->at]);
}

/* --- the template --- */

enum ending { ENDING_TEXT, ENDING_END, ENDING_ELSE, ENDING_ELSE_IF };

static bool parse_parts(struct parser *p, struct xp_template_parts *parts, enum ending *ret_ending);

static bool parse_if(struct parser *p, struct xp_template_parts *parts, size_t start)
{
    const struct xp_template_node *condition = NULL;
    enum ending ending;
    struct xp_template_part part = {.condition = true, .start = start};
    if (++p->depth > TEMPLATE_MAX_DEPTH)
        return fail(p, "it is nested too deeply");
    if (!parse_value(p, &condition))
        return false;
    close_action(p);
    if (!parse_parts(p, &part.then, &ending))
        return false;
    if (ending == ENDING_ELSE_IF) {
        if (!parse_if(p, &part.otherwise, p->action))
            return false;
    } else if (ending == ENDING_ELSE && !parse_parts(p, &part.otherwise, &ending)) {
        return false;
    }
    if (ending == ENDING_TEXT)
        return fail(p, "\"if\" has no \"end\"");
    if (ending == ENDING_ELSE)
        return fail(p, "there are two \"else\"");
    p->depth--;
    part.value = condition;
    part.end = p->at;
    *add_part(p, parts) = part;
    return true;
}

/* True with ENDING_TEXT if the word is neither end nor else. */
static bool parse_ending(struct parser *p, struct str word, enum ending *ret)
{
    *ret = ENDING_TEXT;
    if (!str_eqz(word, "end") && !str_eqz(word, "else"))
        return true;
    *ret = str_eqz(word, "end") ? ENDING_END : ENDING_ELSE;
    (void)take_word(p);
    skip_blanks(p);
    if (*ret == ENDING_ELSE && str_eqz(next_word(p), "if")) {
        (void)take_word(p);
        *ret = ENDING_ELSE_IF;
        return true;
    }
    if (p->at < p->end)
        return fail(p, "unexpected \"%c\" after \"" STR_FMT "\"", p->text.p[p->at], STR_ARG(word));
    close_action(p);
    return true;
}

static bool is_comment(struct parser *p)
{
    return p->end - p->at >= 4 && p->text.p[p->at] == '/' && p->text.p[p->at + 1] == '*' && p->text.p[p->end - 2] == '*' &&
           p->text.p[p->end - 1] == '/';
}

static bool parse_action(struct parser *p, struct xp_template_parts *parts)
{
    size_t start = p->action;
    if (str_eqz(next_word(p), "if")) {
        (void)take_word(p);
        return parse_if(p, parts, start);
    }
    struct xp_template_part part = {.start = start};
    if (!parse_value(p, &part.value))
        return false;
    close_action(p);
    part.end = p->at;
    *add_part(p, parts) = part;
    return true;
}

static bool parse_parts(struct parser *p, struct xp_template_parts *parts, enum ending *ret_ending)
{
    bool found;
    for (;;) {
        if (!open_action(p, parts, &found))
            return false;
        *ret_ending = ENDING_TEXT;
        if (!found)
            return true;
        find_end(p);
        if (is_comment(p)) {
            close_action(p);
            continue;
        }
        skip_blanks(p);
        if (!parse_ending(p, next_word(p), ret_ending))
            return false;
        if (*ret_ending != ENDING_TEXT)
            return true;
        if (!parse_action(p, parts))
            return false;
    }
}

struct xp_template *xp_template_parse(struct arena *a, struct str text, const char *where, struct diags *diags)
{
    struct xp_template *t = arena_make(a, struct xp_template);
    struct parser p = {.arena = a, .text = arena_str(a, text), .where = where, .diags = diags};
    enum ending ending;
    if (text.n > TEMPLATE_MAX) {
        (void)diags_fail(diags, "Invalid template", "%s: the template has %zu bytes; the limit is %d.", where, text.n,
                         TEMPLATE_MAX);
        return NULL;
    }
    t->text = p.text;
    if (!parse_parts(&p, &t->parts, &ending))
        return NULL;
    if (ending != ENDING_TEXT) {
        (void)fail(&p, "\"%s\" has no \"if\"", ending == ENDING_END ? "end" : "else");
        return NULL;
    }
    return t;
}

/* --- its fields --- */

static const struct xp_template_node *field_of(const struct xp_template_node *n)
{
    bool filter = n->kind == NODE_CALL && (n->function == FUNCTION_LOWER || n->function == FUNCTION_UPPER);
    const struct xp_template_node *field = filter ? n->arguments[0] : n;
    return field->kind == NODE_FIELD && !field->of ? field : NULL;
}

bool xp_template_next_field(const struct xp_template *t, size_t *at, struct xp_template_field *ret)
{
    for (size_t i = 0; i < t->parts.n; i++) {
        const struct xp_template_part *part = &t->parts.v[i];
        const struct xp_template_node *field =
            part->value && !part->condition && part->start >= *at ? field_of(part->value) : NULL;
        if (!field)
            continue;
        *ret = (struct xp_template_field){field->path, part->start, part->end, field == part->value};
        *at = part->end;
        return true;
    }
    return false;
}
