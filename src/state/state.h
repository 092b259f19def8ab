/*
 * A Terraform state in memory: what a state file of version 4 holds, in the file's own terms.
 *
 * Attributes stay the JSON that the file has: reading and rewriting a file needs no schema (state_value.h decodes them with
 * one). Everything Terraform and OpenTofu write is kept; what Terraform itself drops when it rewrites a file is dropped here
 * too: unknown keys at any level outside `attributes` and `check_results`, and the legacy `each` of a resource.
 *
 * Ownership: the state, and all that is put into it, belongs to the state's arena. An edit takes copies of the structs it is
 * given, not of the texts and trees they point to: those must live as long as the state. One thread at a time.
 *
 * Resources and instances may stand in any order in memory; a file is written in Terraform's order.
 */
#pragma once

#include "base/json.h"
#include "value/flatmap.h"
#include "value/value.h"

enum {
    STATE_MAX_FILE = 512 << 20,  /* bytes of a file, read or written */
    STATE_MAX_PATH_STEPS = 256,  /* of one sensitive path */
    STATE_MAX_MODULE_DEPTH = 64, /* of a version 3 module path */
    STATE_DEPOSED_KEY = 8,       /* characters */
};

/* What a new file says about its writer: the release of Terraform whose format is written. */
#define STATE_TERRAFORM_VERSION "1.11.4"

enum state_mode { STATE_MANAGED, STATE_DATA };

/* Which instance of a resource: none without count and for_each. */
enum state_key_kind { STATE_KEY_NONE, STATE_KEY_INT, STATE_KEY_STRING };
struct state_key {
    enum state_key_kind kind;
    int64_t number;  /* STATE_KEY_INT */
    struct str text; /* STATE_KEY_STRING */
};

/* One object: the STATE of the engine's contract. All zero is an object without attributes. */
struct state_instance {
    struct state_key key;
    bool tainted;
    struct str deposed;  /* empty: the current object */
    struct str provider; /* OpenTofu, where the instances of a resource have different ones; else empty */
    uint64_t schema_version;
    const struct json *attributes; /* an object; null: see state_is_null; NULL: `flat` has them (version 3, not upgraded yet) */
    struct flatmap flat;
    const struct path *sensitive; /* in the file's order; only PATH_ATTR, PATH_KEY and PATH_INDEX */
    size_t n_sensitive;
    bool has_identity_version; /* is identity_schema_version in the file: Terraform before 1.12 has none */
    bool identity_last;        /* OpenTofu writes the identity after all others, and its version after it */
    uint64_t identity_schema_version;
    const struct json *identity;    /* an object, or NULL */
    struct str private_bytes;       /* as the provider gave them, not base64 */
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
    struct str provider; /* provider["registry.terraform.io/hashicorp/aws"].west; empty when each instance has its own */
    struct state_instance *instances;
    size_t n, cap;
};

struct state_output {
    struct str name;
    const struct value *value; /* with its type */
    bool sensitive;
    struct str deprecated; /* OpenTofu */
};

/* A file is written in the layout it was found in. */
enum state_layout {
    STATE_INDENTED,   /* Terraform */
    STATE_EXTRA_LINE, /* OpenTofu's local backend: indented, with an empty line at the end */
    STATE_ONE_LINE,   /* OpenTofu's backups and other backends */
};

struct state {
    struct arena *arena;
    uint32_t read_version; /* of the file it was read from; 0: made by a program */
    enum state_layout layout;
    struct str terraform_version; /* that wrote the file; a writer puts its own here */
    uint64_t serial;
    struct str lineage; /* tells states of one origin from others */
    struct state_output *outputs;
    size_t n_outputs, outputs_cap;
    struct state_resource *resources;
    size_t n_resources, resources_cap;
    const struct json *check_results; /* an array, or NULL */
};

/* An empty one: serial 0, a lineage of its own. */
struct state *state_new(struct arena *a);

/* A random UUID of version 4. */
struct str state_new_uuid(struct arena *a);

/* An object's place. */
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

/* As people write it: module.a.data.aws_ami.x["k"] (deposed object 0badcafe). */
struct str state_address_text(struct arena *a, const struct state_address *address);

/* Is its attributes' text `null`? For Terraform there is no object then: a plan creates one, a refresh drops the entry. */
bool state_is_null(const struct state_instance *object);

/* Its attribute `id`, wherever the file has it; empty: none. */
struct str state_instance_id(const struct state_instance *object);

/* Every object that a configuration manages: current ones that are not null. False: a visit was, and was the last. */
typedef bool state_visit_fn(void *ctx, const struct state_resource *r, const struct state_instance *object);
bool state_visit_managed(const struct state *s, state_visit_fn *visit, void *ctx);

/* The resource, NULL when absent; the key and the deposed key do not matter. */
struct state_resource *state_find_resource(const struct state *s, const struct state_address *address);
/* The object, NULL when absent. Valid until the next edit. */
struct state_instance *state_find(const struct state *s, const struct state_address *address);

/*
 * Puts the object at this place: an object that is there is replaced and keeps its position, a new one comes last. The
 * resource is made when it is not there. `provider` is the resource's from now on, unless it is empty.
 */
void state_put(struct state *s, const struct state_address *address, struct str provider, const struct state_instance *object);

/* The same for the only object of a resource that is not there: nothing is looked for, so that many can be put. */
void state_append(struct state *s, const struct state_address *address, struct str provider, const struct state_instance *object);

/* False when there is no such object. A resource without objects goes with its last one. */
bool state_remove(struct state *s, const struct state_address *address);
