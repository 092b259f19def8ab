#include "translate/validators.h"

#include "base/map.h"
#include "cfn/regex.h"
#include "translate/node.h"

#include <stdio.h>
#include <stdlib.h>

const char *cc_validator_name(enum cc_validator_kind kind)
{
    static const char *const names[] = {
        [CC_V_AT_LEAST] = "AtLeast",
        [CC_V_AT_MOST] = "AtMost",
        [CC_V_BETWEEN] = "Between",
        [CC_V_LENGTH_AT_LEAST] = "LengthAtLeast",
        [CC_V_LENGTH_AT_MOST] = "LengthAtMost",
        [CC_V_LENGTH_BETWEEN] = "LengthBetween",
        [CC_V_SIZE_AT_LEAST] = "SizeAtLeast",
        [CC_V_SIZE_AT_MOST] = "SizeAtMost",
        [CC_V_SIZE_BETWEEN] = "SizeBetween",
        [CC_V_ONE_OF] = "OneOf",
        [CC_V_REGEX] = "RegexMatches",
        [CC_V_UNIQUE] = "UniqueValues",
        [CC_V_STRINGS] = "ValueStringsAre",
        [CC_V_INT64S] = "ValueInt64sAre",
        [CC_V_NOT_NULL] = "NotNull",
    };
    return names[kind];
}

/* --- compiled patterns --- */

struct cc_patterns {
    struct arena *arena;
    struct map compiled; /* pattern -> const struct cfn_regex *, or `unusable` */
};

static const char unusable;

struct cc_patterns *cc_patterns_new(struct arena *a)
{
    struct cc_patterns *p = arena_make(a, struct cc_patterns);
    p->arena = a;
    map_init(&p->compiled, a);
    return p;
}

/* NULL if the matcher cannot handle the pattern; then it is not checked. */
static const struct cfn_regex *find_pattern(struct arena *a, struct cc_patterns *patterns, struct str pattern)
{
    const void *known = patterns ? map_get(&patterns->compiled, pattern) : NULL;
    if (known)
        return known == &unusable ? NULL : known;
    struct arena *to = patterns ? patterns->arena : a;
    struct diags ignored;
    diags_init(&ignored, a);
    const struct cfn_regex *regex = cfn_regex_compile(to, pattern, &ignored);
    if (patterns)
        map_put(&patterns->compiled, arena_str(to, pattern), regex ? (void *)regex : (void *)&unusable);
    return regex;
}

/* --- messages --- */

struct checking {
    struct arena *a;
    const struct cc_node *attr; /* the attribute that the value belongs to */
    struct cc_patterns *patterns;
    struct diags *diags;
};

/* A value for a message; write-only values are not shown. */
static struct str shown(const struct checking *c, struct str text)
{
    return c->attr->write_only ? STR("(hidden)") : text;
}

static void wrong(const struct checking *c, struct path path, const char *summary, struct str rule, struct str got)
{
    struct str where = path_text(c->a, path);
    (void)diags_fail_at(c->diags, path, summary, "Attribute " STR_FMT " " STR_FMT ", got: " STR_FMT, STR_ARG(where),
                        STR_ARG(rule), STR_ARG(shown(c, got)));
}

/* "at least 1", "at most 5", "between 1 and 5" of texts; `kind` relative to the first of its family. */
static struct str bounds(struct arena *a, unsigned kind, struct str min, struct str max)
{
    if (kind == 0)
        return arena_printf(a, "at least " STR_FMT, STR_ARG(min));
    if (kind == 1)
        return arena_printf(a, "at most " STR_FMT, STR_ARG(max));
    return arena_printf(a, "between " STR_FMT " and " STR_FMT, STR_ARG(min), STR_ARG(max));
}

static bool outside(int64_t n, const struct cc_validator *v, unsigned kind)
{
    return (kind != 1 && n < v->min_size) || (kind != 0 && n > v->max_size);
}

static struct str int_text(struct arena *a, int64_t n)
{
    return arena_printf(a, "%lld", (long long)n);
}

/* --- one validator --- */

