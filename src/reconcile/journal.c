#include "reconcile/journal.h"

#include "managed/object.h"

enum { VERSION = 1 };

static const char *const operations[] = {"create", "update", "delete"};
static const char *const phases[] = {"begun", "sent", "ended"};
static const char *const outcomes[] = {"unknown", "succeeded", "failed"};
enum { N_NAMES = 3 };

/* --- records --- */

static void write_text(struct json_writer *w, const char *key, struct str value)
{
    if (value.n == 0)
        return;
    json_key(w, str_of(key));
    json_write_string(w, value);
}

/* A configuration that is too large is left out: then a person is asked. */
static void write_wanted(struct json_writer *w, const struct json *wanted)
{
    struct buf text BUF_AUTO = BUF_INIT(JOURNAL_MAX_WANTED);
    struct json_writer alone = {.out = &text};
    if (!wanted)
        return;
    json_write(&alone, wanted);
    if (!json_finish(&alone) || !buf_ok(&text))
        return;
    json_key(w, STR("wanted"));
    json_write(w, wanted);
}

static bool put(const struct journal *j, const struct journal_entry *e, struct diags *diags)
{
    struct buf record BUF_AUTO = BUF_INIT(JOURNAL_MAX_RECORD);
    struct json_writer w = {.out = &record};
    json_begin_object(&w);
    json_put_int(&w, "version", VERSION);
    write_text(&w, "operation", str_of(operations[e->operation]));
    write_text(&w, "phase", str_of(phases[e->phase]));
    write_text(&w, "outcome", e->phase == JOURNAL_ENDED ? str_of(outcomes[e->outcome]) : STR_EMPTY);
    write_text(&w, "group", e->group);
    write_text(&w, "kind", e->kind);
    write_text(&w, "namespace", e->namespace);
    write_text(&w, "name", e->name);
    json_put_int(&w, "generation", e->generation);
    write_text(&w, "intent", e->intent);
    write_wanted(&w, e->wanted);
    write_text(&w, "plan", e->plan);
    write_text(&w, "externalName", e->external_name);
    json_put_int(&w, "begun", e->begun_ns);
    write_text(&w, "error", str_slice(e->error, 0, JOURNAL_MAX_ERROR));
    json_end_object(&w);
    if (!json_finish(&w) || !buf_ok(&record))
        return diags_fail(diags, "Journal record too large",
                          "The record of an operation on " STR_FMT " " STR_FMT
                          " would have more than %d bytes. Names and digests must be shorter.",
                          STR_ARG(e->kind), STR_ARG(e->name), JOURNAL_MAX_RECORD);
    return j->put(j->ctx, e->uid, buf_str(&record), diags);
}

bool journal_begin(const struct journal *j, const struct journal_entry *entry, struct diags *diags)
{
    struct journal_entry begun = *entry;
    begun.phase = JOURNAL_BEGUN;
    return put(j, &begun, diags);
}

bool journal_sent(const struct journal *j, struct journal_entry *entry, struct diags *diags)
{
    entry->phase = JOURNAL_SENT;
    return put(j, entry, diags);
}

void journal_entry_end(struct journal_entry *entry, enum journal_outcome outcome, struct str external_name, struct str error)
{
    entry->phase = JOURNAL_ENDED;
    entry->outcome = outcome;
    entry->error = error;
    if (external_name.n > 0)
        entry->external_name = external_name;
}

bool journal_ended(const struct journal *j, struct journal_entry *entry, enum journal_outcome outcome, struct str external_name,
                   struct str error, struct diags *diags)
{
    journal_entry_end(entry, outcome, external_name, error);
    return put(j, entry, diags);
}

bool journal_settle(const struct journal *j, struct str uid, struct diags *diags)
{
    return j->remove(j->ctx, uid, diags);
}

/* Returns the index of the member's text in `names`; false: it is not among them. */
static bool read_name(const struct json *record, const char *key, const char *const names[N_NAMES], unsigned *ret)
{
    struct str text = managed_text(json_get(record, key));
    for (unsigned i = 0; i < N_NAMES; i++)
        if (str_eqz(text, names[i])) {
            *ret = i;
            return true;
        }
    return false;
}

static bool read_entry(const struct json *record, struct journal_entry *e)
{
    unsigned operation, phase, outcome = JOURNAL_UNKNOWN;
    if (!record || json_int(json_get(record, "version"), 0) != VERSION ||
        !read_name(record, "operation", operations, &operation) || !read_name(record, "phase", phases, &phase))
        return false;
    if (phase == JOURNAL_ENDED && !read_name(record, "outcome", outcomes, &outcome))
        return false;
    const struct json *wanted = json_get(record, "wanted");
    *e = (struct journal_entry){
        .uid = e->uid,
        .group = managed_text(json_get(record, "group")),
        .kind = managed_text(json_get(record, "kind")),
        .namespace = managed_text(json_get(record, "namespace")),
        .name = managed_text(json_get(record, "name")),
        .operation = (enum reconcile_operation)operation,
        .generation = json_int(json_get(record, "generation"), 0),
        .intent = managed_text(json_get(record, "intent")),
        .wanted = wanted && wanted->kind == JSON_OBJECT ? wanted : NULL,
        .plan = managed_text(json_get(record, "plan")),
        .external_name = managed_text(json_get(record, "externalName")),
        .begun_ns = json_int(json_get(record, "begun"), 0),
        .phase = (enum journal_phase)phase,
        .outcome = (enum journal_outcome)outcome,
        .error = managed_text(json_get(record, "error")),
    };
    return true;
}

