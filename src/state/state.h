/*
 * A Terraform state in memory: the content of a state file of version 4, with the file's own terms.
 *
 * Attributes stay JSON, as in the file, so reading and rewriting a file needs no schema (state_value.h decodes them with one).
 * Everything that Terraform and OpenTofu write is kept; what Terraform drops when it rewrites a file is dropped here too: unknown
 * keys at any level outside `attributes` and `check_results`, and the legacy `each` of a resource.
 *
 * Ownership: the state and everything in it belongs to the state's arena. An edit copies the structs that it is given, but not
 * the texts and trees that they point to: those must live as long as the state. One thread at a time.
 *
 * Resources and instances may have any order in memory; a file is written in Terraform's order.
 */
#pragma once

#include "base/json.h"
#include "value/flatmap.h"
#include "value/value.h"

enum {
    STATE_MAX_FILE = 512 << 20,  /* bytes of a file that is read or written */
    STATE_MAX_PATH_STEPS = 256,  /* steps of one sensitive path */
    STATE_MAX_MODULE_DEPTH = 64, /* of a version 3 module path */
    STATE_DEPOSED_KEY = 8,       /* characters */
};

/* terraform_version in files that we write: the release of Terraform whose format they have. */
#define STATE_TERRAFORM_VERSION "1.11.4"

enum state_mode { STATE_MANAGED, STATE_DATA };

/* The instance key of a resource: none without count and for_each. */
enum state_key_kind { STATE_KEY_NONE, STATE_KEY_INT, STATE_KEY_STRING };
struct state_key {
    enum state_key_kind kind;
    int64_t number;  /* STATE_KEY_INT */
    struct str text; /* STATE_KEY_STRING */
};

/* One object: STATE of the engine's contract. An all-zero struct is an object without attributes. */
struct state_instance {
    struct state_key key;
    bool tainted;
    struct str deposed;  /* empty: the current object */
    struct str provider; /* OpenTofu only, if the instances of a resource have different providers; else empty */
    uint64_t schema_version;
    const struct json *attributes; /* JSON object or null (state_is_null); NULL: `flat` has them (version 3, not upgraded yet) */
    struct flatmap flat;
    const struct path *sensitive; /* in the file's order; only PATH_ATTR, PATH_KEY and PATH_INDEX */
    size_t n_sensitive;
    bool has_identity_version; /* the file has identity_schema_version; Terraform before 1.12 does not write it */
    bool identity_last;        /* OpenTofu's order: the identity after all other keys, then its version */
    uint64_t identity_schema_version;
    const struct json *identity;    /* a JSON object, or NULL */
    struct str private_bytes;       /* as the provider gave them, not in base64 */
    const struct str *dependencies; /* addresses without index */
    size_t n_dependencies;
    const struct str *depends_on; /* OpenTofu */
    size_t n_depends_on;
    bool create_before_destroy;
    bool skip_destroy; /* OpenTofu */
};

struct state_resource {
    struct str module; /* "module.a.module.b[0]"; empty: the root */
    enum state_mode mode;
    struct str type, name;
    struct str provider; /* provider["registry.terraform.io/hashicorp/aws"].west; empty if each instance has its own */
    struct state_instance *instances;
    size_t n, cap;
};

struct state_output {
    struct str name;
    const struct value *value; /* with its type */
    bool sensitive;
    struct str deprecated; /* OpenTofu */
};

/* A file is written in the layout that it was read with. */
enum state_layout {
    STATE_INDENTED,   /* Terraform */
    STATE_EXTRA_LINE, /* OpenTofu's local backend: indented, with an empty line at the end */
    STATE_ONE_LINE,   /* OpenTofu's backups and other backends */
};

struct state {
    struct arena *arena;
    uint32_t read_version; /* version of the file that was read; 0: not read from a file */
    enum state_layout layout;
    struct str terraform_version; /* of the program that wrote the file; to be set to STATE_TERRAFORM_VERSION when writing */
    uint64_t serial;
    struct str lineage; /* identifies states of the same origin */
    struct state_output *outputs;
    size_t n_outputs, outputs_cap;
    struct state_resource *resources;
    size_t n_resources, resources_cap;
    const struct json *check_results; /* an array, or NULL */
};

/* An empty state: serial 0, a new lineage. */
struct state *state_new(struct arena *a);

/* A random UUID of version 4. */
struct str state_new_uuid(struct arena *a);

/* The address of an object. */
struct state_address {
    struct str module;
    enum state_mode mode;
    struct str type, name;
    struct state_key key;
    struct str deposed; /* empty: the current object */
};

bool state_key_eq(struct state_key a, struct state_key b);
/* No key, then numbers, then texts. */
int state_key_cmp(struct state_key a, struct state_key b);

/* As Terraform writes it: [0], ["k"], ["$${k}"]; nothing for no key. */
struct buf;
void state_key_write(struct buf *out, struct state_key key);

/* As in messages: module.a.data.aws_ami.x["k"] (deposed object 0badcafe). */
struct str state_address_text(struct arena *a, const struct state_address *address);

/* Are its attributes JSON null? Terraform then treats the object as absent: a plan creates one, a refresh drops the entry. */
bool state_is_null(const struct state_instance *object);

/* Its attribute `id`, from `attributes` or `flat`; empty: none. */
struct str state_instance_id(const struct state_instance *object);

/* Visits every managed object that is current (not deposed) and not null. Stops and returns false when `visit` returns false. */
typedef bool state_visit_fn(void *ctx, const struct state_resource *r, const struct state_instance *object);
bool state_visit_managed(const struct state *s, state_visit_fn *visit, void *ctx);

/* The resource, NULL if absent; the address's key and deposed key are ignored. */
struct state_resource *state_find_resource(const struct state *s, const struct state_address *address);
/* The object, NULL if absent. Valid until the next edit. */
struct state_instance *state_find(const struct state *s, const struct state_address *address);

/*
 * Puts the object at this address: an existing object is replaced and keeps its position, a new one is added at the end. The
 * resource is added if it is absent. Unless it is empty, `provider` becomes the resource's provider.
 */
void state_put(struct state *s, const struct state_address *address, struct str provider, const struct state_instance *object);

/*
 * The same for the only object of a resource that is not in the state yet: nothing is searched, so that many objects can be added
 * quickly.
 */
void state_append(struct state *s, const struct state_address *address, struct str provider, const struct state_instance *object);

/* False if there is no such object. A resource is removed with its last object. */
bool state_remove(struct state *s, const struct state_address *address);
