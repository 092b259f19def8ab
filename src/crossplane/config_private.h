/*
 * Tables of the keys of the configuration file. The reader, the JSON Schema for editors and the suggestions for misspelt keys are
 * all based on them. Private to config*.c.
 */
#pragma once

#include "crossplane/config.h"

struct xp_config_reader {
    struct xp_config *config;
    const struct xp_config_source *source;
    struct diags *diags;
    struct xp_resource_rule *rule;        /* the entry being read */
    VEC(struct xp_resource_rule) pending; /* the parts of `rule` for one flavour */
};

/* `target` points to the key's field: the table's struct plus the key's offset. */
typedef void xp_config_read_fn(struct xp_config_reader *r, const struct json_member *member, void *target);

enum xp_config_value {
    VALUE_TEXT,
    VALUE_BOOL,
    VALUE_TEXTS,    /* list of strings */
    VALUE_TEXT_MAP, /* string -> string */
    VALUE_DURATION,
    VALUE_TABLE,         /* an object with the keys of `table` */
    VALUE_TABLE_MAP,     /* name -> object with the keys of `table` */
    VALUE_TEXT_OR_TABLE, /* a string, or an object with the keys of `table` */
    VALUE_TEXT_OR_TABLE_MAP,
    VALUE_ANY_MAP, /* name -> anything */
    VALUE_ANY,
};

struct xp_config_table;

struct xp_config_key {
    const char *name; /* NULL ends the table */
    xp_config_read_fn *read;
    size_t offset;
    enum xp_config_value value;
    const struct xp_config_table *table;
    const char *choices; /* the allowed values, separated by blanks; NULL: any */
    const char *help;
};

struct xp_config_table {
    const char *name; /* of the JSON Schema's definition */
    const struct xp_config_key *keys;
};

extern const struct xp_config_table xp_config_file_table;
