/*
 * The life of one resource with a warm provider, as Terraform core lives it: the same calls in the same order (but see memo.h),
 * the same checks between them, the same words when something is wrong. One phase a file; what callers ask is request.h, which
 * puts the phases in order. Nothing here knows where objects are stored; they come and go as `struct state_instance`, the object
 * of a state file.
 *
 * Every function runs on the calling thread and blocks it while the provider works. An engine is made for one request and used by
 * one thread; many engines may share a provider. What they return lives in the engine's arena.
 *
 * How a function ends: see enum engine_status. Diagnostics go to the engine's list, those of the provider with the path of the
 * place in the configuration that they are about (places.h). A diagnostic that is there already is not added twice.
 */
#pragma once

#include "change/change.h"
#include "plugin/provider.h"
#include "state/state.h"

enum engine_status {
    ENGINE_OK,        /* done; there may be warnings */
    ENGINE_FAILED,    /* error diagnostics say why */
    ENGINE_LOST,      /* the provider ended or did not answer in time: nothing is known of this call; worth another try */
    ENGINE_CANCELLED, /* the caller's cancellation ended it */
};

struct applied;

struct engine {
    struct arena *arena;
    struct diags *diags;
    struct provider *provider; /* configured, with its schema */
    struct memo *memo;         /* of what this process would answer again (memo.h); NULL: everything is asked */
    const struct provider_schema *schema;
    struct str provider_address;       /* registry.terraform.io/hashicorp/aws */
    struct log *log;                   /* may be NULL */
    struct cancel *cancel;             /* ends a call, but never an apply; may be NULL */
    int64_t timeout_ns;                /* of one call, but of no apply; 0: none */
    int64_t apply_timeout_ns;          /* of one apply call; 0: none */
    const struct value *provider_meta; /* of the provider_meta schema; NULL: none is set */
    /*
     * Between the two halves of a replacement: what exists at that moment (`applied` as engine_apply() writes it), so that it can
     * be stored before the second half begins. False: it could not be, and the second half is left undone. May be NULL.
     */
    bool (*between)(void *ctx, const struct applied *now);
    void *between_ctx;
    bool found_nothing; /* set by a read that failed although its answer is that there is no object (refresh.c) */
};

/* Which object: its type, what messages call it, and its schemas. */
struct resource {
    struct str type;
    struct str address; /* aws_vpc.this */
    const struct schema *schema;
    const struct schema_identity *identity; /* NULL: the type has none */
};
/* False with core's error when the provider has no such resource type. */
bool engine_resource(struct engine *e, struct str type, struct str name, struct resource *ret);
/* Likewise for data sources, ephemeral and list resources; the address is data.TYPE.NAME and so on. */
bool engine_data_source(struct engine *e, struct str type, struct str name, struct resource *ret);
bool engine_ephemeral(struct engine *e, struct str type, struct str name, struct resource *ret);
bool engine_list_resource(struct engine *e, struct str type, struct str name, struct resource *ret);

/*
 * Configuration: the value, and the JSON it was read from, which tells where in it a diagnostic belongs (NULL: paths stay as the
 * provider gave them). `value` is null for destruction.
 */
struct resource_config {
    const struct value *value;
    const struct json *json;
};
/* config.c: reads it by the resource's schema; false with core's diagnostics. `unknown` may be NULL. */
bool engine_config(struct engine *e, const struct resource *r, const struct json *json, const struct json *unknown,
                   struct resource_config *ret);

/*
 * An object, decoded. `value` NULL: there is none.
 *
 * `sensitive` are the marks that came with it or follow from the schema. What a state file keeps beside (dependencies and the
 * like) stays in `stored`, the object it was read from, when there is one.
 */
struct object {
    const struct value *value;
    const struct value *identity; /* NULL: none */
    struct str private;
    struct marks sensitive;
    bool tainted;
    bool create_before_destroy;
    const struct state_instance *stored;
};
/* store.c: as a state file has it. False with a diagnostic when it cannot be written (too deep). `o->value` is not NULL. */
bool engine_store(struct engine *e, const struct resource *r, const struct object *o, struct state_instance *ret);

/*
 * upgrade.c: a stored object, brought to the provider's present schema by the provider. NULL `stored`: there is no object.
 * `config` (for places only) may be NULL.
 */
enum engine_status engine_upgrade(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                  const struct resource_config *config, struct object *ret);

/* refresh.c: the object as it is now; none when it is gone. `config` (for places only) may be NULL. */
enum engine_status engine_refresh(struct engine *e, const struct resource *r, const struct object *o,
                                  const struct resource_config *config, struct object *ret);

/* validate.c: the provider's opinion on a configuration that core's rules accept. */
enum engine_status engine_validate(struct engine *e, const struct resource *r, const struct resource_config *config);
enum engine_status engine_validate_data(struct engine *e, const struct resource *r, const struct resource_config *config);

