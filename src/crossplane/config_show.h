/*
 * The effective configuration, line by line, with the origin of each line: one of the files (later files override earlier ones)
 * or a default.
 */
#pragma once

#include "crossplane/config.h"

struct xp_config_file {
    const char *name;
    const struct json *tree; /* from yaml_parse() */
};

struct xp_config_line {
    struct str entry; /* pattern of resource types; empty: a setting of the whole file */
    struct str key;   /* with dots: root_group.cluster, references.vpc_id */
    const struct json *value;
    const char *file; /* NULL: default */
    uint32_t line;
};

struct xp_config_lines {
    struct xp_config_line *v;
    size_t n, cap;
};

/* Everything: settings, then every entry of `resources` that no later file replaces. */
void xp_config_show(struct arena *a, const struct xp_config *c, const struct xp_config_file *files, size_t n,
                    struct xp_config_lines *ret);
/* What applies to one type: for each key the effective line, and default names. Lines have no `entry`. */
void xp_config_show_type(struct arena *a, const struct xp_config *c, const struct xp_config_file *files, size_t n,
                         struct str type, struct xp_config_lines *ret);

/* The type that was probably meant, if no entry has this one by name and one has a name like it; else empty. */
struct str xp_config_similar_type(const struct xp_config *c, struct str typed);

void xp_config_lines_write(struct buf *out, const struct xp_config_lines *lines);
void xp_config_lines_write_json(struct json_writer *w, const struct xp_config_lines *lines);
