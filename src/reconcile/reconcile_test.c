#include "reconcile/reconcile.h"

#include "base/testing.h"
#include "managed/object.h"
#include "managed/policies.h"
#include "managed/poll.h"

/*
 * Cases are data: the object, the answer of each call, the expected result. Those of tests/data are crossplane-runtime's own;
 * those of testdata/passes.json cover where Terrane differs, and what the former do not check (the order of calls and events).
 */

#define NOW (INT64_C(1790000000) * NS_PER_S)

struct fake {
    struct arena *arena;
    const struct json *input, *calls;
    const struct json *stored, *status_write; /* status_write: the argument of the last update_status */
    struct buf trace;                         /* calls and events in order */
    size_t n_changes, n_observed, n_status_writes;
    struct str change, change_error;
    struct fake_clock clock;
};

static void note(struct fake *f, const char *what)
{
    buf_printf(&f->trace, "%s%s", f->trace.n > 0 ? " " : "", what);
}

/* "ok", or absent: success; "conflict" and "not found": these; any other text: an error. */
static struct reconcile_answer answer_of(const struct json *said)
{
    struct str text = said && said->kind == JSON_STRING ? said->text : STR("ok");
    return (struct reconcile_answer){
        .status = str_eqz(text, "ok")          ? RECONCILE_OK
                  : str_eqz(text, "conflict")  ? RECONCILE_CONFLICT
                  : str_eqz(text, "not found") ? RECONCILE_NOT_FOUND
                                               : RECONCILE_FAILED,
        .message = text,
    };
}

static struct reconcile_answer call(struct fake *f, const char *name)
{
    note(f, name);
    const struct json *said = json_get(f->calls, name);
    if (str_eqz(json_text(said, STR_EMPTY), "never"))
        fail_msg(STR_FMT ": %s must not be called", STR_ARG(testing_member(f->input, "id")), name);
    return answer_of(said);
}

static struct reconcile_answer fake_get(void *ctx, const struct reconcile_call *c, const struct reconcile_key *key,
                                        const struct json **ret)
{
    struct fake *f = ctx;
    (void)c;
    (void)key;
    *ret = f->stored;
    return call(f, "get");
}

/* As a store does: keeps what is written, except for the status. */
static struct reconcile_answer write_object(struct fake *f, const char *name, const struct json **object)
{
    struct reconcile_answer answer = call(f, name);
    if (answer.status == RECONCILE_OK)
        f->stored = *object = managed_put(f->arena, *object, json_get(f->stored, "status"), "status", NULL);
    return answer;
}

static struct reconcile_answer fake_update(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    (void)c;
    return write_object(ctx, "update_object", object);
}

/* Sets the annotations in whatever is stored by now. */
static struct reconcile_answer fake_critical(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    struct fake *f = ctx;
    (void)c;
    struct reconcile_answer answer = call(f, "critical_annotations");
    const struct json *annotations = managed_at(*object, "metadata", "annotations", NULL);
    if (answer.status == RECONCILE_OK)
        f->stored = *object = managed_put(f->arena, f->stored, annotations, "metadata", "annotations", NULL);
    return answer;
}

static struct reconcile_answer fake_update_status(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    struct fake *f = ctx;
    (void)c;
    f->status_write = *object;
    f->n_status_writes++;
    struct reconcile_answer answer = call(f, "update_status");
    const struct json *times = json_get(f->calls, "status_conflicts");
    if (times && f->n_status_writes <= (size_t)json_int(times, 0))
        answer.status = RECONCILE_CONFLICT;
    if (answer.status == RECONCILE_OK)
        f->stored = *object;
    return answer;
}

static struct reconcile_answer fake_add_finalizer(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    (void)c;
    (void)object;
    return call(ctx, "add_finalizer");
}

static struct reconcile_answer fake_remove_finalizer(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    (void)c;
    (void)object;
    return call(ctx, "remove_finalizer");
}

static struct reconcile_answer fake_initialize(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    struct fake *f = ctx;
    struct str which = json_text(json_get(json_get(f->input, "options"), "initializers"), STR("none"));
    if (str_eqz(which, "given"))
        return call(f, "initialize");
    if (str_eqz(which, "none") || managed_annotation(*object, MANAGED_EXTERNAL_NAME).n > 0)
        return (struct reconcile_answer){0};
    *object = managed_annotate(f->arena, *object, MANAGED_EXTERNAL_NAME, managed_name(*object));
    return fake_update(f, c, object);
}

