/*
 * Converts between documents (Cloud Control's JSON with CloudFormation's names) and Terraform values, guided by the node tree.
 *
 *     {"Name": "b", "Tags": [{"Key": "k", "Value": "v"}]}   <->   {name = "b", tags = [{key = "k", value = "v"}], ...}
 *
 * To a document: null and unknown are left out, also as elements; empty values that are not null stay ([], {}), because they are
 * explicit; JSON strings become the JSON they contain; numbers keep every digit; members are sorted by name, set elements in set
 * order. The id and the timeouts are never included.
 *
 * From a document: absent members and JSON null become null, and so does [] for a property without a default. Where the schema
 * has a string, a number or bool becomes its text, and an object or array its JSON text. Where the schema has a number or bool, a
 * string is parsed as one. Anything else of the wrong kind is dropped. Notes count all these cases.
 */
#pragma once

#include "translate/node.h"

enum cc_document_use {
    CC_DOCUMENT_ALL,    /* everything known */
    CC_DOCUMENT_CREATE, /* the desired state of a new object: without read-only properties */
    /* The two sides of an update: without read-only properties, even if only a pointer with * says so, and without properties
     * that are both write-only and create-only, because they can be neither read nor changed. */
    CC_DOCUMENT_BEFORE, /* also without write-only properties, because the service does not have them */
    CC_DOCUMENT_AFTER,
};

/* NULL and a diagnostic if a JSON string is invalid or nested too deep. `v` is a known object of root's type. */
const struct json *cc_document(struct arena *a, const struct cc_node *root, const struct value *v, enum cc_document_use use,
                               struct diags *diags);

/* A part of a document, for patches. NULL without a diagnostic: nothing to write; with one: it cannot be written. */
const struct json *cc_document_part(struct arena *a, const struct cc_node *node, const struct value *v, enum cc_document_use use,
                                    struct diags *diags);

/* Does this use omit the property? */
bool cc_document_omits(enum cc_document_use use, const struct cc_node *node);

/* Is this object an array of one element to the service (a map of sets of objects, which awscc treats as a map of objects)? */
bool cc_document_wraps(const struct cc_node *node);

enum cc_read_what {
    CC_READ_UNKNOWN,   /* a member that is not in the schema */
    CC_READ_CONVERTED, /* of another kind than in the schema, but converted */
    CC_READ_DROPPED,   /* of a kind that cannot be converted; null as an element */
    CC_N_READ_WHAT,
};
enum { CC_MAX_READ_NOTES = 16 };
struct cc_read_notes {
    size_t n[CC_N_READ_WHAT];
    struct {
        enum cc_read_what what;
        struct str pointer; /* /A/0/B */
    } first[CC_MAX_READ_NOTES];
    size_t n_first;
};

/* NULL and a diagnostic if it is not an object or the arena is exhausted. Adds to `notes` (may be NULL). */
const struct value *cc_document_read(struct arena *a, const struct cc_node *root, const struct json *properties,
                                     struct cc_read_notes *notes, struct diags *diags);

/* Does the schema allow JSON as well as a string: ["object", "string"]? */
bool cc_text_may_be_json(const struct cc_node *node);

/* Limit for one JSON string, with escapes: far more than the service accepts. */
enum { CC_MAX_JSON_TEXT = 64 << 20 };
/* JSON on one line with members sorted by name, as jsonencode() writes it. */
struct str cc_json_text(struct arena *a, const struct json *j);
