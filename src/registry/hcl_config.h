/*
 * A reader for the HCL of CLI configuration files (and of their JSON form): attributes, blocks with labels, strings, heredocs,
 * numbers, booleans, lists, objects. No expressions: "${HOME}" is plain text here.
 *
 * It takes what HCL 1 takes, which is what Terraform reads these files with: items need no line of their own, commas between
 * them are optional, an object may be written as a block and a block as an object. JSON is recognised by its opening brace, as
 * there; a file's name does not matter.
 *
 * Such files hold credentials: a diagnostic shows a position and what was expected, never text of the file (JSON: at most a
 * key or one character).
 */
#pragma once

#include "base/diag.h"

enum { HCL_MAX_BYTES = 1 << 20, HCL_MAX_DEPTH = 64 };

enum hcl_kind { HCL_NULL, HCL_BOOL, HCL_NUMBER, HCL_STRING, HCL_LIST, HCL_BODY };

struct hcl_item;

/* Immutable; in the arena, or in the text that was parsed, which must live as long. */
struct hcl_value {
    enum hcl_kind kind;
    uint32_t line, column; /* of its first character, from 1 */
    union {
        bool boolean;
        struct str text; /* HCL_STRING: without quotes and escapes; HCL_NUMBER: as written */
        struct {
            const struct hcl_value *v;
            size_t n;
        } list;
        struct {
            const struct hcl_item *v;
            size_t n;
        } body;
    };
};

/* KEY = VALUE, or KEY "LABEL"... { BODY }. */
struct hcl_item {
    struct str key;
    const struct str *labels;
    size_t n_labels;
    bool assigned; /* written with "=" (never so in JSON) */
    uint32_t line, column;
    struct hcl_value value;
};

/* The file as one HCL_BODY; NULL and a diagnostic that starts with SOURCE:LINE:COLUMN otherwise. */
const struct hcl_value *hcl_config_parse(struct arena *a, struct str text, const char *source, struct diags *diags);
