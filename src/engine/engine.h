/*
 * The life of one resource with a warm provider, as in Terraform core: the same calls in the same order (but see memo.h), the
 * same checks between them, the same error messages. Each phase has its own file. Callers use request.h, which runs the phases in
 * core's order. Nothing here knows where objects are stored: they are passed as `struct state_instance`, the object of a state
 * file.
 *
 * Every function runs on the calling thread and blocks it while the provider works. An engine is made for one request and used by
 * one thread; many engines may share a provider. Results live in the engine's arena.
 *
 * How a function ends: see enum engine_status. Diagnostics go to the engine's list; the provider's get the path of their place in
 * the configuration (places.h). A diagnostic that is already in the list is not added again.
 */
#pragma once

#include "change/change.h"
#include "plugin/provider.h"
#include "state/state.h"

enum engine_status {
    ENGINE_OK,        /* done; there may be warnings */
    ENGINE_FAILED,    /* error diagnostics say why */
    ENGINE_LOST,      /* the provider ended or did not answer in time: the call's outcome is unknown; a retry may work */
    ENGINE_CANCELLED, /* the caller's cancellation ended it */
};

struct applied;

struct engine {
    struct arena *arena;
    struct diags *diags;
    struct provider *provider; /* configured, with its schema */
    struct memo *memo;         /* answers that this process would repeat (memo.h); NULL: every call is made */
    const struct provider_schema *schema;
    struct str provider_address;       /* registry.terraform.io/hashicorp/aws */
    struct log *log;                   /* may be NULL */
    struct cancel *cancel;             /* ends a call, but never an apply; may be NULL */
    int64_t timeout_ns;                /* for one call other than apply; 0: none */
    int64_t apply_timeout_ns;          /* for one apply call; 0: none */
    const struct value *provider_meta; /* by the provider_meta schema; NULL: none is set */
    /*
     * Called between the two halves of a replacement with what exists at that moment (`applied` as engine_apply() writes it), so
     * that the caller can store it before the second half begins. If it returns false, storing failed and the second half is not
     * done. May be NULL.
     */
    bool (*between)(void *ctx, const struct applied *now);
    void *between_ctx;
    bool found_nothing; /* set by a read that failed although the provider answered that there is no object (refresh.c) */
};

/* Which object: its type, its name in messages, and its schemas. */
struct resource {
    struct str type;
    struct str address; /* aws_vpc.this */
    const struct schema *schema;
    const struct schema_identity *identity; /* NULL: the type has none */
};
/* False with core's error when the provider does not have the resource type. */
bool engine_resource(struct engine *e, struct str type, struct str name, struct resource *ret);
/* The same for data sources, ephemeral and list resources; their addresses are data.TYPE.NAME and so on. */
bool engine_data_source(struct engine *e, struct str type, struct str name, struct resource *ret);
bool engine_ephemeral(struct engine *e, struct str type, struct str name, struct resource *ret);
bool engine_list_resource(struct engine *e, struct str type, struct str name, struct resource *ret);

/*
 * Configuration: the value, and the JSON it was read from, which is used to give diagnostics their place (NULL: paths stay as the
 * provider gave them). `value` is null for destruction.
 */
struct resource_config {
    const struct value *value;
    const struct json *json;
};
/* config.c: reads a configuration by the resource's schema; false with core's diagnostics. `unknown` may be NULL. */
bool engine_config(struct engine *e, const struct resource *r, const struct json *json, const struct json *unknown,
                   struct resource_config *ret);

/*
 * An object, decoded. `value` NULL: the object does not exist.
 *
 * `sensitive` are the marks that were stored with it or follow from the schema. What else a state file has of it (dependencies
 * and the like) stays in `stored`, the object it was read from, if there is one.
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
/*
 * store.c: converts an object to the form of a state file. False with a diagnostic when it cannot be written (nested too deep).
 * `o->value` is not NULL.
 */
bool engine_store(struct engine *e, const struct resource *r, const struct object *o, struct state_instance *ret);

/*
 * upgrade.c: the provider upgrades a stored object to its current schema. NULL `stored`: there is no object. `config` (for places
 * only) may be NULL.
 */
enum engine_status engine_upgrade(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                  const struct resource_config *config, struct object *ret);

/* refresh.c: reads the object as it is now; `ret->value` is NULL when it is gone. `config` (for places only) may be NULL. */
enum engine_status engine_refresh(struct engine *e, const struct resource *r, const struct object *o,
                                  const struct resource_config *config, struct object *ret);

