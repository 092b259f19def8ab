/* Parses a text into a tree: tokens on demand, and one function for each level of precedence. */
#include "admission/cel_private.h"
#include "base/ascii.h"
#include "base/hex.h"
#include "base/vec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum token_kind { TOKEN_END, TOKEN_IDENT, TOKEN_LITERAL, TOKEN_MARK };

struct token {
    enum token_kind kind;
    size_t at;
    struct str text; /* of a name or operator */
    struct cel_value value;
};

struct parser {
    struct arena *arena;
    struct str text;
    size_t at; /* offset after the token */
    struct token token;
    size_t depth, nodes;
    struct str why; /* not empty: failed */
};

typedef VEC(const struct cel *) cel_list;

static const struct cel *parse_expression(struct parser *p);

static void *fail(struct parser *p, size_t at, const char *what)
{
    if (p->why.n == 0)
        p->why = arena_printf(p->arena, "at character %zu: %s", at + 1, what);
    return NULL;
}

/* --- tokens --- */

static bool is_reserved(struct str word)
{
    static const char *const words[] = {"as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
                                        "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eqz(word, words[i]))
            return true;
    return false;
}

static char peek(const struct parser *p, size_t ahead)
{
    return p->at + ahead < p->text.n ? p->text.p[p->at + ahead] : '\0';
}

static void skip_space(struct parser *p)
{
    for (;;) {
        char c = peek(p, 0);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            p->at++;
        } else if (c == '/' && peek(p, 1) == '/') {
            while (p->at < p->text.n && p->text.p[p->at] != '\n')
                p->at++;
        } else {
            return;
        }
    }
}

/* Reads digits with an optional sign. */
static bool read_integer(struct str text, bool is_hex, int64_t *ret)
{
    char z[32];
    if (text.n == 0 || text.n >= sizeof z)
        return false;
    memcpy(z, text.p, text.n);
    z[text.n] = '\0';
    errno = 0;
    *ret = strtoll(z, NULL, is_hex ? 16 : 10);
    return errno == 0;
}

static void lex_number(struct parser *p, bool negative)
{
    size_t from = p->at;
    bool is_hex = peek(p, 0) == '0' && (peek(p, 1) == 'x' || peek(p, 1) == 'X'), is_real = false;
    p->at += is_hex ? 2 : 0;
    while (is_digit(peek(p, 0)) || (is_hex && hex_digit(peek(p, 0)) >= 0))
        p->at++;
    if (!is_hex && peek(p, 0) == '.' && is_digit(peek(p, 1))) {
        is_real = true;
        for (p->at++; is_digit(peek(p, 0)); p->at++)
            ;
    }
    if (!is_hex && (peek(p, 0) == 'e' || peek(p, 0) == 'E')) {
        is_real = true;
        p->at += peek(p, 1) == '+' || peek(p, 1) == '-' ? 2 : 1;
        if (!is_digit(peek(p, 0)))
            fail(p, from, "this number has no exponent");
        while (is_digit(peek(p, 0)))
            p->at++;
    }
    struct str text = arena_printf(p->arena, "%s" STR_FMT, negative ? "-" : "", STR_ARG(str_slice(p->text, from, p->at)));
    struct cel_value *v = &p->token.value;
    p->token.kind = TOKEN_LITERAL;
    if (is_real) {
        *v = (struct cel_value){.kind = CEL_DOUBLE, .real = strtod(text.p, NULL)};
        if (!isfinite(v->real))
            fail(p, from, "this number is out of range");
    } else if (peek(p, 0) == 'u' || peek(p, 0) == 'U') {
        p->at++;
        errno = 0;
        *v = (struct cel_value){.kind = CEL_UINT, .natural = strtoull(text.p, NULL, is_hex ? 16 : 10)};
        if (errno != 0 || negative)
            fail(p, from, "this number is out of range");
    } else {
        *v = (struct cel_value){.kind = CEL_INT};
        if (!read_integer(text, is_hex, &v->integer))
            fail(p, from, "this number is out of range");
    }
}