static struct reconcile_answer fake_resolve(void *ctx, const struct reconcile_call *c, const struct json **object)
{
    (void)c;
    (void)object;
    return call(ctx, "resolve_references");
}

static struct reconcile_answer fake_publish(void *ctx, const struct reconcile_call *c, const struct json *object,
                                            const struct json *details)
{
    struct fake *f = ctx;
    (void)c;
    (void)object;
    struct reconcile_answer answer = call(f, "publish");
    const struct json *said = json_get(f->calls, "publish"), *key = json_get(said, "when_details_have");
    if (!key)
        return answer;
    return answer_of(json_get(said, json_get_str(details, key->text) ? "then" : "else"));
}

static struct reconcile_answer fake_unpublish(void *ctx, const struct reconcile_call *c, const struct json *object)
{
    (void)c;
    (void)object;
    return call(ctx, "unpublish");
}

static void fake_event(void *ctx, const struct json *object, const struct reconcile_event *event)
{
    struct fake *f = ctx;
    (void)object;
    assert_true(event->message.n > 0);
    note(f, arena_printf(f->arena, "%s:%s", event->warning ? "Warning" : "Normal", event->reason).p);
}

static void fake_change_log(void *ctx, const struct json *object, enum reconcile_operation operation, struct str error)
{
    static const char *const names[] = {"create", "update", "delete"};
    struct fake *f = ctx;
    (void)object;
    f->n_changes++;
    f->change = str_of(names[operation]);
    f->change_error = error;
}

static struct reconcile_answer fake_connect(void *ctx, const struct reconcile_call *c, const struct json *object, void **ret)
{
    (void)object;
    assert_true(c->deadline > 0);
    *ret = ctx;
    return call(ctx, "connect");
}

static struct reconcile_answer fake_claim(void *connection, const struct reconcile_call *c, const struct json *object)
{
    (void)c, (void)object;
    return call(connection, "claim");
}

static const struct json *with_ready(struct fake *f, const struct json *object)
{
    const struct managed_condition available = {.type = STR("Ready"), .status = STR("True"), .reason = STR("Available")};
    return managed_set_condition(f->arena, object, &available, NOW);
}

static struct reconcile_answer fake_observe(void *ctx, const struct reconcile_call *c, const struct json **object,
                                            struct reconcile_observation *ret)
{
    struct fake *f = ctx;
    (void)c;
    const struct json *said = json_get(f->calls, "observe"), *name = json_get(said, "external_name");
    f->n_observed++;
    *ret = (struct reconcile_observation){
        .exists = json_bool(json_get(said, "exists"), false),
        .up_to_date = json_bool(json_get(said, "up_to_date"), false),
        .late_initialized = json_bool(json_get(said, "late_initialized"), false),
        .absence_is_certain = json_bool(json_get(said, "absence_is_certain"), false),
        .operation_runs = json_bool(json_get(said, "operation_runs"), false),
        .details = json_get(said, "connection_details"),
    };
    if (name)
        *object = managed_annotate(f->arena, *object, MANAGED_EXTERNAL_NAME, name->text);
    if (json_bool(json_get(said, "ready"), false))
        *object = with_ready(f, *object);
    if (json_get(said, "spec_changes"))
        f->stored = managed_put(f->arena, f->stored, json_make_number(f->arena, STR("43")), "metadata", "generation", NULL);
    return call(f, "observe");
}

static struct reconcile_answer change(struct fake *f, const char *name, struct reconcile_change *ret)
{
    const struct json *said = json_get(f->calls, name);
    ret->details = json_get(said, "connection_details");
    ret->begun = json_bool(json_get(said, "begun"), false);
    return call(f, name);
}

static struct reconcile_answer fake_announce(void *ctx, const struct reconcile_call *c, const struct json *object)
{
    (void)c;
    assert_true(managed_annotation(object, MANAGED_CREATE_PENDING).n == 0);
    return call(ctx, "announce_create");
}

static struct reconcile_answer fake_create(void *ctx, const struct reconcile_call *c, const struct json **object,
                                           struct reconcile_change *ret)
{
    struct fake *f = ctx;
    (void)c;
    const struct json *name = json_get(json_get(f->calls, "create"), "external_name");
    if (name)
        *object = managed_annotate(f->arena, *object, MANAGED_EXTERNAL_NAME, name->text);
    return change(f, "create", ret);
}

