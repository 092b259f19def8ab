/* Between the two syntaxes: parts of a line. */
#pragma once

#include "hcl/hcl.h"

struct buf;

/* The expression on one line. */
void hcl_write_inline(struct buf *out, const struct hcl_expr *e);

/* What stands between the quotes of a TEMPLATE; `write_text` escapes its texts. */
typedef void hcl_text_fn(struct buf *out, struct str text);
void hcl_write_template(struct buf *out, const struct hcl_expr *e, hcl_text_fn *write_text);
