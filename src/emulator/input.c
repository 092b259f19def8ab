#include "emulator/input.h"

#include "base/ascii.h"

#include <stdio.h>

enum { MAX_PROBLEMS = EMULATOR_MAX_BODY * 8 };

struct problems {
    struct buf text;
    size_t n;
};

/* Messages write "TypeName" as 'typeName'. */
static struct str member_name(struct arena *a, const char *key)
{
    return arena_printf(a, "%c%s", to_lower(key[0]), key + 1);
}

static void add_problem(struct problems *p, struct str value, struct str member, const char *constraint, ...)
    __attribute__((format(printf, 4, 5)));

/* `value` is as in the message, with a blank before it: " 'x'", " null" or nothing. */
static void add_problem(struct problems *p, struct str value, struct str member, const char *constraint, ...)
{
    char what[512];
    va_list args;
    va_start(args, constraint);
    (void)vsnprintf(what, sizeof what, constraint, args);
    va_end(args);
    buf_printf(&p->text, "%sValue" STR_FMT " at '" STR_FMT "' failed to satisfy constraint: %s", p->n > 0 ? "; " : "",
               STR_ARG(value), STR_ARG(member), what);
    p->n++;
}

static bool report(struct emulation *e, struct problems *p)
{
    if (p->n > 0)
        (void)emulation_fail(e, "ValidationException", "%zu validation error%s detected: " STR_FMT, p->n, p->n > 1 ? "s" : "",
                             STR_ARG(buf_str(&p->text)));
    bool ok = p->n == 0;
    buf_free(&p->text);
    return ok;
}

static bool fail_kind(struct emulation *e, const struct json *j, const char *wanted)
{
    static const char *const names[] = {
        [JSON_NULL] = "NULL_VALUE",     [JSON_BOOL] = "BOOLEAN_VALUE", [JSON_NUMBER] = "NUMBER_VALUE",
        [JSON_STRING] = "STRING_VALUE", [JSON_ARRAY] = "START_ARRAY",  [JSON_OBJECT] = "START_OBJECT"};
    return emulation_fail(e, "SerializationException", "%s can not be converted to %s", names[j->kind], wanted);
}

static const struct json *member_of(const struct json *input, const char *key)
{
    const struct json *j = json_get(input, key);
    return j && j->kind == JSON_NULL ? NULL : j;
}

static bool matches(struct emulator *e, const char *pattern, struct str text)
{
    const struct cfn_regex *regex = emulator_pattern(e, pattern);
    return !regex || cfn_regex_match(regex, text) == CFN_MATCH_YES;
}

static void check_text(struct emulation *e, const struct emulator_member *m, struct str text, struct problems *p)
{
    struct str name = member_name(e->arena, m->key);
    struct str value = m->secret ? STR_EMPTY : arena_printf(e->arena, " '" STR_FMT "'", STR_ARG(emulator_shown(e->arena, text)));
    size_t n = str_count_utf8(text);
    if (n < m->min)
        add_problem(p, value, name, "Member must have length greater than or equal to %zu", m->min);
    if (n > m->max)
        add_problem(p, value, name, "Member must have length less than or equal to %zu", m->max);
    if (m->pattern && !matches(e->emulator, m->pattern, text))
        add_problem(p, value, name, "Member must satisfy regular expression pattern: %s", m->pattern);
}

bool emulator_input_read(struct emulation *e, const struct emulator_member *members, size_t n)
{
    struct problems problems = {.text = BUF_INIT(MAX_PROBLEMS)};
    for (size_t i = 0; i < n; i++) {
        const struct json *j = member_of(e->input, members[i].key);
        *members[i].ret = STR_EMPTY;
        if (!j && members[i].required)
            add_problem(&problems, STR(" null"), member_name(e->arena, members[i].key), "Member must not be null");
        if (!j)
            continue;
        if (j->kind != JSON_STRING) {
            buf_free(&problems.text);
            return fail_kind(e, j, "a String");
        }
        check_text(e, &members[i], j->text, &problems);
        *members[i].ret = j->text;
    }
    return report(e, &problems);
}

bool emulator_input_page(struct emulation *e, size_t *ret)
{
    const struct json *j = member_of(e->input, "MaxResults");
    int64_t n = EMULATOR_PAGE;
    if (j && (j->kind != JSON_NUMBER || !str_to_i64(j->text, &n)))
        return fail_kind(e, j, "an Integer");
    struct problems problems = {.text = BUF_INIT(MAX_PROBLEMS)};
    struct str value = arena_printf(e->arena, " '%lld'", (long long)n);
    if (n < 1)
        add_problem(&problems, value, STR("maxResults"), "Member must have value greater than or equal to 1");
    if (n > EMULATOR_MAX_PAGE)
        add_problem(&problems, value, STR("maxResults"), "Member must have value less than or equal to %d", EMULATOR_MAX_PAGE);
    *ret = (size_t)n;
    return report(e, &problems);
}

static bool is_word(struct str text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eqz(text, words[i]))
            return true;
    return false;
}

static bool fail_words(struct emulation *e, const char *key, const struct json *given, const char *const *words, size_t n)
{
    struct problems problems = {.text = BUF_INIT(MAX_PROBLEMS)};
    struct buf value BUF_AUTO = BUF_INIT(MAX_PROBLEMS), all BUF_AUTO = BUF_INIT(512);
    for (size_t i = 0; i < given->array.n; i++)
        buf_printf(&value, "%s" STR_FMT, i > 0 ? ", " : " '[", STR_ARG(emulator_shown(e->arena, given->array.items[i]->text)));
    buf_addz(&value, "]'");
    for (size_t i = 0; i < n; i++)
        buf_printf(&all, "%s%s", i > 0 ? ", " : "", words[i]);
    add_problem(&problems, buf_str(&value),
                arena_printf(e->arena, "resourceRequestStatusFilter." STR_FMT, STR_ARG(member_name(e->arena, key))),
                "Member must satisfy constraint: [Member must satisfy enum value set: [" STR_FMT "]]", STR_ARG(buf_str(&all)));
    return report(e, &problems);
}

bool emulator_input_filter(struct emulation *e, const char *key, const char *const *words, size_t n, struct str *ret)
{
    const struct json *filter = member_of(e->input, "ResourceRequestStatusFilter");
    *ret = STR_EMPTY;
    if (!filter)
        return true;
    if (filter->kind != JSON_OBJECT)
        return fail_kind(e, filter, "a ResourceRequestStatusFilter");
    const struct json *given = member_of(filter, key);
    if (!given)
        return true;
    if (given->kind != JSON_ARRAY)
        return fail_kind(e, given, "a List");
    struct buf text BUF_AUTO = BUF_INIT(EMULATOR_MAX_BODY);
    bool known = true;
    for (size_t i = 0; i < given->array.n; i++) {
        const struct json *one = given->array.items[i];
        if (one->kind != JSON_STRING)
            return fail_kind(e, one, "a String");
        known &= is_word(one->text, words, n);
        buf_printf(&text, "%s" STR_FMT ",", i > 0 ? "" : ",", STR_ARG(one->text));
    }
    *ret = buf_copy(&text, e->arena);
    return known || fail_words(e, key, given, words, n);
}

const struct json *emulator_input_document(struct emulation *e, const char *key, struct str text, enum json_kind kind)
{
    struct diags diags;
    diags_init(&diags, e->arena);
    const struct json *document = json_parse(e->arena, text, key, &diags);
    if (document && document->kind == kind)
        return document;
    (void)emulation_fail(e, "ValidationException", "%s is not a JSON %s", key, kind == JSON_OBJECT ? "object" : "array");
    return NULL;
}
