/*
 * Definitions shared by the writer and the reader of the JSON form. Private to the two.
 */
#pragma once

#include "schema/schema_json.h"

#define SCHEMA_JSON_VERSION "1.0"

enum schema_json_entry { ENTRY_SCHEMA, ENTRY_ACTION, ENTRY_FUNCTION, ENTRY_IDENTITY };

struct schema_json_section {
    struct str key;
    enum schema_json_form needs; /* 0: every version prints it */
    enum schema_json_entry entry;
};

/* Indexed by enum schema_section. */
extern const struct schema_json_section schema_json_sections[SECTION_COUNT];

/* Indexed by enum schema_nesting and enum schema_text. */
extern const struct str schema_json_nestings[NESTING_GROUP + 1];
extern const struct str schema_json_texts[TEXT_MARKDOWN + 1];
