/*
 * Writing: a tree as text that `terraform fmt` leaves alone, in Terraform's native syntax or as .tf.json.
 *
 * The tree is the reader's (hcl.h), of the kinds that programs make: null, bool, number, string, template, list, object,
 * traversal, call. The others are not written (hcl_can_write()): a reader does not keep enough of them. Reading what was written
 * gives the same tree.
 *
 * Native syntax: arguments in the tree's order, then blocks; what takes several lines stands between empty lines; equals signs
 * of lines in a row are aligned. Texts of several lines are heredocs where that gives the same text back, and stand in quotes
 * otherwise.
 */
#pragma once

#include "base/json.h"
#include "hcl/hcl.h"

void hcl_write(struct buf *out, const struct hcl_body *body);

/* One object: blocks are arrays under their type, each with an object for every label. */
void hcl_write_json(struct json_writer *w, const struct hcl_body *body);

/* Does the value of an argument take several lines there? */
bool hcl_takes_lines(const struct hcl_expr *e);

bool hcl_can_write(const struct hcl_body *body);

/* Trees made by programs; texts are not copied. */
const struct hcl_expr *hcl_make_string(struct arena *a, struct str text);
const struct hcl_expr *hcl_make_list(struct arena *a, const struct hcl_expr *const *v, size_t n);
const struct hcl_expr *hcl_make_object(struct arena *a, const struct hcl_item *v, size_t n);
/* f(argument) */
const struct hcl_expr *hcl_make_call(struct arena *a, const char *function, const struct hcl_expr *argument);
/* root.name.name; the names are identifiers. */
const struct hcl_expr *hcl_make_traversal(struct arena *a, struct str root, const struct str *names, size_t n);
/* Texts and other expressions in a row; one expression alone is itself. */
const struct hcl_expr *hcl_make_template(struct arena *a, const struct hcl_expr *const *parts, size_t n);