static struct str number_shown(struct arena *a, enum cc_kind kind, struct number n)
{
    struct str text = number_text(a, n);
    return kind == CC_FLOAT64 ? arena_printf(a, "%f", strtod(text.p, NULL)) : text;
}

static void check_range(const struct checking *c, const struct cc_validator *v, enum cc_kind kind, const struct value *value,
                        struct path path)
{
    unsigned bound = v->kind - CC_V_AT_LEAST;
    if ((bound == 1 || number_cmp(value->number, v->min) >= 0) && (bound == 0 || number_cmp(value->number, v->max) <= 0))
        return;
    struct str rule = bounds(c->a, bound, number_shown(c->a, kind, v->min), number_shown(c->a, kind, v->max));
    wrong(c, path, "Invalid Attribute Value", arena_printf(c->a, "value must be " STR_FMT, STR_ARG(rule)),
          number_shown(c->a, kind, value->number));
}

static void check_length(const struct checking *c, const struct cc_validator *v, const struct value *value, struct path path)
{
    unsigned bound = v->kind - CC_V_LENGTH_AT_LEAST;
    if (!outside((int64_t)value->string.n, v, bound))
        return;
    struct str rule = bounds(c->a, bound, int_text(c->a, v->min_size), int_text(c->a, v->max_size));
    wrong(c, path, "Invalid Attribute Value Length", arena_printf(c->a, "string length must be " STR_FMT, STR_ARG(rule)),
          int_text(c->a, (int64_t)value->string.n));
}

static void check_size(const struct checking *c, const struct cc_validator *v, const struct value *value, struct path path)
{
    unsigned bound = v->kind - CC_V_SIZE_AT_LEAST;
    if (!outside((int64_t)value->n, v, bound))
        return;
    struct buf rule BUF_AUTO = BUF_INIT(1 << 10);
    buf_printf(&rule, "%s must contain ", value->type->kind == TYPE_SET ? "set" : "list");
    if (bound != 1)
        buf_printf(&rule, "at least %lld elements", (long long)v->min_size);
    if (bound == 2)
        buf_addz(&rule, " and ");
    if (bound != 0)
        buf_printf(&rule, "at most %lld elements", (long long)v->max_size);
    wrong(c, path, "Invalid Attribute Value", buf_copy(&rule, c->a), int_text(c->a, (int64_t)value->n));
}

static bool is_value(const struct checking *c, const struct json *allowed, const struct value *value)
{
    struct number n;
    if (value->type->kind == TYPE_STRING)
        return allowed->kind == JSON_STRING && str_eq(allowed->text, value->string);
    return allowed->kind == JSON_NUMBER && number_parse(c->a, allowed->text, &n) && number_eq(n, value->number);
}

static void write_values(struct buf *out, const struct json *values)
{
    buf_addz(out, "value must be one of: [");
    for (size_t i = 0; i < values->array.n; i++) {
        const struct json *allowed = values->array.items[i];
        const char *quote = allowed->kind == JSON_STRING ? "\"" : "";
        buf_printf(out, "%s%s" STR_FMT "%s", i > 0 ? " " : "", quote, STR_ARG(json_text(allowed, STR_EMPTY)), quote);
    }
    buf_addz(out, "]");
}

static void check_one_of(const struct checking *c, const struct cc_validator *v, const struct value *value, struct path path)
{
    enum { MAX_RULE = 1 << 20 };
    bool text = value->type->kind == TYPE_STRING;
    struct buf rule BUF_AUTO = BUF_INIT(MAX_RULE);
    for (size_t i = 0; i < v->values->array.n; i++)
        if (is_value(c, v->values->array.items[i], value))
            return;
    write_values(&rule, v->values);
    wrong(c, path, "Invalid Attribute Value Match", buf_copy(&rule, c->a),
          text ? arena_printf(c->a, "\"" STR_FMT "\"", STR_ARG(value->string)) : number_text(c->a, value->number));
}

static void check_pattern(const struct checking *c, const struct cc_validator *v, const struct value *value, struct path path)
{
    const struct cfn_regex *regex = find_pattern(c->a, c->patterns, v->pattern);
    /* If a pattern is too hard to match, the service checks it. */
    if (!regex || cfn_regex_match(regex, value->string) != CFN_MATCH_NO)
        return;
    wrong(c, path, "Invalid Attribute Value Match",
          arena_printf(c->a, "value must match regular expression '" STR_FMT "'", STR_ARG(v->pattern)), value->string);
}

