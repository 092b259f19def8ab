/*
 * Documents: an object as Cloud Control has it (JSON, CloudFormation's names) and as Terraform has it (a value), along the node
 * tree.
 *
 *     {"Name": "b", "Tags": [{"Key": "k", "Value": "v"}]}   <->   {name = "b", tags = [{key = "k", value = "v"}], ...}
 *
 * To a document: null and unknown are left out, also as elements; what is empty and not null stays ([], {}), for somebody said
 * so; JSON texts become the JSON they hold; numbers keep every digit; members stand in order of their names, elements of sets in
 * the order of sets. The id and the timeouts are never part of it.
 *
 * From a document: what is absent or JSON null is null, and so is a property that is [], unless it has a default. A number or
 * flag where a text belongs becomes its text, an object or array there its JSON text; a text where a number or flag belongs
 * becomes that if it is one. Everything else of the wrong kind is left out. Nothing of this is silent: notes count it.
 */
#pragma once

#include "translate/node.h"

enum cc_document_use {
    CC_DOCUMENT_ALL,    /* everything that is known */
    CC_DOCUMENT_CREATE, /* the desired state of a new object: without what the service alone decides */
    /* The two sides of an update: without what is read-only, also where only a pointer with * says so, and without what is
     * write-only and create-only, which is neither there to be read nor to be changed; ... */
    CC_DOCUMENT_BEFORE, /* ... and, as the service has it, without what is write-only */
    CC_DOCUMENT_AFTER,
};

/* NULL and a diagnostic: a JSON text is none, or nested too deep. `v` is a known object of root's type. */
const struct json *cc_document(struct arena *a, const struct cc_node *root, const struct value *v, enum cc_document_use use,
                               struct diags *diags);

/* A part of a document, for patches: NULL when there is nothing to write, or, with a diagnostic, when it cannot be written. */
const struct json *cc_document_part(struct arena *a, const struct cc_node *node, const struct value *v, enum cc_document_use use,
                                    struct diags *diags);

/* Does this use leave the property out? */
bool cc_document_omits(enum cc_document_use use, const struct cc_node *node);

/* The object is an array of one to the service (a map of sets of objects, which awscc takes for a map of objects). */
bool cc_document_wraps(const struct cc_node *node);

enum cc_read_what {
    CC_READ_UNKNOWN,   /* a member that the schema does not have */
    CC_READ_CONVERTED, /* of another kind than the schema says, taken all the same */
    CC_READ_DROPPED,   /* of a kind that cannot be taken; null among elements */
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

/* NULL and a diagnostic: it is no object, or the arena is exhausted. `notes` (may be NULL) is added to. */
const struct value *cc_document_read(struct arena *a, const struct cc_node *root, const struct json *properties,
                                     struct cc_read_notes *notes, struct diags *diags);

/* A property that may hold JSON as it may hold text, as the schema says: ["object", "string"]. */
bool cc_text_may_be_json(const struct cc_node *node);

/* Of one JSON text: far more than the service takes, escapes included. */
enum { CC_MAX_JSON_TEXT = 64 << 20 };
/* JSON in one line, with members in order of their names, as jsonencode() writes it. */
struct str cc_json_text(struct arena *a, const struct json *j);
