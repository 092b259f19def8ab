/* Shared by the writers of both syntaxes: expressions on one line. */
#pragma once

#include "hcl/hcl.h"

struct buf;

/* The expression on one line. */
void hcl_write_inline(struct buf *out, const struct hcl_expr *e);

/* Writes what is between the quotes of a TEMPLATE; `write_text` escapes its strings. */
typedef void hcl_text_fn(struct buf *out, struct str text);
void hcl_write_template(struct buf *out, const struct hcl_expr *e, hcl_text_fn *write_text);
