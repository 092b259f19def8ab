/*
 * The objects of a run: which they are, what they are called, what became of them. Kept as terrane-import.json, which people may
 * edit: names, and what is to be left out (status "skipped").
 *
 * Sources fill it: files of ids, CSV, import blocks, an older list, the provider's own listing. Objects are told apart by type,
 * key and region; of the same one twice the first counts. Order does not matter: a list is sorted before it is worked on.
 */
#pragma once

#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "import/configure.h"

enum {
    WORKLIST_MAX_FILE = 256 << 20,
    WORKLIST_MAX_ITEMS = 1 << 20,
};

#define WORKLIST_FILE "terrane-import.json"

enum import_status {
    IMPORT_WAITING,
    IMPORT_CLEAN,    /* its plan is empty */
    IMPORT_REPAIRED, /* likewise, without what the provider refuses beside others, or with something made up */
    IMPORT_IGNORED,  /* likewise, with ignore_changes */
    IMPORT_FAILED,
    IMPORT_SKIPPED, /* somebody wants it left out */
    IMPORT_STATUS_COUNT,
};
const char *import_status_name(enum import_status s);

/* What was read and made of an object. */
struct import_result {
    struct arena *arena; /* its own */
    struct resource resource;
    struct state_instance instance;
    const struct value *state; /* decoded */
    struct marks sensitive;
    struct configured configured;
};

/* Where its block stands, for a run into code that exists (into.h). */
enum import_place {
    IMPORT_NEW,
    IMPORT_IN_BLOCK, /* in the folder already: only imported */
    IMPORT_MANAGED,  /* likewise, and the state has it: others refer to it, and that is all */
};

struct import_item {
    struct str type;
    struct str id;                       /* empty: by identity */
    const struct json *identity;         /* NULL: by id */
    struct str key;                      /* the id, or the identity as JSON */
    struct str region;                   /* region.h; empty: the provider's own */
    struct str from, at;                 /* of a state file: its path, and where it stands in it; empty: not of one */
    const struct state_instance *stored; /* what that has; NULL: none */
    struct str name;                     /* in the configuration; empty: not chosen yet */
    enum import_place place;
    enum import_status status;
    struct str error;
    struct import_result *result; /* NULL: not read */
};

/* Is it of the run? What is managed stands among the items so that others can refer to it, and is told nowhere. */
static inline bool import_is_told(const struct import_item *item)
{
    return item->place != IMPORT_MANAGED;
}

/* Of a type, what is not in the list although it was looked for. */
enum left_out_kind {
    LEFT_OWNED,    /* objects that the cloud itself owns */
    LEFT_FAILED,   /* it could not be listed, or not all of it */
    LEFT_UNLISTED, /* nothing says how it is listed, and a guess failed */
    LEFT_UNTAGGED, /* objects without the tags that were asked for */
    LEFT_OUT_COUNT,
};
const char *left_out_name(enum left_out_kind kind);
struct left_out {
    struct str type, why;
    size_t n; /* objects; 0: not known */
    enum left_out_kind kind;
};

struct worklist {
    struct arena *arena;
    VEC(struct import_item) items;
    VEC(struct left_out) left_out;
    VEC(struct str) regions; /* of the run, the provider's own first; none: that one alone */
    struct map seen;         /* by worklist_key() */
    struct map reserved;     /* TYPE.NAME and var.NAME that the code around has */
    struct map states;       /* files that were read: path -> what is known of it */
};

void worklist_init(struct worklist *w, struct arena *a);
/* All of it is copied. False with a diagnostic when it is not an object or there is no room. `where` is FILE:LINE. */
bool worklist_add(struct worklist *w, const struct import_item *item, const char *where, struct diags *diags);
/* What tells an object apart: TYPE KEY, and its region, if it is not the provider's own. */
struct str worklist_key(struct arena *a, struct str type, struct str key, struct str region);
/* Adds to what was left out already of that type for that reason. */
void worklist_leave_out(struct worklist *w, const struct left_out *what);
size_t worklist_count_left_out(const struct worklist *w, enum left_out_kind kind);
/* What was read; the list stays. */
void worklist_free_results(struct worklist *w);
/* By type, key and region. Each name that was given stands once in its type, or that is an error. */
bool worklist_sort(struct worklist *w, struct diags *diags);

/*
 * A file by its name: .csv (TYPE,ID[,NAME], quotes as in RFC 4180, a first line "type,id,..." is a heading), .tf (import blocks),
 * .json (a work list), .tfstate (a state of version 3 or 4: its objects are read from there on, not imported), others TYPE ID
 * [NAME] a line, # for comments.
 */
bool worklist_read(struct worklist *w, struct str text, const char *source, struct diags *diags);

/* The work list as JSON. */
void worklist_write(struct buf *out, const struct worklist *w, struct str provider);
/* Its member `left_out`, where there is something to tell; the report has it too. */
void worklist_write_left_out(struct json_writer *j, const struct worklist *w);