/* \xHH, \uHHHH, \UHHHHHHHH, \OOO: the digits that follow. */
static bool lex_code(struct parser *p, int digits, int base, struct buf *out)
{
    uint32_t code = 0;
    for (int i = 0; i < digits; i++, p->at++) {
        int digit = hex_digit(peek(p, 0));
        if (digit < 0 || digit >= base)
            return false;
        code = code * (uint32_t)base + (uint32_t)digit;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return false;
    buf_add_utf8(out, code);
    return true;
}

static bool lex_escape(struct parser *p, struct buf *out)
{
    static const char letters[] = "abfnrtv\\?\"'`", meanings[] = "\a\b\f\n\r\t\v\\?\"'`";
    char c = peek(p, 0);
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) {
        p->at++;
        buf_addc(out, meanings[found - letters]);
        return true;
    }
    if (c >= '0' && c <= '3')
        return lex_code(p, 3, 8, out);
    p->at++;
    return c == 'x' || c == 'X' ? lex_code(p, 2, 16, out)
           : c == 'u'           ? lex_code(p, 4, 16, out)
           : c == 'U'           ? lex_code(p, 8, 16, out)
                                : false;
}

static void lex_string(struct parser *p, bool raw)
{
    size_t from = p->at;
    char quote = peek(p, 0);
    bool triple = peek(p, 1) == quote && peek(p, 2) == quote;
    struct buf text BUF_AUTO = BUF_INIT(CEL_MAX_TEXT);
    p->at += triple ? 3 : 1;
    for (;;) {
        if (p->at >= p->text.n || (!triple && peek(p, 0) == '\n')) {
            fail(p, from, "this text has no end");
            return;
        }
        if (peek(p, 0) == quote && (!triple || (peek(p, 1) == quote && peek(p, 2) == quote)))
            break;
        char c = p->text.p[p->at++];
        if (c != '\\' || raw) {
            buf_addc(&text, c);
        } else if (!lex_escape(p, &text)) {
            fail(p, p->at, "this escape is not known");
            return;
        }
    }
    p->at += triple ? 3 : 1;
    p->token.kind = TOKEN_LITERAL;
    p->token.value = (struct cel_value){.kind = CEL_STRING, .text = buf_copy(&text, p->arena)};
}

static void lex_word(struct parser *p)
{
    size_t from = p->at;
    while (is_letter(peek(p, 0)) || is_digit(peek(p, 0)) || peek(p, 0) == '_')
        p->at++;
    struct str word = str_slice(p->text, from, p->at);
    p->token.text = word;
    p->token.kind = TOKEN_IDENT;
    bool is_true = str_eqz(word, "true");
    if (is_true || str_eqz(word, "false")) {
        p->token.kind = TOKEN_LITERAL;
        p->token.value = (struct cel_value){.kind = CEL_BOOL, .boolean = is_true};
    } else if (str_eqz(word, "null")) {
        p->token.kind = TOKEN_LITERAL;
        p->token.value = (struct cel_value){.kind = CEL_NULL};
    } else if (str_eqz(word, "in")) {
        p->token.kind = TOKEN_MARK;
    }
}

static void lex_mark(struct parser *p)
{
    static const char *const marks[] = {"||", "&&", "==", "!=", "<=", ">="};
    size_t n = 1;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (str_starts(str_slice(p->text, p->at, p->text.n), str_of(marks[i])))
            n = 2;
    if (n == 1 && !strchr("?:!<>+-*/%.,()[]", peek(p, 0)))
        fail(p, p->at, "this character has no meaning here");
    p->token.kind = TOKEN_MARK;
    p->token.text = str_slice(p->text, p->at, p->at + n);
    p->at += n;
}

static void next(struct parser *p)
{
    skip_space(p);
    p->token = (struct token){.kind = TOKEN_END, .at = p->at};
    char c = peek(p, 0), after = peek(p, 1);
    if (p->at >= p->text.n || p->why.n > 0)
        return;
    if (is_digit(c) || (c == '.' && is_digit(after)))
        lex_number(p, false);
    else if (c == '"' || c == '\'')
        lex_string(p, false);
    else if ((c == 'r' || c == 'R') && (after == '"' || after == '\'')) {
        p->at++;
        lex_string(p, true);
    } else if ((c == 'b' || c == 'B') && (after == '"' || after == '\''))
        fail(p, p->at, "bytes are not supported");
    else if (is_letter(c) || c == '_')
        lex_word(p);
    else
        lex_mark(p);
}

