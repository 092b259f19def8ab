/*
 * The journal: which operations on external objects are under way, written down before they begin, so that whoever starts after a
 * crash knows what may have happened.
 *
 *     begin ──► sent ──► (the provider works) ──► ended ──► the object shows it ──► settled: the record goes
 *
 * One record per object, for an object has one operation at a time. A record is durable when the function that wrote it returns;
 * when it cannot be written, what it was about must not be done. The journal holds no state and no plan, only their digests, and
 * of a creation what it can be looked up by: no secret can get into it but by the words of a provider's error.
 */
#pragma once

#include "base/json.h"
#include "reconcile/reconcile.h"

enum journal_phase {
    JOURNAL_BEGUN, /* nothing has been sent to the provider */
    JOURNAL_SENT,  /* it may have done anything, or nothing */
    JOURNAL_ENDED,
};

enum journal_outcome {
    JOURNAL_UNKNOWN, /* the provider died, or the connection to it did */
    JOURNAL_SUCCEEDED,
    JOURNAL_FAILED, /* it said so: what it could not undo is in the external name */
};

struct journal_entry {
    struct str uid; /* of the object; the record's name */
    struct str group, kind, namespace, name;
    enum reconcile_operation operation;
    int64_t generation;        /* of the object that it was begun for */
    struct str intent;         /* digest of the configuration that is wanted */
    const struct json *wanted; /* of a creation that is looked up in a list: what was wanted, without secrets; else NULL */
    struct str plan;           /* digest of the plan that is carried out */
    struct str external_name;  /* before: as far as known; when it has ended: as the provider said */
    int64_t begun_ns;          /* wall clock */
    enum journal_phase phase;
    enum journal_outcome outcome; /* when it has ended */
    struct str error;             /* when it failed; cut to JOURNAL_MAX_ERROR */
    bool damaged;                 /* read, but not understood: only the uid is known */
};

enum {
    JOURNAL_MAX_ERROR = 4 << 10,
    JOURNAL_MAX_WANTED = 32 << 10, /* as JSON; what is larger is left out */
    JOURNAL_MAX_RECORD = 64 << 10,
};

/* Where records live. Each function returns when what it did will outlive a crash. */
struct journal {
    void *ctx;
    bool (*put)(void *ctx, struct str uid, struct str record, struct diags *diags); /* replaces */
    bool (*remove)(void *ctx, struct str uid, struct diags *diags);                 /* nothing there: fine */
};

/* The entry alone: of an operation that is not recorded. */
void journal_entry_end(struct journal_entry *entry, enum journal_outcome outcome, struct str external_name, struct str error);

/* Before anything else is done. */
bool journal_begin(const struct journal *j, const struct journal_entry *entry, struct diags *diags);
/* Right before the provider is asked. */
bool journal_sent(const struct journal *j, struct journal_entry *entry, struct diags *diags);
/* As soon as the provider has answered, before anything else is written. */
bool journal_ended(const struct journal *j, struct journal_entry *entry, enum journal_outcome outcome, struct str external_name,
                   struct str error, struct diags *diags);
/* The object shows how it ended. */
bool journal_settle(const struct journal *j, struct str uid, struct diags *diags);

/* A record as it was put. One that cannot be read is `damaged`, which recovery treats with the greatest care. */
struct journal_entry journal_read(struct arena *a, struct str uid, struct str record);

/* --- what to do with each record that is there at the start, or later while nothing is under way for its object --- */

enum journal_action {
    JOURNAL_DROP,    /* settle it: nothing was done, or the object shows it all */
    JOURNAL_CANCEL,  /* a creation never reached the provider: mark it as failed in the object, then settle */
    JOURNAL_ADOPT,   /* a creation made something: external name and the mark of its end into the object, then JOURNAL_REPORT */
    JOURNAL_REPORT,  /* it ended, and the object may not show it: reconcile_report(), then settle */
    JOURNAL_LOOK_UP, /* passes with `creation_unknown` until one of them knows, then settle */
    JOURNAL_OBSERVE, /* the next pass sees what has become of it: settle when it has */
    JOURNAL_WARN,    /* its object is gone, and something may be left that nobody manages: tell, then settle */
};

/*
 * `object` is the one of the same name in the store, NULL if there is none. `name_is_known` says that observing by name finds
 * what a creation has made (the name is deterministic). `ret_why` is a sentence for the log, and for people in the case of
 * JOURNAL_WARN.
 */
enum journal_action journal_recover(struct arena *a, const struct journal_entry *entry, const struct json *object,
                                    bool name_is_known, struct str *ret_why);
