/*
 * Compares the objects of state files with what exists: reads each object through its provider and compares. A change is what
 * `terraform plan -refresh-only` would show: the stored object, upgraded to the current schema by the provider, against the
 * object as the provider reads it now.
 *
 * Only objects that are compared are read: no data sources, no deposed objects (Terraform does not look at them either), and none
 * that .driftignore names. Objects in sync are freed at once, so memory grows with the changes and not with the objects.
 */
#pragma once

#include "drift/ignore.h"
#include "import/rates.h"
#include "import/read.h"
#include "state/state.h"

enum drift_status {
    DRIFT_WAITING, /* not read: the run was interrupted */
    DRIFT_IN_SYNC,
    DRIFT_CHANGED,
    DRIFT_MISSING,
    DRIFT_IGNORED,
    DRIFT_FAILED, /* could not be read; see `error` */
    DRIFT_STATUS_COUNT,
};
const char *drift_status_name(enum drift_status s);

/* One difference: an attribute, a key of a map or an element of a set. */
struct drift_attribute {
    struct path path;
    const struct value *before, *after; /* NULL: absent */
    bool sensitive;                     /* never show the values */
};

struct drift_object {
    const char *state; /* the file */
    struct str address, type, name, id;
    size_t provider; /* index in drift.providers */
    const struct state_instance *instance;
    enum drift_status status;
    struct str error;
    const struct drift_attribute *attributes; /* DRIFT_CHANGED */
    size_t n_attributes;
    struct arena *arena; /* of the attributes; NULL: none */
};

enum { DRIFT_MAX_PROVIDERS = 16 }; /* that are open at the same time; a state may name any number */
/* A provider configuration, as the state names it. */
struct drift_provider {
    const char *folder;           /* of the state */
    struct str text;              /* module.a.provider["registry.terraform.io/hashicorp/aws"].west */
    struct str source;            /* registry.terraform.io/hashicorp/aws, once resolved */
    struct pool_provider *opened; /* set by the caller; NULL: its objects cannot be read */
    struct str error;             /* why it could not be opened */
    const struct rows *rows;      /* maps types to services, set by the caller; NULL: by the type's name */
    size_t objects;               /* how many objects are read through it */
};

/* An object that exists and is in no state. */
struct drift_unmanaged {
    struct str type, id; /* `id` for display: the id, or the identity as JSON */
};

struct drift {
    struct arena *arena;
    VEC(struct drift_object) objects;
    size_t n_states; /* how many states the objects come from */
    VEC(struct drift_provider) providers;
    VEC(struct drift_unmanaged) unmanaged;
    bool listed; /* the account was listed */
    struct driftignore ignore;
};

void drift_init(struct drift *d, struct arena *a);
void drift_free(struct drift *d);

/* Adds the managed objects of a state. `path` is its file; the state must live as long as the drift. */
void drift_add_state(struct drift *d, const char *path, const struct state *state);
/* Marks objects that .driftignore names, counts the objects to read for each provider, and sorts by address. */
void drift_prepare(struct drift *d);

struct drift_reading {
    struct log *log;
    struct cancel *cancel;
    int64_t timeout_ns;
    size_t parallel;                                        /* for each provider */
    struct rates *rates;                                    /* rate limits of services; NULL: none */
    void (*progress)(void *ctx, size_t done, size_t total); /* called on any thread, one call at a time; may be NULL */
    void *ctx;
};
/* Reads through all providers at once, and up to `parallel` objects of each at a time. */
void drift_read(struct drift *d, const struct drift_reading *r);

size_t drift_count(const struct drift *d, enum drift_status status);