static struct reconcile_answer fake_external_update(void *ctx, const struct reconcile_call *c, const struct json **object,
                                                    struct reconcile_change *ret)
{
    (void)c;
    (void)object;
    return change(ctx, "update", ret);
}

static struct reconcile_answer fake_destroy(void *ctx, const struct reconcile_call *c, const struct json *object,
                                            struct reconcile_change *ret)
{
    (void)c;
    (void)object;
    return change(ctx, "delete", ret);
}

static struct reconcile_answer fake_disconnect(void *ctx, const struct reconcile_call *c)
{
    (void)c;
    return call(ctx, "disconnect");
}

/* The case gives the result of each way: "cannot tell", "nothing", "found NAME", or an error. */
static struct reconcile_answer fake_lookup(void *ctx, const struct reconcile_call *c, enum reconcile_lookup way,
                                           const struct json **object, enum reconcile_found *ret)
{
    static const char *const ways[] = {"by_name", "by_import", "by_list"};
    struct fake *f = ctx;
    (void)c;
    note(f, ways[way]);
    struct str said = json_text(json_get(json_get(f->calls, "lookup"), ways[way]), STR("cannot tell"));
    struct str found = STR("found "), unclear = STR("cannot tell");
    if (str_starts(said, found)) {
        *ret = RECONCILE_FOUND;
        *object = managed_annotate(f->arena, *object, MANAGED_EXTERNAL_NAME, str_slice(said, found.n, said.n));
    } else if (str_eqz(said, "nothing")) {
        *ret = RECONCILE_NOTHING;
    } else if (!str_starts(said, unclear)) {
        return answer_of(json_get(json_get(f->calls, "lookup"), ways[way]));
    }
    return (struct reconcile_answer){.message = str_starts(said, STR("cannot tell: ")) ? str_slice(said, 13, said.n) : STR_EMPTY};
}

/* --- from the short form of a case to an object, and back --- */

static const struct json *at_now(struct fake *f, const struct json *j)
{
    if (j && j->kind == JSON_STRING && str_eqz(j->text, "@now"))
        return json_make_string(f->arena, managed_time_text(f->arena, NOW));
    if (!j || j->kind != JSON_OBJECT)
        return j;
    struct json_member *members = arena_make_n(f->arena, struct json_member, j->object.n);
    for (size_t i = 0; i < j->object.n; i++)
        members[i] = (struct json_member){.key = j->object.members[i].key, .value = at_now(f, j->object.members[i].value)};
    return json_make_object(f->arena, members, j->object.n);
}

static const struct {
    const char *key, *parent;
} places[] = {
    {"generation", "metadata"},     {"deletionTimestamp", "metadata"}, {"annotations", "metadata"}, {"finalizers", "metadata"},
    {"managementPolicies", "spec"}, {"deletionPolicy", "spec"},        {"conditions", "status"},
};
enum { N_PLACES = sizeof places / sizeof places[0] };

static const struct json *full_object(struct fake *f, const struct json *brief)
{
    const struct json *object = testing_jsonz(f->arena, "{\"metadata\": {\"name\": \"test\"}}");
    for (size_t i = 0; i < N_PLACES; i++)
        if (json_get(brief, places[i].key))
            object =
                managed_put(f->arena, object, at_now(f, json_get(brief, places[i].key)), places[i].parent, places[i].key, NULL);
    return object;
}

/* Each condition of `x` is also in `y`, in any order; times are not compared. */
static bool has_conditions(struct fake *f, const struct json *y, const struct json *x)
{
    for (size_t i = 0; i < managed_count(x); i++) {
        const struct json *wanted = json_with(f->arena, x->array.items[i], STR("lastTransitionTime"), NULL);
        bool there = false;
        for (size_t k = 0; k < managed_count(y); k++)
            there |= json_eq(wanted, json_with(f->arena, y->array.items[k], STR("lastTransitionTime"), NULL));
        if (!there)
            return false;
    }
    return managed_count(x) == managed_count(y);
}

static struct str printed(struct fake *f, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_copy(&out, f->arena);
}

