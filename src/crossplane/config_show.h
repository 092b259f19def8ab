/*
 * What a configuration is in the end, line by line, each with where it comes from: the files it was made of (the later ones lie
 * over the earlier ones), or a default.
 */
#pragma once

#include "crossplane/config.h"

struct xp_config_file {
    const char *name;
    const struct json *tree; /* as yaml_parse() gave it */
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

/* All of it: settings, then every entry of `resources` that is not replaced by a later file. */
void xp_config_show(struct arena *a, const struct xp_config *c, const struct xp_config_file *files, size_t n,
                    struct xp_config_lines *ret);
/* What holds for one type: of each key the line that counts, and names by default. Lines have no `entry`. */
void xp_config_show_type(struct arena *a, const struct xp_config *c, const struct xp_config_file *files, size_t n,
                         struct str type, struct xp_config_lines *ret);

void xp_config_lines_write(struct buf *out, const struct xp_config_lines *lines);
void xp_config_lines_write_json(struct json_writer *w, const struct xp_config_lines *lines);
