#include "managed/object.h"

#include "base/ascii.h"
#include "base/clock.h"

#include <time.h>

/* --- identity --- */

struct str managed_kind(const struct json *o)
{
    return managed_text(json_get(o, "kind"));
}

struct str managed_group(const struct json *o)
{
    struct str version = managed_text(json_get(o, "apiVersion"));
    size_t slash = str_find(version, '/', 0);
    return slash == SIZE_MAX ? STR_EMPTY : str_slice(version, 0, slash);
}

static const struct json *metadata(const struct json *o, const char *key)
{
    return managed_at(o, "metadata", key, NULL);
}

struct str managed_name(const struct json *o)
{
    return managed_text(metadata(o, "name"));
}

struct str managed_namespace(const struct json *o)
{
    return managed_text(metadata(o, "namespace"));
}

struct str managed_uid(const struct json *o)
{
    return managed_text(metadata(o, "uid"));
}

int64_t managed_generation(const struct json *o)
{
    return json_int(metadata(o, "generation"), 0);
}

bool managed_is_deleted(const struct json *o)
{
    return managed_text(metadata(o, "deletionTimestamp")).n > 0;
}

struct str managed_provider_config(const struct json *o)
{
    return managed_text(managed_at(o, "spec", "providerConfigRef", "name", NULL));
}

/* --- annotations and labels --- */

struct str managed_annotation(const struct json *o, const char *key)
{
    return managed_text(managed_at(o, "metadata", "annotations", key, NULL));
}

const struct json *managed_annotate(struct arena *a, const struct json *o, const char *key, struct str value)
{
    return managed_put(a, o, json_make_string(a, value), "metadata", "annotations", key, NULL);
}

const struct json *managed_unannotate(struct arena *a, const struct json *o, const char *key)
{
    if (!managed_at(o, "metadata", "annotations", key, NULL))
        return o;
    return managed_put(a, o, NULL, "metadata", "annotations", key, NULL);
}

bool managed_labels_match(const struct json *o, const struct json *labels)
{
    const struct json *have = metadata(o, "labels");
    for (size_t i = 0; managed_is_object(labels) && i < labels->object.n; i++) {
        const struct json *value = json_get_str(have, labels->object.members[i].key);
        if (!value || !json_eq(value, labels->object.members[i].value))
            return false;
    }
    return true;
}

bool managed_is_paused_by_annotation(const struct json *o)
{
    return str_eqz(managed_annotation(o, MANAGED_PAUSED), "true") && !str_eqz(managed_annotation(o, MANAGED_BY), MANAGED_BY_US);
}

bool managed_is_of_another(const struct json *o)
{
    struct str who = managed_annotation(o, MANAGED_BY);
    return who.n > 0 && !str_eqz(who, MANAGED_BY_US);
}

/* --- times --- */

struct str managed_time_text(struct arena *a, int64_t wall_ns)
{
    char text[CLOCK_TEXT];
    clock_format(wall_ns, text);
    struct str seconds = str_slice(str_of(text), 0, strlen("2026-11-15T07:38:06"));
    return arena_printf(a, STR_FMT "Z", STR_ARG(seconds));
}

/* Takes `n` digits; false: there are fewer. */
static bool take_digits(struct str *s, size_t n, int *ret)
{
    int value = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= s->n || !is_digit(s->p[i]))
            return false;
        value = value * 10 + (s->p[i] - '0');
    }
    *s = str_slice(*s, n, s->n);
    *ret = value;
    return true;
}

static bool take_char(struct str *s, char c)
{
    bool there = s->n > 0 && to_upper(s->p[0]) == c;
    if (there)
        *s = str_slice(*s, 1, s->n);
    return there;
}

static int64_t take_fraction(struct str *s)
{
    int64_t ns = 0, unit = NS_PER_S / 10;
    if (!take_char(s, '.'))
        return 0;
    for (; s->n > 0 && is_digit(s->p[0]); unit /= 10, *s = str_slice(*s, 1, s->n))
        ns += unit * (s->p[0] - '0');
    return ns;
}

