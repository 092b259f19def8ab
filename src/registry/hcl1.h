/*
 * A reader for the HCL of CLI configuration files (and of their JSON form): attributes, blocks with labels, strings, heredocs,
 * numbers, booleans, lists, objects. No expressions: "${HOME}" is plain text here.
 *
 * It accepts what HCL 1 accepts, with which Terraform reads these files: items need no line of their own, commas between them are
 * optional, an object may be written as a block and a block as an object. As in HCL 1, JSON is recognised by its opening brace,
 * and the file's name does not matter.
 *
 * These files contain credentials: a diagnostic shows a position and what was expected, never text of the file (for JSON at most
 * a key or one character).
 */
#pragma once

#include "base/diag.h"

enum { HCL1_MAX_BYTES = 1 << 20, HCL1_MAX_DEPTH = 64 };

enum hcl1_kind { HCL1_NULL, HCL1_BOOL, HCL1_NUMBER, HCL1_STRING, HCL1_LIST, HCL1_BODY };

struct hcl1_item;

/* Immutable. It lives in the arena and points into the parsed text, which must live as long. */
struct hcl1_value {
    enum hcl1_kind kind;
    uint32_t line, column; /* of its first character, from 1 */
    union {
        bool boolean;
        struct str text; /* HCL1_STRING: without quotes and escapes; HCL1_NUMBER: as written */
        struct {
            const struct hcl1_value *v;
            size_t n;
        } list;
        struct {
            const struct hcl1_item *v;
            size_t n;
        } body;
    };
};

/* KEY = VALUE, or KEY "LABEL"... { BODY }. */
struct hcl1_item {
    struct str key;
    const struct str *labels;
    size_t n_labels;
    bool assigned; /* written with "=" (never in JSON) */
    uint32_t line, column;
    struct hcl1_value value;
};

/* The file as one HCL1_BODY; NULL on failure, with a diagnostic that starts with SOURCE:LINE:COLUMN. */
const struct hcl1_value *hcl1_parse(struct arena *a, struct str text, const char *source, struct diags *diags);
