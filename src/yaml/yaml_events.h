/*
 * Reads a YAML text as a sequence of events. This is the only part that uses libfyaml, and it works around the library's bugs.
 *
 * The library parses the grammar: where nodes begin and end, and what is wrong. The text of a scalar is taken from the source at
 * its position (yaml_text.h).
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
    struct str anchor; /* the anchor's name; YAML_ALIAS: the name of the anchor it refers to */
    struct str tag;    /* in full, as in tag:yaml.org,2002:str; empty for none */
    struct str text;   /* of a scalar, in the arena */
    bool is_plain;     /* a scalar that is neither quoted nor a block */
};

struct yaml_events;

/* Texts of events are allocated in the arena. The caller's text, `source` and `diags` must outlive the events. On failure a
 * diagnostic says why. */
bool yaml_events_open(struct arena *a, struct str text, const char *source, struct diags *diags, struct yaml_events **ret);
void yaml_events_close(struct yaml_events *events); /* NULL is accepted */

/* Reads the next event; views in it are valid until the next call. On failure a diagnostic says what is wrong with the text, and
 * where. */
bool yaml_events_next(struct yaml_events *events, struct yaml_event *ret);

/* Adds a diagnostic "Invalid YAML", "SOURCE:LINE:COLUMN: WHAT." and returns false. */
bool yaml_events_fail(struct yaml_events *events, struct yaml_position at, const char *what);