static void check_unique(const struct checking *c, const struct value *value, struct path path)
{
    for (size_t i = 0; i < value->n; i++)
        for (size_t k = i + 1; k < value->n; k++) {
            if (!value->elements[i]->wholly_known || !value_raw_eq(value->elements[i], value->elements[k]))
                continue;
            const struct value *twice = value->elements[i];
            struct str text = twice->state == VALUE_KNOWN && twice->type->kind == TYPE_STRING ? twice->string : STR("an element");
            (void)diags_fail_at(c->diags, path, "Duplicate List Value", "This attribute contains duplicate values of: " STR_FMT,
                                STR_ARG(shown(c, text)));
            return;
        }
}

static void check_value(const struct checking *c, const struct cc_node *node, const struct cc_validator *v, size_t n,
                        const struct value *value, struct path path);

static void check_elements(const struct checking *c, const struct cc_node *node, const struct cc_validator *v,
                           const struct value *value, struct path path)
{
    for (size_t i = 0; i < value->n; i++) {
        struct path at =
            value->type->kind == TYPE_SET ? path_element(c->a, path, value->elements[i]) : path_index(c->a, path, (int64_t)i);
        check_value(c, node->element, v->elements, v->n_elements, value->elements[i], at);
    }
}

static void check_known(const struct checking *c, const struct cc_node *node, const struct cc_validator *v,
                        const struct value *value, struct path path)
{
    switch (v->kind) {
    case CC_V_AT_LEAST:
    case CC_V_AT_MOST:
    case CC_V_BETWEEN:
        check_range(c, v, node->kind, value, path);
        break;
    case CC_V_LENGTH_AT_LEAST:
    case CC_V_LENGTH_AT_MOST:
    case CC_V_LENGTH_BETWEEN:
        check_length(c, v, value, path);
        break;
    case CC_V_SIZE_AT_LEAST:
    case CC_V_SIZE_AT_MOST:
    case CC_V_SIZE_BETWEEN:
        check_size(c, v, value, path);
        break;
    case CC_V_ONE_OF:
        check_one_of(c, v, value, path);
        break;
    case CC_V_REGEX:
        check_pattern(c, v, value, path);
        break;
    case CC_V_UNIQUE:
        check_unique(c, value, path);
        break;
    case CC_V_STRINGS:
    case CC_V_INT64S:
        check_elements(c, node, v, value, path);
        break;
    case CC_V_NOT_NULL:
        break;
    }
}

static void check_value(const struct checking *c, const struct cc_node *node, const struct cc_validator *v, size_t n,
                        const struct value *value, struct path path)
{
    for (size_t i = 0; i < n; i++)
        if (value->state == VALUE_KNOWN)
            check_known(c, node, &v[i], value, path);
        else if (value->state == VALUE_NULL && v[i].kind == CC_V_NOT_NULL)
            (void)diags_fail_at(c->diags, path, "Missing Attribute Value", STR_FMT ": value must be configured",
                                STR_ARG(path_text(c->a, path)));
}

/* --- rules that follow from the type --- */

static void check_json(const struct checking *c, const struct value *value, struct path path)
{
    struct diags ignored;
    diags_init(&ignored, c->a);
    if (json_parse(c->a, value->string, "", &ignored))
        return;
    (void)diags_fail_at(c->diags, path, "Invalid JSON String Value",
                        "A string value was provided that is not valid JSON string format (RFC 7159).\n\nGiven Value: " STR_FMT
                        "\n",
                        STR_ARG(shown(c, value->string)));
}

static bool digits(struct str s, size_t from, size_t n, int low, int high)
{
    int value = 0;
    if (from + n > s.n)
        return false;
    for (size_t i = from; i < from + n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        value = value * 10 + (s.p[i] - '0');
    }
    return value >= low && value <= high;
}

static int two(struct str s, size_t at)
{
    return (s.p[at] - '0') * 10 + (s.p[at + 1] - '0');
}

