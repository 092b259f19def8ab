/*
 * Plans and objects as people know them from Terraform: the bytes that `terraform plan -no-color` and `terraform show -no-color`
 * (1.11) print for the same change.
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
 * Secrets are not shown. What would steer a terminal in a text of several lines is shown as \x1b and the like; Terraform sends
 * it.
 */
#pragma once

#include "change/change.h"

struct text_style {
    bool colour;
    size_t width; /* of the terminal, for paragraphs; 0: no line breaks in them */
};
enum { TEXT_DEFAULT_WIDTH = 78 };

/* Which object is meant. */
struct text_object {
    struct str address; /* module.a.aws_vpc.this[0] */
    struct str type, name;
    struct str deposed; /* key of a deposed object, else empty */
    bool data;          /* a data source */
    bool tainted;       /* for object_text */
    const struct schema_block *schema;
};

/* A change in the form of plan JSON (engine/plan_json.h). */
struct text_change {
    struct text_object object;
    enum change_action action;
    const char *reason;        /* as plan JSON has it, or NULL */
    bool drift;                /* it has happened already, behind our back */
    const struct json *change; /* before, after, after_unknown, before_sensitive, after_sensitive, replace_paths */
};

/* The change alone; a line feed at the end. Nothing for one that changes nothing. */
void change_text(struct buf *out, const struct text_change *change, const struct text_style *style);

enum text_plan { TEXT_PLAN_NORMAL, TEXT_PLAN_DESTROY };
/* A whole plan: what the signs mean, each change, the sum; or that there is nothing to do. Begins and ends with a line feed. */
void plan_text(struct buf *out, const struct text_change *changes, size_t n, enum text_plan kind, const struct text_style *style);

/* What is there: `value` and `sensitive` as `terraform show -json` has them (values, sensitive_values). */
void object_text(struct buf *out, const struct text_object *object, const struct json *value, const struct json *sensitive,
                 const struct text_style *style);
