/*
 * Writes a tree as text that `terraform fmt` does not change, in Terraform's native syntax, or as .tf.json.
 *
 * The tree is that of hcl.h, with the kinds that programs make: null, bool, number, string, template, list, object, traversal,
 * call. Other kinds cannot be written (hcl_can_write()), because the parser does not keep enough of them. Parsing the written
 * text gives the same tree.
 *
 * Native syntax: arguments in the tree's order, then blocks; arguments of several lines are surrounded by empty lines; equals
 * signs of consecutive lines are aligned. A string of several lines is written as a heredoc if that gives the same string, else
 * in quotes.
 */
#pragma once

#include "base/json.h"
#include "hcl/hcl.h"

void hcl_write(struct buf *out, const struct hcl_body *body);

/* Writes one object: blocks are arrays under their type, each with a nested object for every label. */
void hcl_write_json(struct json_writer *w, const struct hcl_body *body);

/* Does the value of an argument take several lines in native syntax? */
bool hcl_takes_lines(const struct hcl_expr *e);

bool hcl_can_write(const struct hcl_body *body);

/* Functions to make trees; texts are not copied. */
const struct hcl_expr *hcl_make_string(struct arena *a, struct str text);
const struct hcl_expr *hcl_make_list(struct arena *a, const struct hcl_expr *const *v, size_t n);
const struct hcl_expr *hcl_make_object(struct arena *a, const struct hcl_item *v, size_t n);
/* f(argument) */
const struct hcl_expr *hcl_make_call(struct arena *a, const char *function, const struct hcl_expr *argument);
/* root.name.name; the names are identifiers. */
const struct hcl_expr *hcl_make_traversal(struct arena *a, struct str root, const struct str *names, size_t n);
/* Strings and other expressions, concatenated; a single expression is returned as it is. */
const struct hcl_expr *hcl_make_template(struct arena *a, const struct hcl_expr *const *parts, size_t n);