static bool is_day(struct str s)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = two(s, 0) * 100 + two(s, 2), month = two(s, 5), day = two(s, 8);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= days[month - 1] && (month != 2 || day < 29 || leap);
}

static bool is_zone(struct str s)
{
    if (str_eqz(s, "Z"))
        return true;
    return s.n == 6 && (s.p[0] == '+' || s.p[0] == '-') && s.p[3] == ':' && digits(s, 1, 2, 0, 23) && digits(s, 4, 2, 0, 59);
}

/* 2006-01-02T15:04:05.999Z, or +01:00 instead of Z. */
static bool is_rfc3339(struct str s)
{
    enum { SECONDS_END = 19 };
    if (!digits(s, 0, 4, 0, 9999) || !digits(s, 5, 2, 1, 12) || !digits(s, 8, 2, 1, 31) || !digits(s, 11, 2, 0, 23) ||
        !digits(s, 14, 2, 0, 59) || !digits(s, 17, 2, 0, 59))
        return false;
    if (s.p[4] != '-' || s.p[7] != '-' || s.p[10] != 'T' || s.p[13] != ':' || s.p[16] != ':' || !is_day(s))
        return false;
    size_t end = SECONDS_END;
    if (end < s.n && (s.p[end] == '.' || s.p[end] == ',')) {
        size_t start = ++end;
        while (end < s.n && s.p[end] >= '0' && s.p[end] <= '9')
            end++;
        if (end == start)
            return false;
    }
    return is_zone(str_slice(s, end, s.n));
}

static void check_type(const struct checking *c, const struct cc_node *node, const struct value *value, struct path path)
{
    int64_t ignored;
    if (value->state != VALUE_KNOWN)
        return;
    if (node->kind == CC_STRING && node->text == CC_TEXT_JSON)
        check_json(c, value, path);
    else if (node->kind == CC_STRING && node->text == CC_TEXT_RFC3339 && !is_rfc3339(value->string))
        (void)diags_fail_at(c->diags, path, "Invalid RFC3339 String Value",
                            "A string value was provided that is not valid RFC3339 string format.\n\nGiven Value: " STR_FMT "\n",
                            STR_ARG(shown(c, value->string)));
    else if (node->kind == CC_INT64 && !number_to_i64(value->number, &ignored))
        wrong(c, path, "Invalid Attribute Value", STR("value must be a whole number of 64 bits"),
              number_text(c->a, value->number));
}

/* --- whole configurations --- */

void cc_validate_node(struct arena *a, const struct cc_node *node, const struct value *v, struct path path,
                      struct cc_patterns *patterns, struct diags *diags)
{
    struct checking c = {a, cc_node_attr(node), patterns, diags};
    check_type(&c, node, v, path);
    check_value(&c, node, node->validators, node->n_validators, v, path);
}

static struct path child_path(struct arena *a, struct path path, const struct cc_node *node, const struct value *v, size_t i)
{
    switch (node->kind) {
    case CC_OBJECT:
        return path_attr(a, path, node->children[i].name);
    case CC_MAP:
        return path_key(a, path, v->keys[i]);
    case CC_SET:
        return path_element(a, path, v->elements[i]);
    default:
        return path_index(a, path, (int64_t)i);
    }
}

static void validate_at(struct arena *a, const struct cc_node *node, const struct value *v, struct path path,
                        struct cc_patterns *patterns, struct diags *diags)
{
    if (node->role == CC_ROLE_TIMEOUTS)
        return;
    cc_validate_node(a, node, v, path, patterns, diags);
    if (v->state != VALUE_KNOWN || (node->kind != CC_OBJECT && !node->element))
        return;
    for (size_t i = 0; i < v->n; i++) {
        const struct cc_node *inner = node->kind == CC_OBJECT ? &node->children[i] : node->element;
        validate_at(a, inner, v->elements[i], child_path(a, path, node, v, i), patterns, diags);
    }
}

void cc_validate(struct arena *a, const struct cc_node *root, const struct value *config, struct cc_patterns *patterns,
                 struct diags *diags)
{
    validate_at(a, root, config, PATH_ROOT, patterns, diags);
}
