#include "cli/args.h"

#include "base/clock.h"
#include "base/vec.h"

#include <stdlib.h>

enum { MAX_OPTIONS = 64, HELP_COLUMN = 26, MAX_CHOICES_TEXT = 1024 };

const char *args_closest(const char *typed, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = strlen(typed) / 3 + 2;
    for (; *names; names++) {
        size_t distance = str_distance(str_of(typed), str_of(*names));
        if (distance < best_distance) {
            best_distance = distance;
            best = *names;
        }
    }
    return best;
}

static const struct option *find_option(const struct option *options, struct str name)
{
    for (const struct option *o = options; o->name; o++)
        if (str_eqz(name, o->name))
            return o;
    return NULL;
}

static const struct option *find_letter(const struct option *options, char letter)
{
    for (const struct option *o = options; o->name; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

static bool parse_duration(struct str text, int64_t *ret)
{
    static const struct {
        const char *suffix;
        int64_t ns;
    } units[] = {{"ms", NS_PER_MS}, {"s", NS_PER_S}, {"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}};
    int64_t unit = NS_PER_S;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct str suffix = str_of(units[i].suffix);
        if (str_ends(text, suffix)) {
            unit = units[i].ns;
            text.n -= suffix.n;
            break;
        }
    }
    int64_t number;
    return str_to_i64(text, &number) && number > 0 && !__builtin_mul_overflow(number, unit, ret);
}

static bool parse_number(struct str text, int64_t *ret)
{
    int64_t number;
    if (!str_to_i64(text, &number) || number < 1)
        return false;
    *ret = number;
    return true;
}

static bool is_choice(struct str word, struct str choices)
{
    while (choices.n > 0)
        if (str_eq(word, str_cut(&choices, '|')))
            return true;
    return false;
}

/* Writes "a|b|c" as "a, b or c". */
static void write_choices(struct buf *out, struct str choices)
{
    while (choices.n > 0) {
        buf_add(out, str_cut(&choices, '|'));
        if (choices.n > 0)
            buf_addz(out, str_find(choices, '|', 0) == SIZE_MAX ? " or " : ", ");
    }
}

static bool check_choice(const struct option *o, struct str word, struct diags *diags)
{
    if (is_choice(word, str_of(o->value)))
        return true;
    struct buf list BUF_AUTO = BUF_INIT(MAX_CHOICES_TEXT);
    write_choices(&list, str_of(o->value));
    return diags_fail(diags, "Invalid option value", "--%s must be " STR_FMT ", not \"" STR_FMT "\".", o->name,
                      STR_ARG(buf_str(&list)), STR_ARG(word));
}

static bool check_choices(const struct option *o, struct str words, struct diags *diags)
{
    do {
        if (!check_choice(o, str_cut(&words, ','), diags))
            return false;
    } while (words.n > 0);
    return true;
}

static bool set_value(const struct option *o, const char *value, struct diags *diags)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = !value || strcmp(value, "true") == 0;
        if (!value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
            return true;
        return diags_fail(diags, "Invalid option value", "--%s is given alone, or as --%s=false; found \"%s\".", o->name, o->name,
                          value);
    case OPTION_TEXT:
        *(const char **)o->target = value;
        return true;
    case OPTION_NUMBER:
        if (parse_number(str_of(value), o->target))
            return true;
        return diags_fail(diags, "Invalid option value", "--%s must be a whole number, 1 or greater; found \"%s\".", o->name,
                          value);
    case OPTION_LIST:
        *VEC_PUSH(diags->arena, (struct option_texts *)o->target) = value;
        return true;
    case OPTION_CHOICE:
        *(const char **)o->target = value;
        return check_choice(o, str_of(value), diags);
    case OPTION_CHOICES:
        *(const char **)o->target = value;
        return check_choices(o, str_of(value), diags);
    case OPTION_DURATION:
        if (parse_duration(str_of(value), o->target))
            return true;
        return diags_fail(diags, "Invalid option value", "--%s must be a duration such as 90s, 2m or 500ms; found \"%s\".",
                          o->name, value);
    }
    return false;
}

static bool unknown_option(const struct command *command, const struct option *options, const char *typed, struct diags *diags)
{
    const char *names[MAX_OPTIONS] = {"help"};
    for (size_t i = 0; options[i].name && i + 2 < MAX_OPTIONS; i++)
        names[i + 1] = options[i].name;
    const char *closest = args_closest(typed + strspn(typed, "-"), names);
    if (closest)
        return diags_fail(diags, "Unknown option", "\"%s\" is not an option of \"terrane %s\". Did you mean --%s?", typed,
                          command->name, closest);
    return diags_fail(diags, "Unknown option", "\"%s\" is not an option of \"terrane %s\". See: terrane %s --help", typed,
                      command->name, command->name);
}

/* Handles the option at argv[*at], and moves *at past its value. */
static bool take_option(const struct command *command, const struct option *options, int argc, const char **argv, int *at,
                        struct diags *diags)
{
    const char *typed = argv[*at];
    const struct option *o;
    const char *value = NULL;
    if (typed[1] == '-') {
        struct str rest = str_of(typed + 2);
        struct str name = str_cut(&rest, '=');
        o = find_option(options, name);
        if (o && typed[2 + name.n] == '=')
            value = rest.p;
    } else {
        o = find_letter(options, typed[1]);
        if (o && typed[2])
            value = typed + 2;
    }
    if (!o)
        return unknown_option(command, options, typed, diags);
    if (o->kind != OPTION_FLAG && !value) {
        if (*at + 1 >= argc)
            return diags_fail(diags, "Missing option value", "--%s needs a value: --%s %s", o->name, o->name, o->value);
        value = argv[++*at];
    }
    return set_value(o, value, diags);
}

enum args_result args_parse(const struct command *command, const struct option *options, int argc, const char **argv,
                            struct diags *diags, int *ret_n)
{
    int n = 0;
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        if (ended || argv[i][0] != '-' || argv[i][1] == '\0')
            argv[n++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            ended = true;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return ARGS_HELP;
        else if (!take_option(command, options, argc, argv, &i, diags))
            return ARGS_WRONG;
    }
    *ret_n = n;
    return ARGS_OK;
}

static void write_option(struct buf *out, const struct option *o)
{
    size_t start = out->n;
    if (o->letter)
        buf_printf(out, "  -%c, --%s", o->letter, o->name);
    else
        buf_printf(out, "      --%s", o->name);
    if (o->kind != OPTION_FLAG)
        buf_printf(out, " %s", o->value);
    if (out->n - start >= HELP_COLUMN - 1) {
        buf_addc(out, '\n');
        start = out->n;
    }
    while (out->n - start < HELP_COLUMN && buf_ok(out))
        buf_addc(out, ' ');
    buf_printf(out, "%s\n", o->help);
}

void args_help(struct buf *out, const struct command *command, const struct option *options)
{
    buf_printf(out, "terrane %s: %s\n\nusage: terrane %s%s%s\n", command->name, command->summary, command->name,
               command->usage[0] ? " " : "", command->usage);
    if (command->details)
        buf_printf(out, "\n%s\n", command->details);
    buf_addz(out, "\noptions:\n");
    for (const struct option *o = options; o->name; o++)
        write_option(out, o);
    buf_addz(out, "  -h, --help              show this help\n");
    if (command->example)
        buf_printf(out, "\nexamples:\n%s\n", command->example);
}

/* The next word of a usage that is neither an option nor an option's value; empty: there is none. */
static struct str next_argument(struct str *usage)
{
    while (usage->n > 0) {
        struct str word = str_cut(usage, ' ');
        bool ends = word.n > 0 && word.p[word.n - 1] == ']'; /* as in [--json]: an option without a value, or the end of one */
        while (word.n > 0 && (word.p[0] == '[' || word.p[0] == '('))
            word = str_slice(word, 1, word.n);
        if (word.n > 1 && word.p[0] == '-') {
            if (!ends)
                (void)str_cut(usage, ' ');
        } else if (word.n > 0 && !str_eqz(word, "|") && !str_eqz(word, "options]")) {
            return word;
        }
    }
    return STR_EMPTY;
}

static struct str without_brackets(struct str word)
{
    size_t n = 0;
    while (n < word.n && word.p[n] != '[' && word.p[n] != ']' && word.p[n] != ')' && word.p[n] != '/')
        n++;
    struct str name = str_slice(word, 0, n);
    return str_ends(name, STR("...")) ? str_slice(name, 0, name.n - strlen("...")) : name;
}

struct str args_argument(const char *usage, size_t number)
{
    struct str rest = str_of(usage), word = STR_EMPTY;
    for (size_t i = 0; i <= number; i++) {
        struct str next = next_argument(&rest);
        if (next.n == 0)
            return str_contains(word, STR("...")) ? without_brackets(word) : STR_EMPTY;
        word = next;
    }
    return without_brackets(word);
}