static bool is_mark(const struct parser *p, const char *mark)
{
    return p->token.kind == TOKEN_MARK && str_eqz(p->token.text, mark);
}

static bool take(struct parser *p, const char *mark)
{
    if (!is_mark(p, mark))
        return false;
    next(p);
    return true;
}

static bool expect(struct parser *p, const char *mark)
{
    if (take(p, mark))
        return true;
    fail(p, p->token.at, arena_printf(p->arena, "'%s' is expected here", mark).p);
    return false;
}

/* --- tree --- */

static const struct cel *node(struct parser *p, struct cel e, const struct cel *const *args, size_t n)
{
    if (p->why.n > 0)
        return NULL;
    const struct cel **copy = arena_make_n(p->arena, const struct cel *, n);
    for (size_t i = 0; i < n; i++) {
        if (!args[i])
            return NULL;
        copy[i] = args[i];
        e.depth = args[i]->depth > e.depth ? args[i]->depth : e.depth;
    }
    if (++e.depth > CEL_MAX_DEPTH || ++p->nodes > CEL_MAX_NODES)
        return fail(p, p->token.at, "the expression is too large");
    struct cel *made = arena_make(p->arena, struct cel);
    *made = e;
    made->args = copy;
    made->n = n;
    return made;
}

static const struct cel *node_1(struct parser *p, enum cel_op op, const struct cel *x)
{
    return node(p, (struct cel){.op = op}, &x, 1);
}

static const struct cel *node_2(struct parser *p, enum cel_op op, const struct cel *x, const struct cel *y)
{
    const struct cel *args[] = {x, y};
    return node(p, (struct cel){.op = op}, args, 2);
}

static bool parse_list(struct parser *p, const char *end, cel_list *ret)
{
    while (!is_mark(p, end)) {
        const struct cel *e = parse_expression(p);
        if (!e)
            return false;
        *VEC_PUSH(p->arena, ret) = e;
        if (!take(p, ","))
            break;
    }
    return expect(p, end);
}

/* has(a.b): tests for the field instead of selecting it. */
static const struct cel *make_has(struct parser *p, size_t at, const cel_list *args)
{
    if (args->n != 1 || args->v[0]->op != CEL_SELECT)
        return fail(p, at, "has() takes one field, as in has(self.name)");
    return node(p, (struct cel){.op = CEL_HAS, .name = args->v[0]->name}, args->v[0]->args, 1);
}

static const struct cel *make_matches(struct parser *p, size_t at, const cel_list *args)
{
    struct diags ignored;
    diags_init(&ignored, p->arena);
    const struct cel *pattern = args->v[1];
    if (pattern->op != CEL_LITERAL || pattern->value.kind != CEL_STRING)
        return fail(p, at, "matches() is supported with a pattern that is a literal");
    const struct cfn_regex *regex = cfn_regex_compile(p->arena, pattern->value.text, &ignored);
    if (!regex)
        return fail(p, at, "this is not a valid pattern of RE2");
    return node(p, (struct cel){.op = CEL_CALL, .function = CEL_MATCHES, .pattern = regex}, args->v, 1);
}

static const struct cel *make_call(struct parser *p, size_t at, struct str name, const cel_list *args)
{
    static const struct {
        const char *name;
        size_t n;
        enum cel_function function;
    } functions[] = {{"size", 1, CEL_SIZE},
                     {"startsWith", 2, CEL_STARTS_WITH},
                     {"endsWith", 2, CEL_ENDS_WITH},
                     {"contains", 2, CEL_CONTAINS},
                     {"matches", 2, CEL_MATCHES}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!str_eqz(name, functions[i].name) || args->n != functions[i].n)
            continue;
        if (functions[i].function == CEL_MATCHES)
            return make_matches(p, at, args);
        return node(p, (struct cel){.op = CEL_CALL, .function = functions[i].function}, args->v, args->n);
    }
    return fail(p, at,
                arena_printf(p->arena, "there is no function " STR_FMT "() with %zu arguments here", STR_ARG(name), args->n).p);
}