/*
 * plan.c: what is to be done, from a stored object (NULL: none) and a configuration that the provider has validated: the object
 * is upgraded and, unless `no_refresh`, refreshed, then the change is planned. A null `config` plans the destruction.
 */
struct plan_options {
    bool no_refresh;
    struct change_paths ignore; /* ignore_changes */
    bool ignore_all;
    bool replace; /* the user asked for replacement */
    bool create_before_destroy;
};
struct plan {
    enum change_action action;
    const char *reason;  /* as plan JSON has it, or NULL */
    struct object prior; /* what the plan was made from: after the refresh; value NULL: nothing */
    struct resource_config config;
    struct plan_options options;
    const struct value *planned; /* null value: destroy, or nothing; the prior one itself where nothing at all changes */
    struct str planned_private;
    const struct value *planned_identity; /* NULL: none */
    struct marks before_sensitive, after_sensitive;
    struct change_paths replace_paths;
};
enum engine_status engine_plan(struct engine *e, const struct resource *r, const struct state_instance *stored,
                               const struct resource_config *config, const struct plan_options *options, struct plan *ret);

/*
 * apply.c: does what was planned: re-plans first and fails if the result is another; both halves of a replacement.
 *
 * Whatever the status, *ret is written: what must be stored from now on. `object.value` NULL: nothing exists. `deposed` is the
 * old object of a replacement that was created first, when it could not be destroyed; its value is NULL otherwise. A provider
 * that is lost in the middle is no ENGINE_LOST here but error diagnostics, and the object that core would keep.
 */
struct applied {
    struct object object;
    struct object deposed;
    bool called; /* was the provider asked to change anything? */
    bool lost;   /* it was, and did not answer: nobody knows what exists now */
};
enum engine_status engine_apply(struct engine *e, const struct resource *r, const struct plan *plan, struct applied *ret);

/* import.c: by id, or by identity (JSON by the identity schema); read afterwards. */
struct import_target {
    struct str id;
    const struct json *identity; /* NULL: by id */
};
struct imported {
    struct resource resource; /* its type may be another than asked for */
    struct object object;
};
struct imports {
    const struct imported *v;
    size_t n;
};
enum engine_status engine_import(struct engine *e, const struct resource *r, const struct import_target *target,
                                 struct imports *ret);
/* Did it fail because the provider says that there is no such object? `diags` are those of the import alone. */
bool engine_import_missed(const struct engine *e, const struct diags *diags);

/*
 * generate_config.c: a configuration for an object that exists, as the provider would write it. Only where the provider says that
 * it can (capabilities.generate_resource_config).
 */
enum engine_status engine_generate_config(struct engine *e, const struct resource *r, const struct object *o,
                                          const struct value **ret);

/* move.c: the state of another type, perhaps of another provider, as this type's. */
enum engine_status engine_move(struct engine *e, const struct resource *r, struct str source_provider, struct str source_type,
                               const struct state_instance *source, struct object *ret);

/*
 * list.c: objects that exist, as the provider finds them; `on_found` returns false to have enough.
 */
struct list_options {
    struct resource_config config; /* by the list resource's schema */
    bool include_resource;
    int64_t limit; /* 0: LIST_DEFAULT_LIMIT */
};
enum { LIST_DEFAULT_LIMIT = 100 };
struct found {
    const struct resource *resource; /* the managed type of the same name */
    struct str display_name;
    const struct value *identity;
    struct object object; /* value NULL unless asked for */
};
typedef bool engine_found_fn(void *ctx, const struct found *found);
enum engine_status engine_list(struct engine *e, const struct resource *list, const struct list_options *options,
                               engine_found_fn *on_found, void *ctx, size_t *ret_count);

/* data.c: reads a data source; validates first. */
enum engine_status engine_read_data(struct engine *e, const struct resource *r, const struct resource_config *config,
                                    const struct value **ret);

/* function.c: arguments as JSON, converted to the parameters' types. With ENGINE_OK either a value or the function's error. */
struct function_result {
    const struct value *value; /* NULL: an error */
    struct str error;
    int64_t error_argument; /* -1: none */
};
enum engine_status engine_call_function(struct engine *e, struct str name, const struct json *arguments,
                                        struct function_result *ret);

/* ephemeral.c: a value that is never stored; it may have to be renewed and must be closed. */
struct ephemeral {
    struct resource resource;
    const struct value *value;
    bool has_private, has_renew_at;
    struct str private;
    int64_t renew_at_ns; /* wall clock */
};
enum engine_status engine_open_ephemeral(struct engine *e, const struct resource *r, const struct resource_config *config,
                                         struct ephemeral *ret);
/* Replaces private and renew_at; value stays. */
enum engine_status engine_renew_ephemeral(struct engine *e, struct ephemeral *ephemeral);
enum engine_status engine_close_ephemeral(struct engine *e, const struct ephemeral *ephemeral);
