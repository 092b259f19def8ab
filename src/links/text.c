/* Parses the text of a table. */
#include "links/links.h"

enum { MAX_WORDS = 6 };

struct reader {
    struct link_table *table;
    const char *source;
    uint32_t line;
    size_t n_errors;
    struct diags *diags;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(r->diags->arena, format, args);
    va_end(args);
    r->n_errors++;
    diags_fail(r->diags, "Invalid link", "%s:%u: " STR_FMT, r->source, r->line, STR_ARG(text));
}

/* A # that begins a word begins a comment. */
static size_t split(struct str line, struct str *words)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n && n < MAX_WORDS;) {
        if (strchr(" \t\r", line.p[i]) && line.p[i]) {
            i++;
            continue;
        }
        if (line.p[i] == '#')
            break;
        size_t from = i;
        while (i < line.n && (line.p[i] == '\0' || !strchr(" \t\r", line.p[i])))
            i++;
        words[n++] = str_slice(line, from, i);
    }
    return n;
}

/* An untrusted word, made safe for a message. */
static struct str shown(struct str word)
{
    enum { SHOWN = 60 };
    word = str_slice(word, 0, SHOWN);
    while (word.n > 0 && !str_is_utf8(word))
        word.n--;
    return word;
}

static bool read_kind(struct reader *r, struct str word, struct link_rule *rule)
{
    if (str_eqz(word, "part"))
        rule->kind = LINK_PART;
    else if (!str_eqz(word, "whole")) {
        bool close = str_distance(word, STR("part")) <= 2;
        wrong(r, "\"" STR_FMT "\" is not a valid kind of link; %s", STR_ARG(shown(word)),
              close ? "did you mean \"part\"?" : "only \"part\" is allowed after the target.");
        return false;
    }
    return true;
}

static bool read_target(struct reader *r, struct str word, struct link_rule *rule)
{
    if (str_eqz(word, "none")) {
        rule->kind = LINK_NONE;
        return true;
    }
    struct str rest = word;
    rule->target = str_cut(&rest, '.');
    rule->attribute = rest;
    if (rest.n > 0)
        return true;
    wrong(r, "the target \"" STR_FMT "\" has no attribute; did you mean \"" STR_FMT ".id\"?", STR_ARG(shown(word)),
          STR_ARG(shown(rule->target)));
    return false;
}

static bool read_words(struct reader *r, const struct str *words, size_t n, struct link_rule *rule)
{
    static const char form[] = "TYPE PATH -> TARGET.ATTRIBUTE";
    if (n >= 3 && !str_eqz(words[2], "->")) {
        bool close = str_eqz(words[2], "=>") || str_eqz(words[2], "=") || str_eqz(words[2], ">") || str_eqz(words[2], "-");
        wrong(r, "expected \"->\", found \"" STR_FMT "\"; %s%s.", STR_ARG(shown(words[2])),
              close ? "did you mean \"->\"? A rule is " : "a rule is ", form);
        return false;
    }
    if (n < 4) {
        wrong(r, "a rule is %s.", form);
        return false;
    }
    rule->type = words[0];
    rule->path = words[1];
    if (!read_target(r, words[3], rule))
        return false;
    if (n > 5 || (n == 5 && rule->kind == LINK_NONE)) {
        wrong(r, "unexpected \"" STR_FMT "\": a rule is %s, optionally followed by \"part\".", STR_ARG(shown(words[n - 1])),
              form);
        return false;
    }
    return n == 4 || read_kind(r, words[4], rule);
}

static void say_wrong(struct reader *r, const struct link_rule *rule)
{
    if (!link_path_is_valid(rule->path, true))
        wrong(r,
              "\"" STR_FMT "\" is not a valid path; expected names joined with dots, each followed by [] if it is a list or {} "
              "if it is a map. A name may contain * and ?; ** matches any number of names.",
              STR_ARG(shown(rule->path)));
    else if (rule->kind != LINK_NONE && !link_path_is_valid(rule->attribute, false))
        wrong(r, "\"" STR_FMT "\" is not a valid attribute: wildcards are not allowed in it.", STR_ARG(shown(rule->attribute)));
    else
        wrong(r, "\"" STR_FMT "\" or \"" STR_FMT "\" is not a valid resource type; only the first may contain *, ? and {a,b}.",
              STR_ARG(shown(rule->type)), STR_ARG(shown(rule->target)));
}

static void read_line(struct reader *r, struct str line)
{
    struct str words[MAX_WORDS];
    size_t n = split(line, words);
    struct link_rule rule = {.target = STR_EMPTY, .attribute = STR_EMPTY, .source = r->source, .line = r->line};
    if (n == 0 || !read_words(r, words, n, &rule))
        return;
    switch (links_add(r->table, &rule)) {
    case LINK_ADDED:
    case LINK_REPEATED:
        break;
    case LINK_WRONG:
        say_wrong(r, &rule);
        break;
    case LINK_FULL:
        wrong(r, "a table has at most %d rules.", (int)LINKS_MAX_RULES);
        r->n_errors = LINKS_MAX_ERRORS;
        break;
    }
}

bool links_read(struct link_table *t, struct str text, const char *source, struct diags *diags)
{
    struct reader r = {.table = t, .source = arena_str(t->arena, str_of(source)).p, .diags = diags};
    if (text.n > LINKS_MAX_FILE)
        return diags_fail(diags, "Invalid link", "%s: longer than %d bytes.", source, (int)LINKS_MAX_FILE);
    while (text.n > 0 && r.n_errors < LINKS_MAX_ERRORS) {
        r.line++;
        read_line(&r, str_cut(&text, '\n'));
    }
    return r.n_errors == 0;
}