static void check_status_write(struct fake *f, struct str id, const struct json *expected)
{
    if (!expected || str_eqz(json_text(expected, STR_EMPTY), "not checked"))
        return;
    if (str_eqz(json_text(expected, STR_EMPTY), "never")) {
        if (f->status_write)
            fail_msg(STR_FMT ": the status was written: " STR_FMT, STR_ARG(id), STR_ARG(printed(f, f->status_write)));
        return;
    }
    if (!f->status_write)
        fail_msg(STR_FMT ": the status was not written", STR_ARG(id));
    const struct json *wanted = full_object(f, expected);
    const struct json *got = managed_put(f->arena, f->status_write, NULL, "status", NULL);
    bool same = json_eq(got, managed_put(f->arena, wanted, NULL, "status", NULL)) &&
                has_conditions(f, managed_at(f->status_write, "status", "conditions", NULL), json_get(expected, "conditions"));
    if (!same)
        fail_msg(STR_FMT ": wrote " STR_FMT "\nexpected " STR_FMT, STR_ARG(id), STR_ARG(printed(f, f->status_write)),
                 STR_ARG(printed(f, wanted)));
}

static void check_result(struct str id, const struct json *expect, const struct reconcile_result *got)
{
    const struct json *result = json_get(expect, "result"), *after = json_get(result, "requeue_after_s");
    testing_text(got->error, json_text(json_get(expect, "error"), STR_EMPTY).p);
    const struct json *observed = json_get(expect, "observed"), *known = json_get(expect, "creation_known");
    if ((observed && observed->boolean != got->observed) || (known && known->boolean != got->creation_known))
        fail_msg(STR_FMT ": observed %d, creation known %d", STR_ARG(id), got->observed, got->creation_known);
    if (!result)
        return;
    enum reconcile_again again = after                                           ? RECONCILE_AFTER
                                 : json_bool(json_get(result, "requeue"), false) ? RECONCILE_WITH_BACKOFF
                                                                                 : RECONCILE_NOT_AGAIN;
    if (got->again != again)
        fail_msg(STR_FMT ": got %d, expected %d", STR_ARG(id), (int)got->again, (int)again);
    if (!after)
        return;
    int64_t off = got->after_ns - json_int(after, 0) * NS_PER_S, may = json_int(json_get(result, "tolerance_s"), 0) * NS_PER_S;
    if (off > may || off < -may)
        fail_msg(STR_FMT ": again after %lld ms", STR_ARG(id), (long long)(got->after_ns / NS_PER_MS));
}

static int64_t poll_after(void *ctx, const struct json *object)
{
    const struct json *options = json_get(((struct fake *)ctx)->input, "options");
    const struct managed_poll poll = {
        .interval_ns = json_int(json_get(options, "poll_interval_s"), 60) * NS_PER_S *
                       json_int(json_get(options, "poll_interval_factor"), 1),
        .jitter_ns = json_int(json_get(options, "poll_jitter_s"), 0) * NS_PER_S,
    };
    return managed_poll_after(&poll, object, 12345);
}

static bool flag(const struct json *o, const char *name)
{
    return json_bool(json_get(o, name), false);
}

static struct reconcile_options make_options(struct fake *f, bool better, const unsigned *only_observe)
{
    const struct json *options = json_get(f->input, "options");
    const struct json *supported = json_get(options, "supported_policies");
    return (struct reconcile_options){
        .clock = &f->clock.clock,
        .policies = flag(options, "management_policies"),
        .supported_policies = managed_is_array(supported) ? only_observe : NULL,
        .n_supported_policies = managed_is_array(supported) ? 1 : 0,
        .cluster_scoped = str_eqz(testing_member(f->input, "flavour"), "cluster"),
        .deterministic_external_name = flag(options, "deterministic_external_name"),
        .creation_unknown = flag(options, "creation_unknown"),
        .creation_runs = flag(options, "creation_runs"),
        .only_marks = flag(options, "only_marks"),
        .updated_generation = json_int(json_get(options, "updated_generation"), 0),
        .grace_ns = json_int(json_get(options, "creation_grace_period_s"), 30) * NS_PER_S,
        .timeout_ns = RECONCILE_TIMEOUT_NS,
        .poll_after = poll_after,
        .poll_ctx = f,
        .better = better ? RECONCILE_BETTER : (struct reconcile_better){0},
    };
}

static struct reconcile_objects make_objects(struct fake *f)
{
    return (struct reconcile_objects){
        .ctx = f,
        .get = fake_get,
        .update = fake_update,
        .update_status = fake_update_status,
        .update_critical_annotations = fake_critical,
        .add_finalizer = fake_add_finalizer,
        .remove_finalizer = fake_remove_finalizer,
        .initialize = fake_initialize,
        .resolve_references = fake_resolve,
        .publish = fake_publish,
        .unpublish = fake_unpublish,
        .event = fake_event,
        .change_log = fake_change_log,
    };
}

