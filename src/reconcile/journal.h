/*
 * The journal: records of the operations on external resources that are under way. Each is written before the operation begins,
 * so that the next process knows after a crash what may have happened.
 *
 *     begin ──► sent ──► (the provider works) ──► ended ──► the object shows it ──► settled: the record is removed
 *
 * There is one record per object, because an object has one operation at a time. A record is durable when the function that wrote
 * it returns; if it cannot be written, the step that it announces must not be taken. The journal holds no state and no plan, only
 * their digests, and for a creation what it can be looked up by. A secret could get into it only through the text of a provider's
 * error.
 */
#pragma once

#include "base/json.h"
#include "reconcile/reconcile.h"

enum journal_phase {
    JOURNAL_BEGUN, /* nothing has been sent to the provider */
    JOURNAL_SENT,  /* the provider may have done anything, or nothing */
    JOURNAL_ENDED,
};

enum journal_outcome {
    JOURNAL_UNKNOWN, /* the provider crashed, or the connection to it was lost */
    JOURNAL_SUCCEEDED,
    JOURNAL_FAILED, /* the provider reported an error; what it could not undo is in the external name */
};

struct journal_entry {
    struct str uid; /* of the object; the name of the record */
    struct str group, kind, namespace, name;
    enum reconcile_operation operation;
    int64_t generation;        /* of the object when the operation began */
    struct str intent;         /* digest of the wanted configuration */
    const struct json *wanted; /* for a creation found through a list: the wanted configuration without secrets; else NULL */
    struct str plan;           /* digest of the plan that is applied */
    struct str external_name;  /* before the end: as far as known; after it: as the provider returned it */
    int64_t begun_ns;          /* wall clock */
    enum journal_phase phase;
    enum journal_outcome outcome; /* valid when the phase is JOURNAL_ENDED */
    struct str error;             /* when it failed; cut to JOURNAL_MAX_ERROR bytes */
    bool damaged;                 /* the record could not be parsed: only the uid is known */
};

enum {
    JOURNAL_MAX_ERROR = 4 << 10,
    JOURNAL_MAX_WANTED = 32 << 10, /* as JSON; a larger one is left out */
    JOURNAL_MAX_RECORD = 64 << 10,
};

/* Where records are stored. Each function returns when its effect is durable. */
struct journal {
    void *ctx;
    bool (*put)(void *ctx, struct str uid, struct str record, struct diags *diags); /* replaces an existing record */
    bool (*remove)(void *ctx, struct str uid, struct diags *diags);                 /* succeeds also if there is no record */
};

/* Sets the end in the entry only: for an operation that is not recorded. */
void journal_entry_end(struct journal_entry *entry, enum journal_outcome outcome, struct str external_name, struct str error);

/* Call it before anything else is done. */
bool journal_begin(const struct journal *j, const struct journal_entry *entry, struct diags *diags);
/* Call it right before the request to the provider. */
bool journal_sent(const struct journal *j, struct journal_entry *entry, struct diags *diags);
/* Call it as soon as the provider has answered, before anything else is written. */
bool journal_ended(const struct journal *j, struct journal_entry *entry, enum journal_outcome outcome, struct str external_name,
                   struct str error, struct diags *diags);
/* Removes the record; call it when the object shows how the operation ended. */
bool journal_settle(const struct journal *j, struct str uid, struct diags *diags);

/* Parses a record as it was put. One that cannot be parsed is `damaged`; recovery then assumes the worst. */
struct journal_entry journal_read(struct arena *a, struct str uid, struct str record);

/* --- recovery: what to do with a record at startup, or later while no operation runs for its object --- */

enum journal_action {
    JOURNAL_DROP,    /* settle: nothing was done, or the object shows all of it */
    JOURNAL_CANCEL,  /* a creation never reached the provider: mark it as failed in the object, then settle */
    JOURNAL_ADOPT,   /* a creation created something: write its external name and end mark into the object, then JOURNAL_REPORT */
    JOURNAL_REPORT,  /* the operation ended, and the object may not show it: reconcile_report(), then settle */
    JOURNAL_LOOK_UP, /* run passes with `creation_unknown` until one finds the outcome, then settle */
    JOURNAL_OBSERVE, /* the next pass observes the outcome; settle after it */
    JOURNAL_WARN,    /* the object is gone, and a resource may be left that nobody manages: warn, then settle */
};

/*
 * `object` is the object of the same name in the store, NULL if there is none. `name_is_known` means that the external name is
 * deterministic, so that observing finds what a creation has created. `ret_why` is a sentence for the log, and with JOURNAL_WARN
 * for people.
 */
enum journal_action journal_recover(struct arena *a, const struct journal_entry *entry, const struct json *object,
                                    bool name_is_known, struct str *ret_why);
