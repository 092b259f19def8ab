/*
 * A YAML text as a sequence of events, by libfyaml: this is all that knows of the library, and what works around its faults.
 *
 * The library gives the grammar: where nodes begin and end, and what is wrong. Scalars are taken from the text by their
 * position (yaml_text.h).
 */
#pragma once

#include "base/diag.h"

enum yaml_event_kind {
    YAML_DOCUMENT_START,
    YAML_DOCUMENT_END,
    YAML_STREAM_END,
    YAML_SCALAR,
    YAML_ALIAS,
    YAML_SEQUENCE_START,
    YAML_SEQUENCE_END,
    YAML_MAPPING_START,
    YAML_MAPPING_END,
};

struct yaml_position {
    uint32_t line, column; /* from 1; columns count characters */
};

struct yaml_event {
    enum yaml_event_kind kind;
    struct yaml_position at;
    bool has_anchor;
    struct str anchor; /* its name; of an alias: that of its anchor */
    struct str tag;    /* in full, as in tag:yaml.org,2002:str; empty for none */
    struct str text;   /* of a scalar, in the arena */
    bool is_plain;     /* a scalar that is neither quoted nor a block */
};

struct yaml_events;

/* The texts of events live in the arena. The caller's text, `source` and `diags` must outlive it. False: a diagnostic says why.
 */
bool yaml_events_open(struct arena *a, struct str text, const char *source, struct diags *diags, struct yaml_events **ret);
void yaml_events_close(struct yaml_events *events); /* NULL is accepted */

/* The next event; views in it are valid until the next call. False: a diagnostic says what is wrong with the text, and where. */
bool yaml_events_next(struct yaml_events *events, struct yaml_event *ret);

/* Adds "Invalid YAML", "SOURCE:LINE:COLUMN: WHAT."; false. */
bool yaml_events_fail(struct yaml_events *events, struct yaml_position at, const char *what);
