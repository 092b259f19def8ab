/*
 * The keys of the configuration file, in tables: reading, the JSON Schema for editors, and the suggestions after a typing error
 * all come from them. Private to the files of the configuration.
 */
#pragma once

#include "crossplane/config.h"

struct xp_config_reader {
    struct xp_config *config;
    const struct xp_config_source *source;
    struct diags *diags;
    struct xp_resource_rule *rule;        /* the entry being read */
    VEC(struct xp_resource_rule) pending; /* its parts for one flavour */
};

/* `target` is the struct that the table is for, moved by the key's offset. */
typedef void xp_config_read_fn(struct xp_config_reader *r, const struct json_member *member, void *target);

enum xp_config_value {
    VALUE_TEXT,
    VALUE_BOOL,
    VALUE_TEXTS,    /* list of texts */
    VALUE_TEXT_MAP, /* text -> text */
    VALUE_DURATION,
    VALUE_TABLE,         /* an object of `table` */
    VALUE_TABLE_MAP,     /* name -> object of `table` */
    VALUE_TEXT_OR_TABLE, /* a text, or an object of `table` */
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
    const char *choices; /* the texts it may have, separated by blanks; NULL: any */
    const char *help;
};

struct xp_config_table {
    const char *name; /* of the JSON Schema's definition */
    const struct xp_config_key *keys;
};

extern const struct xp_config_table xp_config_file_table;