static struct reconcile_external make_external(struct fake *f)
{
    return (struct reconcile_external){
        .ctx = f,
        .connect = fake_connect,
        .claim = json_get(f->calls, "claim") ? fake_claim : NULL,
        .observe = fake_observe,
        .announce_create = json_get(f->calls, "announce_create") ? fake_announce : NULL,
        .create = fake_create,
        .update = fake_external_update,
        .destroy = fake_destroy,
        .disconnect = fake_disconnect,
        .lookup = json_get(f->calls, "lookup") ? fake_lookup : NULL,
    };
}

static struct fake fake_new(struct arena *a, const struct json *input)
{
    struct fake f = {.arena = a, .input = input, .calls = json_get(input, "calls"), .trace = BUF_INIT(1 << 16)};
    fake_clock_init(&f.clock, NOW);
    f.stored = full_object(&f, json_get(input, "object"));
    /* Two of the cases have this only in their title, not in the object. */
    if (strstr(testing_member(input, "title").p, "deletion policy Orphan"))
        f.stored = managed_put(a, f.stored, json_make_string(a, STR("Orphan")), "spec", "deletionPolicy", NULL);
    return f;
}

static struct reconcile_result run(struct fake *f, bool better)
{
    const unsigned only_observe = MANAGED_OBSERVE;
    const struct reconcile_options options = make_options(f, better, &only_observe);
    const struct reconcile_objects objects = make_objects(f);
    const struct reconcile_external external = make_external(f);
    const struct reconcile_key key = {.kind = STR("Test"), .name = STR("test")};
    const struct json *ended = json_get(f->input, "report");
    static const char *const names[] = {"create", "update", "delete"};
    for (unsigned o = 0; ended && o < 3; o++)
        if (str_eqz(testing_member(ended, "operation"), names[o])) {
            const struct reconcile_report report = {(enum reconcile_operation)o, testing_member(ended, "error"),
                                                    flag(ended, "unknown")};
            return reconcile_report(f->arena, &key, &options, &objects, &report);
        }
    if (json_get(f->input, "wait"))
        return reconcile_wait(f->arena, &key, &options, &objects, testing_member(f->input, "wait"));
    return reconcile_once(f->arena, &key, &options, &objects, &external);
}

static void check_case(struct arena *a, const struct json *input, bool better)
{
    struct fake f = fake_new(a, input);
    struct str id = testing_member(input, "id");
    const struct json *expect = json_get(input, "expect"), *entries = json_get(expect, "change_log_entries");
    struct reconcile_result result = run(&f, better);
    check_status_write(&f, id, json_get(expect, "status_write"));
    if (entries) {
        assert_int_equal(f.n_changes, json_int(entries, -1));
        testing_text(f.change, testing_member(expect, "operation").p);
        testing_text(f.change_error, testing_member(expect, "error").p);
    } else {
        check_result(id, expect, &result);
    }
    const struct json *trace = json_get(expect, "trace");
    if (trace && !str_eq(trace->text, buf_str(&f.trace)))
        fail_msg(STR_FMT ": did " STR_FMT "\nexpected " STR_FMT, STR_ARG(id), STR_ARG(buf_str(&f.trace)), STR_ARG(trace->text));
    buf_free(&f.trace);
}

/* None of these cases is about Terrane's differences: they hold with and without them. */
static void check_facts(const char *name, size_t at_least)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", name);
    assert_true(managed_count(cases) >= at_least);
    for (size_t i = 0; i < cases->array.n; i++) {
        check_case(a, cases->array.items[i], false);
        check_case(a, cases->array.items[i], true);
    }
}

static void test_facts(void **state)
{
    (void)state;
    check_facts("reconcile.json", 76);
}

static void test_change_log(void **state)
{
    (void)state;
    check_facts("change_log.json", 10);
}

static void test_passes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_json(a, testing_file_in(a, TERRANE_SOURCE "/src/reconcile/testdata", "passes.json"));
    assert_true(managed_count(cases) > 0);
    for (size_t i = 0; i < cases->array.n; i++)
        check_case(a, cases->array.items[i], !flag(cases->array.items[i], "as_upjet"));
}