struct journal_entry journal_read(struct arena *a, struct str uid, struct str record)
{
    struct journal_entry e = {.uid = arena_str(a, uid)};
    struct diags ignored;
    diags_init(&ignored, a);
    e.damaged = record.n > JOURNAL_MAX_RECORD || !read_entry(json_parse(a, record, "journal", &ignored), &e);
    return e;
}

/* --- recovery --- */

/* The outcome is unknown: the provider was lost, or this program died before it could write the end down. */
static bool is_unknown(const struct journal_entry *e)
{
    return e->phase == JOURNAL_SENT || (e->phase == JOURNAL_ENDED && e->outcome == JOURNAL_UNKNOWN);
}

/*
 * A new creation must wait until it is known what the last one created. The external name that the object had before the creation
 * belongs to another resource, which is gone; a different name was set by somebody who knows.
 */
static enum journal_action find_out(const struct journal_entry *e, const struct json *object, bool name_is_known,
                                    struct str *ret_why)
{
    struct str name = managed_annotation(object, MANAGED_EXTERNAL_NAME);
    bool has_new_name = !e->damaged && name.n > 0 && !str_eq(name, e->external_name);
    if (name_is_known || has_new_name) {
        *ret_why = STR("it is not known how the creation ended; observing by name tells");
        return JOURNAL_OBSERVE;
    }
    *ret_why = STR("it is not known how the creation ended, and what it made has no known name");
    return JOURNAL_LOOK_UP;
}

static enum journal_action recover_damaged(const struct journal_entry *e, const struct json *object, bool name_is_known,
                                           struct str *ret_why)
{
    enum journal_action action = object ? find_out(e, object, name_is_known, ret_why) : JOURNAL_WARN;
    *ret_why = STR("the record cannot be read; some operation was under way");
    return action;
}

/* A finalizer keeps an object until its resource is gone; here somebody removed the finalizer, or restored an older store. */
static enum journal_action recover_orphan(struct arena *a, const struct journal_entry *e, struct str *ret_why)
{
    bool made_nothing = e->phase == JOURNAL_BEGUN ||
                        (e->operation == RECONCILE_CREATE && e->outcome == JOURNAL_FAILED && e->external_name.n == 0);
    bool unmade = e->operation == RECONCILE_DELETE && e->outcome == JOURNAL_SUCCEEDED;
    if (made_nothing || unmade) {
        *ret_why = STR("the object is gone, and nothing is left of it");
        return JOURNAL_DROP;
    }
    struct str called = e->external_name.n > 0 ? arena_printf(a, "\"" STR_FMT "\"", STR_ARG(e->external_name))
                                               : STR("an object whose name is not known");
    *ret_why = arena_printf(a,
                            "%s of " STR_FMT " " STR_FMT " was under way when its object was removed from the store: " STR_FMT
                            " may exist and is not managed by anything; delete it by hand, or import it",
                            e->operation == RECONCILE_CREATE   ? "The creation"
                            : e->operation == RECONCILE_UPDATE ? "An update"
                                                               : "The deletion",
                            STR_ARG(e->kind), STR_ARG(e->name), STR_ARG(called));
    return JOURNAL_WARN;
}

static enum journal_action recover_begun(const struct journal_entry *e, const struct json *object, struct str *ret_why)
{
    *ret_why = STR("nothing was sent to the provider");
    return e->operation == RECONCILE_CREATE && managed_creation_is_incomplete(object) ? JOURNAL_CANCEL : JOURNAL_DROP;
}

static enum journal_action recover_succeeded(const struct journal_entry *e, const struct json *object, struct str *ret_why)
{
    bool has_name = e->external_name.n == 0 || str_eq(managed_annotation(object, MANAGED_EXTERNAL_NAME), e->external_name);
    if (e->operation == RECONCILE_CREATE && (!has_name || managed_creation_is_incomplete(object))) {
        *ret_why = STR("it was created, and the object does not know it yet");
        return JOURNAL_ADOPT;
    }
    *ret_why = STR("it ended well");
    return JOURNAL_REPORT;
}

static enum journal_action recover_failed(const struct journal_entry *e, const struct json *object, struct str *ret_why)
{
    bool has_name = e->external_name.n == 0 || str_eq(managed_annotation(object, MANAGED_EXTERNAL_NAME), e->external_name);
    if (e->operation == RECONCILE_CREATE && !has_name) {
        *ret_why = STR("the creation failed and left something behind, which the object does not know yet");
        return JOURNAL_ADOPT;
    }
    bool is_old = managed_generation(object) != e->generation;
    if (is_old && !(e->operation == RECONCILE_CREATE && managed_creation_is_incomplete(object))) {
        *ret_why = STR("it failed, and the object has been changed since: it is tried again anyway");
        return JOURNAL_DROP;
    }
    *ret_why = STR("it failed");
    return JOURNAL_REPORT;
}

enum journal_action journal_recover(struct arena *a, const struct journal_entry *e, const struct json *object, bool name_is_known,
                                    struct str *ret_why)
{
    if (object && !str_eq(managed_uid(object), e->uid)) /* another object took its name */
        object = NULL;
    if (e->damaged)
        return recover_damaged(e, object, name_is_known, ret_why);
    if (!object)
        return recover_orphan(a, e, ret_why);
    if (e->phase == JOURNAL_BEGUN)
        return recover_begun(e, object, ret_why);
    if (is_unknown(e) && e->operation == RECONCILE_CREATE)
        return find_out(e, object, name_is_known, ret_why);
    if (is_unknown(e)) {
        *ret_why = STR("it is not known how it ended; observing tells");
        return JOURNAL_OBSERVE;
    }
    return e->outcome == JOURNAL_SUCCEEDED ? recover_succeeded(e, object, ret_why) : recover_failed(e, object, ret_why);
}