/* validate.c: the provider validates a configuration that core's rules accept. */
enum engine_status engine_validate(struct engine *e, const struct resource *r, const struct resource_config *config);
enum engine_status engine_validate_data(struct engine *e, const struct resource *r, const struct resource_config *config);

/*
 * plan.c: plans the change from a stored object (NULL: none) to a configuration that the provider has validated. The object is
 * upgraded and, unless `no_refresh`, refreshed first. A null `config` plans the destruction.
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
    const char *reason;  /* as in plan JSON, or NULL */
    struct object prior; /* what the plan was made from, after the refresh; value NULL: no object */
    struct resource_config config;
    struct plan_options options;
    const struct value *planned; /* null value: destroy, or no object; the same pointer as prior's where nothing changes */
    struct str planned_private;
    const struct value *planned_identity; /* NULL: none */
    struct marks before_sensitive, after_sensitive;
    struct change_paths replace_paths;
};
enum engine_status engine_plan(struct engine *e, const struct resource *r, const struct state_instance *stored,
                               const struct resource_config *config, const struct plan_options *options, struct plan *ret);

/*
 * apply.c: applies a plan. It plans again first, and fails if the result differs. A replacement is done here with both halves.
 *
 * Whatever the status, *ret is written: it is what must be stored from now on. `object.value` NULL: nothing exists. `deposed` is
 * the old object of a create-before-destroy replacement if it could not be destroyed; its value is NULL otherwise. If the
 * provider is lost during the apply, the status is not ENGINE_LOST: there are error diagnostics, and *ret is the object that core
 * would keep.
 */
struct applied {
    struct object object;
    struct object deposed;
    bool called; /* the provider was asked to change something */
    bool lost;   /* it was asked and did not answer: what exists now is unknown */
};
enum engine_status engine_apply(struct engine *e, const struct resource *r, const struct plan *plan, struct applied *ret);

/* import.c: imports by id, or by identity (JSON by the identity schema), then reads the objects. */
struct import_target {
    struct str id;
    const struct json *identity; /* NULL: by id */
};
struct imported {
    struct resource resource; /* its type may differ from the one that was asked for */
    struct object object;
};
struct imports {
    const struct imported *v;
    size_t n;
};
enum engine_status engine_import(struct engine *e, const struct resource *r, const struct import_target *target,
                                 struct imports *ret);
/* Did the import fail because the provider says that the object does not exist? `diags` has only the import's diagnostics. */
bool engine_import_missed(const struct engine *e, const struct diags *diags);

/*
 * generate_config.c: asks the provider for a configuration of an object that exists. Only for providers with the capability
 * (capabilities.generate_resource_config).
 */
enum engine_status engine_generate_config(struct engine *e, const struct resource *r, const struct object *o,
                                          const struct value **ret);

/* move.c: converts the state of another type, possibly of another provider, to this type. */
enum engine_status engine_move(struct engine *e, const struct resource *r, struct str source_provider, struct str source_type,
                               const struct state_instance *source, struct object *ret);

/* list.c: lists the objects that the provider finds; `on_found` returns false to stop. */
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
    struct object object; /* value NULL unless `include_resource` */
};
typedef bool engine_found_fn(void *ctx, const struct found *found);
enum engine_status engine_list(struct engine *e, const struct resource *list, const struct list_options *options,
                               engine_found_fn *on_found, void *ctx, size_t *ret_count);

/* data.c: validates the configuration of a data source, then reads it. */
enum engine_status engine_read_data(struct engine *e, const struct resource *r, const struct resource_config *config,
                                    const struct value **ret);

/*
 * function.c: calls a function with arguments from JSON, converted to the parameters' types. ENGINE_OK comes with either a value
 * or the function's own error.
 */
struct function_result {
    const struct value *value; /* NULL: an error */
    struct str error;
    int64_t error_argument; /* -1: none */
};
enum engine_status engine_call_function(struct engine *e, struct str name, const struct json *arguments,
                                        struct function_result *ret);

/* ephemeral.c: a value that is never stored; it may need renewing, and must be closed. */
struct ephemeral {
    struct resource resource;
    const struct value *value;
    bool has_private, has_renew_at;
    struct str private;
    int64_t renew_at_ns; /* wall clock */
};
enum engine_status engine_open_ephemeral(struct engine *e, const struct resource *r, const struct resource_config *config,
                                         struct ephemeral *ret);
/* Replaces private and renew_at; the value stays. */
enum engine_status engine_renew_ephemeral(struct engine *e, struct ephemeral *ephemeral);
enum engine_status engine_close_ephemeral(struct engine *e, const struct ephemeral *ephemeral);
