/* Reading the configuration: config_values.c, config_fields.c and config_resource.c; config_read.c uses all of them. */
#pragma once

#include "crossplane/config_private.h"

/* --- values: each function sets `target`; it reports an invalid value with its position and does not change `target` --- */

void xp_config_wrong(struct xp_config_reader *r, uint32_t line, uint32_t column, const char *summary, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void xp_config_wrong_kind(struct xp_config_reader *r, const struct json_member *m, const char *expected);
bool xp_config_is_object(struct xp_config_reader *r, const struct json_member *m);
bool xp_config_is_texts(struct xp_config_reader *r, const struct json_member *m);
void xp_read_table(struct xp_config_reader *r, const struct xp_config_table *table, const struct json *object, void *target);
void xp_read_text(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_label(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_domain(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_kind(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_bool(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_said(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_texts(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_labels(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_patterns(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_acronyms(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_duration(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_compat(struct xp_config_reader *r, const struct json_member *m, void *target);

/* --- fields --- */

/* Reads a list of paths: shorthand for one setting of each field. */
void xp_read_paths(struct xp_config_reader *r, const struct json_member *m, void (*set)(struct xp_field_settings *),
                   const char *prefix);
extern const struct xp_config_table xp_config_reference_table;
extern const struct xp_config_table xp_config_field_table;
void xp_read_references(struct xp_config_reader *r, const struct json_member *m, void *target);
void xp_read_fields(struct xp_config_reader *r, const struct json_member *m, void *target);

/* --- resources --- */

extern const struct xp_config_table xp_config_resource_table;
void xp_read_resources(struct xp_config_reader *r, const struct json_member *m, void *target);
