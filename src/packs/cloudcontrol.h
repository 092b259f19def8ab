/*
 * What the commands of `terrane cloudcontrol` share: where schemas come from, and going through their types.
 */
#pragma once

#include "cli/app.h"
#include "translate/translate.h"

struct cfn_pack;

/* Options of several commands. */
struct cloudcontrol_options {
    const char *schemas; /* NULL: the pack that is in use */
    bool strict;
};

#define CLOUDCONTROL_OPTIONS(o)                                                                                                  \
    {"schemas",     0,      OPTION_TEXT,                                                                                         \
     &(o)->schemas, "FROM", "schemas to use: a folder, zip, .ndjson.gz, pack or URL (default: the pack in use)"},                \
        {"strict", 0, OPTION_FLAG, &(o)->strict, NULL, "exactly as hashicorp/awscc, without the types that it does not have"}

/* TERRANE_CLOUDCONTROL_PACK, else cloudcontrol/schemas.pack in the cache folder; NULL: there is neither. */
const char *cloudcontrol_pack_path(struct app *app);
/* The pack in that file, which may be NULL. A diagnostic says how to get one. */
struct cfn_pack *cloudcontrol_open_pack(struct app *app, const char *path);
/* For where that path is NULL: false, and a diagnostic. */
bool cloudcontrol_no_pack_path(struct app *app);

/* The date of what is made: SOURCE_DATE_EPOCH, as other tools have it that make the same bytes again, or else `otherwise`. */
bool source_date(struct app *app, int64_t otherwise, int64_t *ret);

/*
 * Each type in order of its CloudFormation name, translated; it lives only during the call. With names (of CloudFormation or
 * Terraform) only those. What is no usable schema is a warning; a name that is not there is an error, and so is no type at all.
 */
typedef bool cloudcontrol_fn(void *ctx, const struct cc_type *type);
bool cloudcontrol_each(struct app *app, const struct cloudcontrol_options *o, const char **names, size_t n_names,
                       cloudcontrol_fn *fn, void *ctx);
