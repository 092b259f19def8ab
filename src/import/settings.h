/*
 * The provider configurations of a folder: the `provider` blocks of its .tf and .tf.json files, with their variables (defaults,
 * terraform.tfvars, *.auto.tfvars, TF_VAR_*) and locals. Other references (data sources, resources, functions) are not evaluated;
 * the diagnostic names the argument.
 *
 * Also the folder's requirements: which provider a name stands for, and the versions in .terraform.lock.hcl.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "hcl/hcl.h"
#include "import/evaluate.h"
#include "install/lock_file.h"

struct settings_block {
    struct str name, alias;      /* aws; alias: empty: none */
    const char *file;            /* the file with the block */
    const struct hcl_body *body; /* NULL: the block is in `json` */
    const struct json *json;
};

struct settings_resource {
    struct str type, name;
    const struct hcl_body *body; /* NULL: in a .tf.json file */
    bool repeated;               /* count or for_each */
};

struct settings {
    struct arena *arena;
    const char *folder;
    VEC(struct settings_block) blocks;
    VEC(struct settings_resource) resources;
    VEC(struct str) declared; /* variables */
    struct map required;      /* local name -> const struct str *, source as written */
    struct lock_file lock;
    struct map variables; /* name -> const struct json * */
    struct map locals;    /* "local.NAME" -> const struct json * */
};

/* False with a diagnostic when a file cannot be read. A folder without such files gives empty settings. */
bool settings_read(struct settings *s, struct arena *a, const char *folder, struct diags *diags);

/* The block of a provider, by address and alias; NULL: none. */
const struct settings_block *settings_find(const struct settings *s, struct str address, struct str alias);
/*
 * Evaluates the block's arguments to JSON, by the provider's schema; NULL with a diagnostic that names what could not be
 * evaluated.
 */
const struct json *settings_evaluate(const struct settings *s, const struct settings_block *b, const struct schema_block *schema,
                                     struct diags *diags);
/* The value of an expression; NULL: it cannot be evaluated. */
const struct json *settings_plain(const struct settings *s, const struct hcl_expr *e);
/* The version from the lock file; empty: not in it. */
struct str settings_version(const struct settings *s, struct str address);
