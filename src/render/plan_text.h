/*
 * Writes plans and objects as Terraform does: without colour, the bytes are those that `terraform plan -no-color` and `terraform
 * show -no-color` (1.11) print for the same change.
 *
 *       # aws_vpc.this will be updated in-place
 *       ~ resource "aws_vpc" "this" {
 *             id   = "vpc-1"
 *           ~ tags = {
 *               + "Name" = "x"
 *             }
 *             # (17 unchanged attributes hidden)
 *         }
 *
 *     Plan: 0 to add, 1 to change, 0 to destroy.
 *
 * Sensitive values are not shown. Control characters for terminals in texts of several lines are written as \x1b and the like;
 * Terraform prints them unchanged.
 */
#pragma once

#include "change/change.h"

struct text_style {
    bool colour;
    size_t width; /* of the terminal, for wrapping paragraphs; 0: no wrapping */
};
enum { TEXT_DEFAULT_WIDTH = 78 };

/* The object that is shown. */
struct text_object {
    struct str address; /* module.a.aws_vpc.this[0] */
    struct str type, name;
    struct str deposed; /* key of a deposed object, else empty */
    bool data;          /* a data source */
    bool tainted;       /* for object_text */
    const struct schema_block *schema;
};

/* A change as plan JSON (engine/plan_json.h). */
struct text_change {
    struct text_object object;
    enum change_action action;
    const char *reason;        /* as in plan JSON, or NULL */
    bool drift;                /* a change that was made outside of Terrane */
    const struct json *change; /* before, after, after_unknown, before_sensitive, after_sensitive, replace_paths */
};

/* Writes only the change, with a line feed at the end; nothing for a no-op. */
void change_text(struct buf *out, const struct text_change *change, const struct text_style *style);

enum text_plan { TEXT_PLAN_NORMAL, TEXT_PLAN_DESTROY };
/* Writes a whole plan: the legend, each change, the summary; or that there are no changes. Begins and ends with a line feed. */
void plan_text(struct buf *out, const struct text_change *changes, size_t n, enum text_plan kind, const struct text_style *style);

/* Writes an existing object: `value` and `sensitive` as in `terraform show -json` (values, sensitive_values). */
void object_text(struct buf *out, const struct text_object *object, const struct json *value, const struct json *sensitive,
                 const struct text_style *style);