/* list.all(x, condition) and the like: args are the list, the name, and one or two expressions. NULL: not a macro. */
static const struct cel *make_macro(struct parser *p, size_t at, struct str name, const cel_list *args)
{
    static const struct {
        const char *name;
        size_t most;
        enum cel_op op;
    } macros[] = {{"all", 3, CEL_ALL},
                  {"exists", 3, CEL_EXISTS},
                  {"exists_one", 3, CEL_EXISTS_ONE},
                  {"filter", 3, CEL_FILTER},
                  {"map", 4, CEL_TRANSFORM}};
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        if (!str_eqz(name, macros[i].name) || args->n < 3 || args->n > macros[i].most)
            continue;
        if (args->v[1]->op != CEL_IDENT)
            return fail(p, at, "the first argument must be a name");
        const struct cel *parts[3] = {args->v[0], args->v[2], args->n > 3 ? args->v[3] : NULL};
        return node(p, (struct cel){.op = macros[i].op, .name = args->v[1]->name}, parts, args->n - 1);
    }
    return NULL;
}

static const struct cel *parse_call(struct parser *p, size_t at, struct str name, const struct cel *receiver)
{
    cel_list args = {0};
    if (receiver)
        *VEC_PUSH(p->arena, &args) = receiver;
    if (!expect(p, "(") || !parse_list(p, ")", &args))
        return NULL;
    if (!receiver && str_eqz(name, "has"))
        return make_has(p, at, &args);
    if (!receiver && !str_eqz(name, "size"))
        return fail(p, at, arena_printf(p->arena, "there is no function " STR_FMT "()", STR_ARG(name)).p);
    const struct cel *macro = receiver ? make_macro(p, at, name, &args) : NULL;
    return macro || p->why.n > 0 ? macro : make_call(p, at, name, &args);
}

static const struct cel *parse_name(struct parser *p)
{
    size_t at = p->token.at;
    struct str name = p->token.text;
    if (is_reserved(name))
        return fail(p, at, arena_printf(p->arena, "\"" STR_FMT "\" is a reserved word", STR_ARG(name)).p);
    next(p);
    if (is_mark(p, "("))
        return parse_call(p, at, name, NULL);
    return node(p, (struct cel){.op = CEL_IDENT, .name = name}, NULL, 0);
}

static const struct cel *parse_primary(struct parser *p)
{
    if (p->token.kind == TOKEN_LITERAL) {
        struct cel e = {.op = CEL_LITERAL, .value = p->token.value};
        next(p);
        return node(p, e, NULL, 0);
    }
    if (p->token.kind == TOKEN_IDENT)
        return parse_name(p);
    if (take(p, "(")) {
        const struct cel *e = parse_expression(p);
        return e && expect(p, ")") ? e : NULL;
    }
    if (take(p, "[")) {
        cel_list items = {0};
        return parse_list(p, "]", &items) ? node(p, (struct cel){.op = CEL_MAKE_LIST}, items.v, items.n) : NULL;
    }
    return fail(p, p->token.at, p->token.kind == TOKEN_END ? "the expression ends too early" : "a value is expected here");
}

static const struct cel *parse_member(struct parser *p)
{
    const struct cel *e = parse_primary(p);
    while (e) {
        if (take(p, ".")) {
            size_t at = p->token.at;
            struct str name = p->token.text;
            if (p->token.kind != TOKEN_IDENT || is_reserved(name))
                return fail(p, at, "the name of a field is expected here (reserved words are written as __word__)");
            next(p);
            e = is_mark(p, "(") ? parse_call(p, at, name, e) : node(p, (struct cel){.op = CEL_SELECT, .name = name}, &e, 1);
        } else if (take(p, "[")) {
            const struct cel *index = parse_expression(p);
            e = index && expect(p, "]") ? node_2(p, CEL_INDEX, e, index) : NULL;
        } else {
            break;
        }
    }
    return e;
}