static bool take_offset(struct str *s, int *ret_seconds)
{
    int hours, minutes;
    *ret_seconds = 0;
    if (take_char(s, 'Z'))
        return true;
    int sign = take_char(s, '+') ? 1 : take_char(s, '-') ? -1 : 0;
    if (sign == 0 || !take_digits(s, 2, &hours) || !take_char(s, ':') || !take_digits(s, 2, &minutes))
        return false;
    *ret_seconds = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

bool managed_time_parse(struct str text, int64_t *ret_ns)
{
    struct tm tm = {0};
    int offset;
    bool read = take_digits(&text, 4, &tm.tm_year) && take_char(&text, '-') && take_digits(&text, 2, &tm.tm_mon) &&
                take_char(&text, '-') && take_digits(&text, 2, &tm.tm_mday) && take_char(&text, 'T') &&
                take_digits(&text, 2, &tm.tm_hour) && take_char(&text, ':') && take_digits(&text, 2, &tm.tm_min) &&
                take_char(&text, ':') && take_digits(&text, 2, &tm.tm_sec);
    if (!read || tm.tm_year < 1970 || tm.tm_year > 2200 || tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
        tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
        return false;
    int64_t fraction = take_fraction(&text);
    if (!take_offset(&text, &offset) || text.n > 0)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *ret_ns = ((int64_t)timegm(&tm) - offset) * NS_PER_S + fraction;
    return true;
}

/* --- marks of creation --- */

int64_t managed_mark_time(const struct json *o, const char *annotation)
{
    int64_t at;
    return managed_time_parse(managed_annotation(o, annotation), &at) ? at : 0;
}

const struct json *managed_mark(struct arena *a, const struct json *o, const char *annotation, int64_t now_ns)
{
    return managed_annotate(a, o, annotation, managed_time_text(a, now_ns));
}

int64_t managed_mark_moment(const struct json *o, const char *annotation, int64_t now_ns)
{
    int64_t first = managed_mark_time(o, MANAGED_CREATE_PENDING);
    if (strcmp(annotation, MANAGED_CREATE_PENDING) == 0) {
        int64_t succeeded = managed_mark_time(o, MANAGED_CREATE_SUCCEEDED), failed = managed_mark_time(o, MANAGED_CREATE_FAILED);
        int64_t last = succeeded > failed ? succeeded : failed;
        first = last > 0 ? last + NS_PER_S : 0;
    }
    return now_ns > first ? now_ns : first;
}

bool managed_creation_is_incomplete(const struct json *o)
{
    int64_t pending = managed_mark_time(o, MANAGED_CREATE_PENDING);
    int64_t succeeded = managed_mark_time(o, MANAGED_CREATE_SUCCEEDED), failed = managed_mark_time(o, MANAGED_CREATE_FAILED);
    return pending > 0 && pending > succeeded && pending > failed;
}

bool managed_created_within(const struct json *o, int64_t period_ns, int64_t now_ns)
{
    int64_t succeeded = managed_mark_time(o, MANAGED_CREATE_SUCCEEDED);
    return succeeded > 0 && now_ns - succeeded < period_ns;
}

/* --- finalizers --- */

static const struct json *finalizers(const struct json *o)
{
    return metadata(o, "finalizers");
}

size_t managed_count_finalizers(const struct json *o)
{
    return managed_is_array(finalizers(o)) ? finalizers(o)->array.n : 0;
}

bool managed_has_finalizer(const struct json *o, const char *name)
{
    for (size_t i = 0; i < managed_count_finalizers(o); i++)
        if (str_eqz(managed_text(finalizers(o)->array.items[i]), name))
            return true;
    return false;
}

const struct json *managed_add_finalizer(struct arena *a, const struct json *o, const char *name)
{
    if (managed_has_finalizer(o, name))
        return o;
    const struct json *list = managed_append(a, finalizers(o), json_make_string(a, str_of(name)));
    return managed_put(a, o, list, "metadata", "finalizers", NULL);
}

const struct json *managed_remove_finalizer(struct arena *a, const struct json *o, const char *name)
{
    if (!managed_has_finalizer(o, name))
        return o;
    size_t have = managed_count_finalizers(o), n = 0;
    const struct json **items = arena_make_n(a, const struct json *, have);
    for (size_t i = 0; i < have; i++)
        if (!str_eqz(managed_text(finalizers(o)->array.items[i]), name))
            items[n++] = finalizers(o)->array.items[i];
    return managed_put(a, o, n > 0 ? json_make_array(a, items, n) : NULL, "metadata", "finalizers", NULL);
}

/* --- owners --- */

struct str managed_controller(const struct json *o)
{
    const struct json *owners = metadata(o, "ownerReferences");
    for (size_t i = 0; managed_is_array(owners) && i < owners->array.n; i++)
        if (json_bool(json_get(owners->array.items[i], "controller"), false))
            return managed_text(json_get(owners->array.items[i], "uid"));
    return STR_EMPTY;
}

bool managed_same_controller(const struct json *x, const struct json *y)
{
    struct str controller = managed_controller(x);
    return controller.n > 0 && str_eq(controller, managed_controller(y));
}

/* --- conditions --- */

static const struct json *conditions(const struct json *o)
{
    const struct json *list = managed_at(o, "status", "conditions", NULL);
    return managed_is_array(list) ? list : NULL;
}

static struct managed_condition read_condition(const struct json *j)
{
    return (struct managed_condition){
        .type = managed_text(json_get(j, "type")),
        .status = managed_text(json_get(j, "status")),
        .reason = managed_text(json_get(j, "reason")),
        .message = managed_text(json_get(j, "message")),
        .observed_generation = json_int(json_get(j, "observedGeneration"), 0),
    };
}

bool managed_condition(const struct json *o, const char *type, struct managed_condition *ret)
{
    const struct json *list = conditions(o);
    for (size_t i = 0; list && i < list->array.n; i++)
        if (str_eqz(managed_text(json_get(list->array.items[i], "type")), type)) {
            *ret = read_condition(list->array.items[i]);
            return true;
        }
    return false;
}

/* `old` is the existing condition of the same type, or NULL. */
static const struct json *make_condition(struct arena *a, const struct managed_condition *c, const struct json *old,
                                         int64_t now_ns)
{
    struct managed_condition before = read_condition(old);
    bool same = old && str_eq(before.status, c->status) && str_eq(before.reason, c->reason) && str_eq(before.message, c->message);
    const struct json *since = same ? json_get(old, "lastTransitionTime") : NULL;
    struct json_member members[6];
    size_t n = 0;
    members[n++] = (struct json_member){.key = STR("type"), .value = json_make_string(a, c->type)};
    members[n++] = (struct json_member){.key = STR("status"), .value = json_make_string(a, c->status)};
    if (c->observed_generation > 0) {
        struct str generation = arena_printf(a, "%lld", (long long)c->observed_generation);
        members[n++] = (struct json_member){.key = STR("observedGeneration"), .value = json_make_number(a, generation)};
    }
    if (!since)
        since = json_make_string(a, managed_time_text(a, now_ns));
    members[n++] = (struct json_member){.key = STR("lastTransitionTime"), .value = since};
    members[n++] = (struct json_member){.key = STR("reason"), .value = json_make_string(a, c->reason)};
    if (c->message.n > 0)
        members[n++] = (struct json_member){.key = STR("message"), .value = json_make_string(a, c->message)};
    return json_make_object(a, members, n);
}

const struct json *managed_set_condition(struct arena *a, const struct json *o, const struct managed_condition *condition,
                                         int64_t now_ns)
{
    const struct json *list = conditions(o);
    size_t have = list ? list->array.n : 0;
    const struct json **items = arena_make_n(a, const struct json *, have + 1);
    bool there = false;
    for (size_t i = 0; i < have; i++) {
        items[i] = list->array.items[i];
        if (there || !str_eq(managed_text(json_get(items[i], "type")), condition->type))
            continue;
        items[i] = make_condition(a, condition, items[i], now_ns);
        there = true;
    }
    if (!there)
        items[have] = make_condition(a, condition, NULL, now_ns);
    return managed_put(a, o, json_make_array(a, items, have + !there), "status", "conditions", NULL);
}
