/* What the commands of `terrane cloudcontrol` share: where schemas come from, and iterating over their types. */
#pragma once

#include "cli/app.h"
#include "translate/translate.h"

struct cfn_pack;

/* Options of several commands. */
struct cloudcontrol_options {
    const char *schemas; /* NULL: the pack in use */
    bool strict;
};

#define CLOUDCONTROL_OPTIONS(o)                                                                                                  \
    {"schemas",     0,      OPTION_TEXT,                                                                                         \
     &(o)->schemas, "FROM", "schemas to use: a folder, zip, .ndjson.gz, pack or URL (default: the pack in use)"},                \
        {"strict", 0, OPTION_FLAG, &(o)->strict, NULL, "exactly as hashicorp/awscc, without the types that it does not have"}

/* TERRANE_CLOUDCONTROL_PACK, else cloudcontrol/schemas.pack in the cache folder; NULL: neither is known. */
const char *cloudcontrol_pack_path(struct app *app);
/* Opens the pack at `path` (may be NULL). The diagnostic of a failure says how to get one. */
struct cfn_pack *cloudcontrol_open_pack(struct app *app, const char *path);
/* Reports that the path above is NULL; returns false. */
bool cloudcontrol_no_pack_path(struct app *app);

/* The date for outputs: SOURCE_DATE_EPOCH, as in other tools with reproducible output, else `otherwise`. */
bool source_date(struct app *app, int64_t otherwise, int64_t *ret);

/*
 * Calls `fn` for each type, translated, sorted by CloudFormation name; the type lives only during the call. With names (of
 * CloudFormation or Terraform), only for those. An unusable schema is a warning; a name without a type is an error, and so is
 * having no type at all.
 */
typedef bool cloudcontrol_fn(void *ctx, const struct cc_type *type);
bool cloudcontrol_each(struct app *app, const struct cloudcontrol_options *o, const char **names, size_t n_names,
                       cloudcontrol_fn *fn, void *ctx);