static const struct cel *parse_unary(struct parser *p)
{
    if (is_mark(p, "-") && is_digit(peek(p, 0))) { /* the smallest integer has no positive counterpart */
        p->token = (struct token){.at = p->token.at};
        lex_number(p, true);
        return parse_member(p);
    }
    enum cel_op op = is_mark(p, "!") ? CEL_NOT : CEL_NEGATE;
    if (!take(p, "!") && !take(p, "-"))
        return parse_member(p);
    if (++p->depth > CEL_MAX_DEPTH)
        return fail(p, p->token.at, "the expression is too large");
    const struct cel *e = parse_unary(p);
    p->depth--;
    return e ? node_1(p, op, e) : NULL;
}

struct infix {
    const char *mark;
    enum cel_op op;
};

static const struct infix *find_infix(const struct parser *p, const struct infix *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_mark(p, list[i].mark))
            return &list[i];
    return NULL;
}

/* Left-associative operators of one level, between expressions of the next level. */
static const struct cel *parse_binary(struct parser *p, int level)
{
    static const struct infix relations[] = {{"==", CEL_EQUAL},  {"!=", CEL_DIFFERENT},
                                             {"<", CEL_LESS},    {"<=", CEL_LESS_OR_EQUAL},
                                             {">", CEL_GREATER}, {">=", CEL_GREATER_OR_EQUAL},
                                             {"in", CEL_IN}},
                              sums[] = {{"+", CEL_ADD}, {"-", CEL_SUBTRACT}},
                              products[] = {{"*", CEL_MULTIPLY}, {"/", CEL_DIVIDE}, {"%", CEL_REMAINDER}};
    static const struct {
        const struct infix *v;
        size_t n;
    } levels[] = {{relations, 7}, {sums, 2}, {products, 3}};
    enum { N_LEVELS = 3 };
    if (level == N_LEVELS)
        return parse_unary(p);
    const struct cel *left = parse_binary(p, level + 1);
    const struct infix *found;
    while (left && (found = find_infix(p, levels[level].v, levels[level].n))) {
        next(p);
        const struct cel *right = parse_binary(p, level + 1);
        left = right ? node_2(p, found->op, left, right) : NULL;
    }
    return left;
}

/* a && b && c is one node, so that long rules are not deep. */
static const struct cel *parse_logical(struct parser *p, enum cel_op op)
{
    cel_list parts = {0};
    const char *mark = op == CEL_OR ? "||" : "&&";
    do {
        const struct cel *e = op == CEL_OR ? parse_logical(p, CEL_AND) : parse_binary(p, 0);
        if (!e)
            return NULL;
        *VEC_PUSH(p->arena, &parts) = e;
    } while (take(p, mark));
    return parts.n == 1 ? parts.v[0] : node(p, (struct cel){.op = op}, parts.v, parts.n);
}

static const struct cel *parse_choice(struct parser *p)
{
    const struct cel *condition = parse_logical(p, CEL_OR);
    if (!condition || !take(p, "?"))
        return condition;
    const struct cel *yes = parse_logical(p, CEL_OR);
    const struct cel *no = yes && expect(p, ":") ? parse_expression(p) : NULL;
    const struct cel *args[] = {condition, yes, no};
    return no ? node(p, (struct cel){.op = CEL_CHOOSE}, args, 3) : NULL;
}

static const struct cel *parse_expression(struct parser *p)
{
    if (++p->depth > CEL_MAX_DEPTH)
        return fail(p, p->token.at, "the expression is too large");
    const struct cel *e = parse_choice(p);
    p->depth--;
    return e;
}

const struct cel *cel_parse(struct arena *a, struct str text, struct str *ret_why)
{
    struct parser p = {.arena = a, .text = text};
    if (text.n > CEL_MAX_TEXT) {
        *ret_why = STR("the expression is too large");
        return NULL;
    }
    next(&p);
    const struct cel *e = parse_expression(&p);
    if (e && p.token.kind != TOKEN_END)
        e = fail(&p, p.token.at, "the expression should have ended here");
    if (!e || p.why.n > 0) {
        *ret_why = p.why;
        return NULL;
    }
    return e;
}
