/*
 * How a folder of configuration sets its providers up: the `provider` blocks of its .tf and .tf.json files, with what they say of
 * variables (defaults, terraform.tfvars, *.auto.tfvars, TF_VAR_*) and locals. Whatever else they refer to (data sources, other
 * resources, functions) is not evaluated: whoever asks is told which argument it was.
 *
 * Also what the folder requires: which provider a name stands for, and the versions that .terraform.lock.hcl has chosen.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "hcl/hcl.h"
#include "import/evaluate.h"
#include "install/lock_file.h"

struct settings_block {
    struct str name, alias;      /* aws; alias: empty: none */
    const char *file;            /* it stands in */
    const struct hcl_body *body; /* NULL: `json` */
    const struct json *json;
};

struct settings_resource {
    struct str type, name;
    const struct hcl_body *body; /* NULL: of a .tf.json file */
    bool repeated;               /* count or for_each */
};

struct settings {
    struct arena *arena;
    const char *folder;
    VEC(struct settings_block) blocks;
    VEC(struct settings_resource) resources;
    VEC(struct str) declared; /* variables */
    struct map required;      /* local name -> const struct str *, source as it is written */
    struct lock_file lock;
    struct map variables; /* name -> const struct json * */
    struct map locals;    /* "local.NAME" -> const struct json * */
};

/* False with a diagnostic when a file cannot be read. A folder without such files gives nothing. */
bool settings_read(struct settings *s, struct arena *a, const char *folder, struct diags *diags);

/* The block of a provider, by address and alias; NULL: there is none. */
const struct settings_block *settings_find(const struct settings *s, struct str address, struct str alias);
/* Its arguments as JSON, by the provider's schema; NULL with a diagnostic that says what could not be evaluated. */
const struct json *settings_evaluate(const struct settings *s, const struct settings_block *b, const struct schema_block *schema,
                                     struct diags *diags);
/* What an expression is, if that can be said; NULL: it cannot. */
const struct json *settings_plain(const struct settings *s, const struct hcl_expr *e);
/* By the lock file; empty: it does not say. */
struct str settings_version(const struct settings *s, struct str address);
