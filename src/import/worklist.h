/*
 * The objects of a run: which ones, their names, and their outcomes. Stored as terrane-import.json, which users may edit: names,
 * and objects to leave out (status "skipped").
 *
 * Sources of the list: files of ids, CSV, import blocks, an older list, the provider's own listing. Type, key and region identify
 * an object; of duplicates the first counts. The list is sorted before work begins, so its order does not matter.
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
    IMPORT_REPAIRED, /* its plan is empty, without arguments that the provider rejects beside others, or with made-up values */
    IMPORT_IGNORED,  /* its plan is empty with ignore_changes */
    IMPORT_FAILED,
    IMPORT_SKIPPED, /* left out on request */
    IMPORT_STATUS_COUNT,
};
const char *import_status_name(enum import_status s);

/* The state and configuration of an object. */
struct import_result {
    struct arena *arena; /* of this result */
    struct resource resource;
    struct state_instance instance;
    const struct value *state; /* decoded */
    struct marks sensitive;
    struct configured configured;
};

/* Where the object's block is, for a run into existing code (into.h). */
enum import_place {
    IMPORT_NEW,
    IMPORT_IN_BLOCK, /* already in the folder: the object is only imported */
    IMPORT_MANAGED,  /* already in the folder and its state: only a target of references */
};

struct import_item {
    struct str type;
    struct str id;                       /* empty: identified by `identity` */
    const struct json *identity;         /* NULL: identified by `id` */
    struct str key;                      /* the id, or the identity as JSON */
    struct str of;                       /* found by a row that tells it (rows.h): what it is a part of; not kept in the file */
    struct str region;                   /* region.h; empty: the provider's own */
    struct str from, at;                 /* if from a state file: its path, and the address in it; otherwise empty */
    const struct state_instance *stored; /* the instance in that state; NULL: none */
    struct str name;                     /* name in the configuration; empty: not chosen yet */
    enum import_place place;
    enum import_status status;
    struct str error;
    struct import_result *result; /* NULL: not read yet */
};

/* Is the object reported as part of the run? Managed objects are among the items only so that others can refer to them. */
static inline bool import_is_told(const struct import_item *item)
{
    return item->place != IMPORT_MANAGED;
}

/* What is missing in the list of a type. */
enum left_out_kind {
    LEFT_OWNED,    /* objects that the cloud itself owns */
    LEFT_FAILED,   /* the type could not be listed, or not completely */
    LEFT_UNLISTED, /* no source lists the type, and a guess failed */
    LEFT_UNTAGGED, /* objects without the requested tags */
    LEFT_UNKNOWN,  /* no source has the type: nobody was asked */
    LEFT_OUT_COUNT,
};
const char *left_out_name(enum left_out_kind kind);
struct left_out {
    struct str type, why;
    size_t n; /* number of objects; 0: unknown */
    enum left_out_kind kind;
};

struct worklist {
    struct arena *arena;
    VEC(struct import_item) items;
    VEC(struct left_out) left_out;
    VEC(struct str) regions; /* of the run, the provider's own first; empty: only that one */
    struct map seen;         /* keys: worklist_key() */
    struct map reserved;     /* TYPE.NAME and var.NAME that existing code uses */
    struct map states;       /* state files that were read: path -> contents */
};

void worklist_init(struct worklist *w, struct arena *a);
/*
 * Adds a copy of the item with its strings and identity; a duplicate is ignored. False with a diagnostic when the item is invalid
 * or the list is full. `where` is FILE:LINE.
 */
bool worklist_add(struct worklist *w, const struct import_item *item, const char *where, struct diags *diags);
/* Identifies an object: TYPE KEY, and its region, if that is not the provider's own. */
struct str worklist_key(struct arena *a, struct str type, struct str key, struct str region);
/* Adds to the entry of that type for that reason. */
void worklist_leave_out(struct worklist *w, const struct left_out *what);
size_t worklist_count_left_out(const struct worklist *w, enum left_out_kind kind);
/* Frees the results; the list stays. */
void worklist_free_results(struct worklist *w);
/* Sorts by type, key and region. False: two objects of a type were given the same name. */
bool worklist_sort(struct worklist *w, struct diags *diags);

/*
 * Reads a file according to its name: .csv (TYPE,ID[,NAME], quotes as in RFC 4180, a first line "type,id,..." is a heading), .tf
 * (import blocks), .json (a work list), .tfstate (a state of version 3 or 4: its objects are read on from there instead of
 * imported), others TYPE ID [NAME] a line, # for comments.
 */
bool worklist_read(struct worklist *w, struct str text, const char *source, struct diags *diags);

/* Writes the work list as JSON. */
void worklist_write(struct buf *out, const struct worklist *w, struct str provider);
/* Writes its member `left_out`, if there is anything in it; the report has it, too. */
void worklist_write_left_out(struct json_writer *j, const struct worklist *w);
