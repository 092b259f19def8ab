/*
 * The keys of the configuration file, in tables: reading, the JSON Schema for editors, and the suggestions after a typing error
 * all come from them. Private to the files of the configuration.
 */
#pragma once

#include "crossplane/config.h"

struct config_reader {
    struct config *config;
    struct diags *diags;
    struct resource_rule *rule;        /* the entry being read */
    VEC(struct resource_rule) pending; /* its parts for one flavour */
};

/* `target` is the struct that the table is for, moved by the key's offset. */
typedef void config_read_fn(struct config_reader *r, const struct json_member *member, void *target);

enum config_value {
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

struct config_table;

struct config_key {
    const char *name; /* NULL ends the table */
    config_read_fn *read;
    size_t offset;
    enum config_value value;
    const struct config_table *table;
    const char *choices; /* the texts it may have, separated by blanks; NULL: any */
    const char *help;
};

struct config_table {
    const char *name; /* of the JSON Schema's definition */
    const struct config_key *keys;
};

extern const struct config_table config_file_table;