/* What was late-initialised and observed survives the write of the annotations, unless the spec has changed meanwhile. */
static void test_identity_keeps_the_rest(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct fake f = fake_new(a, testing_jsonz(a, "{\"object\": {\"generation\": 42}, \"calls\": {\"observe\": {\"exists\": true, "
                                                 "\"up_to_date\": true, \"external_name\": \"i-1\", \"ready\": true}}}"));
    (void)run(&f, true);
    struct managed_condition ready;
    assert_true(managed_condition(f.stored, "Ready", &ready));
    testing_text(ready.status, "True");
    testing_text(managed_annotation(f.stored, MANAGED_EXTERNAL_NAME), "i-1");
    buf_free(&f.trace);
}

static void test_long_messages_are_cut(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf input BUF_AUTO = BUF_INIT(1 << 20);
    buf_addz(&input, "{\"calls\": {\"observe\": \"");
    for (int i = 0; i < 40000; i++)
        buf_addz(&input, "\u00e9");
    buf_addz(&input, "\"}}");
    struct fake f = fake_new(a, testing_json(a, buf_copy(&input, a)));
    (void)run(&f, true);
    struct managed_condition synced;
    assert_true(managed_condition(f.stored, "Synced", &synced));
    assert_in_range(synced.message.n, (32 << 10) - 3, 32 << 10);
    assert_true(str_is_utf8(synced.message));
    buf_free(&f.trace);
}

/* Whatever else the pass writes. */
static void test_request_is_acknowledged(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const answers[] = {"{}", "{\"connect\": \"boom\"}", "{\"observe\": {\"exists\": true}}"};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct str text = arena_printf(a, "{\"object\": {\"annotations\": {\"%s\": \"t1\"}}, \"calls\": %s}",
                                       MANAGED_RECONCILE_REQUESTED, answers[i]);
        struct fake f = fake_new(a, testing_json(a, text));
        (void)run(&f, true);
        testing_text(managed_text(managed_at(f.stored, "status", "lastHandledReconcileAt", NULL)), "t1");
        buf_clear(&f.trace);
        (void)run(&f, true);
        assert_null(strstr(buf_copy(&f.trace, a).p, "ReconcileRequestHandled"));
        buf_free(&f.trace);
    }
}

static void test_wakes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *before, *after;
        bool wakes;
    } cases[] = {
        {"{}", "{}", false},
        {"{\"metadata\": {\"generation\": 1}}", "{\"metadata\": {\"generation\": 2}}", true},
        {"{\"metadata\": {\"resourceVersion\": \"1\"}}", "{\"metadata\": {\"resourceVersion\": \"2\"}}", false},
        {"{}", "{\"status\": {\"conditions\": []}}", false},
        {"{}", "{\"metadata\": {\"deletionTimestamp\": \"2026-11-18T00:00:00Z\"}}", true},
        {"{}", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}", true},
        {"{\"metadata\": {\"labels\": {}}}", "{}", false},
        {"{}", "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}", true},
        {"{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}", "{}", true},
        {"{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}", "{\"metadata\": {\"annotations\": {\"a\": \"c\"}}}", true},
        {"{}", "{\"metadata\": {\"annotations\": {\"" MANAGED_CREATE_PENDING "\": \"2026-11-18T00:00:00Z\"}}}", false},
        {"{}", "{\"metadata\": {\"annotations\": {\"" MANAGED_CREATE_FAILED "\": \"2026-11-18T00:00:00Z\"}}}", false},
        {"{}", "{\"metadata\": {\"annotations\": {\"" MANAGED_CREATE_SUCCEEDED "\": \"2026-11-18T00:00:00Z\"}}}", true},
        /* Upjet's controller does nothing here; but whoever removed the mark expects something to happen. */
        {"{\"metadata\": {\"annotations\": {\"" MANAGED_CREATE_PENDING "\": \"2026-11-18T00:00:00Z\"}}}", "{}", true},
    };
    assert_true(reconcile_wakes(NULL, testing_jsonz(a, "{}")));
    assert_true(reconcile_wakes(testing_jsonz(a, "{}"), NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (reconcile_wakes(testing_jsonz(a, cases[i].before), testing_jsonz(a, cases[i].after)) != cases[i].wakes)
            fail_msg("%s -> %s", cases[i].before, cases[i].after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_change_log),
        cmocka_unit_test(test_identity_keeps_the_rest),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_request_is_acknowledged),
        cmocka_unit_test(test_wakes),
        cmocka_unit_test(test_long_messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
