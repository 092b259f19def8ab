/*
 * Does what exists still look like the state says? Every object of some state files is read through its provider and compared. A
 * change is what `terraform plan -refresh-only` would show: the object as it was stored, brought to the present schema by the
 * provider, against the object as the provider reads it now.
 *
 * Read is what is compared, and nothing else: no data sources, no deposed objects (Terraform does not look at them either), none
 * that .driftignore names. What is the same is forgotten at once, so memory grows with the changes and not with the objects.
 */
#pragma once

#include "drift/ignore.h"
#include "import/rates.h"
#include "import/read.h"
#include "state/state.h"

enum drift_status {
    DRIFT_WAITING, /* not looked at: the run was cut short */
    DRIFT_IN_SYNC,
    DRIFT_CHANGED,
    DRIFT_MISSING,
    DRIFT_IGNORED,
    DRIFT_FAILED, /* it could not be read; `error` */
    DRIFT_STATUS_COUNT,
};
const char *drift_status_name(enum drift_status s);

/* A difference: of one attribute, one key of a map, one element of a set. */
struct drift_attribute {
    struct path path;
    const struct value *before, *after; /* NULL: it is not there */
    bool sensitive;                     /* then nobody is told more */
};

struct drift_object {
    const char *state; /* the file */
    struct str address, type, name, id;
    size_t provider; /* in drift.providers */
    const struct state_instance *instance;
    enum drift_status status;
    struct str error;
    const struct drift_attribute *attributes; /* DRIFT_CHANGED */
    size_t n_attributes;
    struct arena *arena; /* of the attributes; NULL: there are none */
};

enum { DRIFT_MAX_PROVIDERS = 16 }; /* that are opened, and read through, at once: a state may name any number */
/* One configuration of a provider, as the state names it. */
struct drift_provider {
    const char *folder;           /* of the state */
    struct str text;              /* module.a.provider["registry.terraform.io/hashicorp/aws"].west */
    struct str source;            /* registry.terraform.io/hashicorp/aws, once it is found */
    struct pool_provider *opened; /* by the caller; NULL: its objects cannot be read */
    struct str error;             /* why not */
    const struct rows *rows;      /* which service a type is of, by the caller; NULL: as its name tells */
    size_t objects;               /* how many are read through it */
};

/* What exists and is in no state. */
struct drift_unmanaged {
    struct str type, id; /* `id` for people: the id, or the identity as JSON */
};

struct drift {
    struct arena *arena;
    VEC(struct drift_object) objects;
    size_t n_states; /* that they are of */
    VEC(struct drift_provider) providers;
    VEC(struct drift_unmanaged) unmanaged;
    bool listed; /* was the account listed? */
    struct driftignore ignore;
};

void drift_init(struct drift *d, struct arena *a);
void drift_free(struct drift *d);

/* The managed objects of a state. `path` is its file; the state lives as long as this. */
void drift_add_state(struct drift *d, const char *path, const struct state *state);
/* Sets aside what .driftignore names, counts what each provider has to read, and sorts by address. */
void drift_prepare(struct drift *d);

struct drift_reading {
    struct log *log;
    struct cancel *cancel;
    int64_t timeout_ns;
    size_t parallel;                                        /* for each provider */
    struct rates *rates;                                    /* how often a service may be asked; NULL: as often as you like */
    void (*progress)(void *ctx, size_t done, size_t total); /* from any thread, one at a time; may be NULL */
    void *ctx;
};
/* All providers at once, and of each as many objects as `parallel`. */
void drift_read(struct drift *d, const struct drift_reading *r);

size_t drift_count(const struct drift *d, enum drift_status status);
