#include "cfn/regex.h"

#include "base/ascii.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

bool cfn_regex_check(struct str pattern, const char **ret_why)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return cfn_pattern_parse(scratch, pattern, ret_why) != NULL;
}

/* --- PCRE2's text --- */

enum { MAX_OUT = CFN_PATTERN_MAX * 12 };

/* A literal character, escaped if necessary. */
static void write_character(struct buf *out, uint32_t c)
{
    if (c < 0x80 && (is_letter((char)c) || is_digit((char)c)))
        buf_addc(out, (char)c);
    else
        buf_printf(out, "\\x{%x}", c);
}

/* PCRE2's \s has one character more than RE2's. */
static const char *perl_class(char letter, bool negated)
{
    switch (letter) {
    case 'd':
        return negated ? "\\D" : "0-9";
    case 's':
        return negated ? "\\S\\x{b}" : "\\t\\n\\f\\r ";
    default:
        return negated ? "\\W" : "0-9A-Za-z_";
    }
}

static void write_class_part(struct buf *out, const struct cfn_class_part *part)
{
    switch (part->kind) {
    case CFN_CLASS_RANGE:
        write_character(out, part->low);
        if (part->high != part->low) {
            buf_addc(out, '-');
            write_character(out, part->high);
        }
        break;
    case CFN_CLASS_PERL:
        buf_addz(out, perl_class(part->letter, part->negated));
        break;
    case CFN_CLASS_POSIX:
        buf_printf(out, "[:%s" STR_FMT ":]", part->negated ? "^" : "", STR_ARG(part->name));
        break;
    case CFN_CLASS_UNICODE:
        buf_printf(out, "\\%c{" STR_FMT "}", part->negated ? 'P' : 'p', STR_ARG(part->name));
        break;
    }
}

static void write_class(struct buf *out, const struct cfn_pattern *p)
{
    buf_addz(out, p->negated ? "[^" : "[");
    for (size_t i = 0; i < p->n_classes; i++)
        write_class_part(out, &p->classes[i]);
    buf_addc(out, ']');
}

/* Recursion is limited by the parser (CFN_PATTERN_MAX_DEPTH). */
static void write_pattern(struct buf *out, const struct cfn_pattern *p)
{
    const char *between = p->kind == CFN_PATTERN_ALTERNATIVES ? "|" : "", *after = "";
    struct str before = STR_EMPTY;
    switch (p->kind) {
    case CFN_PATTERN_CHARACTER:
        write_character(out, p->character);
        return;
    case CFN_PATTERN_ANY:
        buf_addc(out, '.');
        return;
    case CFN_PATTERN_CLASS:
        write_class(out, p);
        return;
    case CFN_PATTERN_ANCHOR: /* in PCRE2 it can be repeated only as a group */
        buf_printf(out, "(?:" STR_FMT ")", STR_ARG(p->text));
        return;
    case CFN_PATTERN_FLAGS:
        buf_add(out, p->text);
        return;
    case CFN_PATTERN_GROUP:
        before = p->text;
        after = ")";
        break;
    case CFN_PATTERN_REPETITION:
        if (p->parts[0]->kind == CFN_PATTERN_REPETITION) { /* flags were between the two */
            before = STR("(?:");
            after = ")";
        }
        break;
    case CFN_PATTERN_SEQUENCE:
    case CFN_PATTERN_ALTERNATIVES:
        break;
    }
    buf_add(out, before);
    for (size_t i = 0; i < p->n_parts; i++) {
        buf_addz(out, i > 0 ? between : "");
        write_pattern(out, p->parts[i]);
    }
    buf_addz(out, after);
    if (p->kind == CFN_PATTERN_REPETITION)
        buf_add(out, p->text);
}

/* --- matching --- */

struct cfn_regex {
    pcre2_code *code;
};

static void free_code(void *code)
{
    pcre2_code_free(code);
}

static const struct cfn_regex *compile(struct arena *a, struct str translated)
{
    int error;
    PCRE2_SIZE where;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;
    if (context) {
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        (void)pcre2_set_parens_nest_limit(context, CFN_PATTERN_MAX_DEPTH + 1);
        code = pcre2_compile((PCRE2_SPTR)translated.p, translated.n,
                             PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_AUTO_CAPTURE, &error, &where,
                             context);
        pcre2_compile_context_free(context);
    }
    if (!code)
        return NULL;
    arena_on_free(a, free_code, code);
    struct cfn_regex *regex = arena_make(a, struct cfn_regex);
    regex->code = code;
    return regex;
}

const struct cfn_regex *cfn_regex_of(struct arena *a, const struct cfn_pattern *pattern)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUT);
    write_pattern(&out, pattern);
    return buf_ok(&out) ? compile(a, buf_str(&out)) : NULL;
}

const struct cfn_regex *cfn_regex_compile(struct arena *a, struct str pattern, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const char *why = "it is too large";
    const struct cfn_pattern *tree = cfn_pattern_parse(scratch, pattern, &why);
    const struct cfn_regex *regex = tree ? cfn_regex_of(a, tree) : NULL;
    if (!regex)
        (void)diags_fail(diags, "Unusable pattern", "The pattern \"" STR_FMT "\" is not a valid RE2 pattern: %s.",
                         STR_ARG(pattern), why);
    return regex;
}

enum cfn_match cfn_regex_match(const struct cfn_regex *regex, struct str text)
{
    enum { STEPS = 1000000, HEAP_KB = 16384 };
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    enum cfn_match result = CFN_MATCH_TOO_HARD;
    if (data && context) {
        (void)pcre2_set_match_limit(context, STEPS);
        (void)pcre2_set_heap_limit(context, HEAP_KB);
        int n = pcre2_match(regex->code, (PCRE2_SPTR)text.p, text.n, 0, 0, data, context);
        result = n >= 0 ? CFN_MATCH_YES : n == PCRE2_ERROR_NOMATCH ? CFN_MATCH_NO : CFN_MATCH_TOO_HARD;
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return result;
}
