/*
 * What was read so far, so that a run that is cut short loses nothing: a line for each object as it is done. Only its owner may
 * read it: states have secrets in them. A line that was cut is as if it were not there.
 */
#pragma once

#include "import/worklist.h"

#include <pthread.h>

#define JOURNAL_FILE ".terrane-import.jsonl"

struct import_journal {
    pthread_mutex_t lock; /* of the file: lines are whole */
    int fd;
    const char *path;
    enum configure_style style;
};

/* `fresh`: what an earlier run left is dropped. */
bool import_journal_open(struct import_journal *j, struct arena *a, const char *folder, enum configure_style style, bool fresh,
                         struct diags *diags);
void import_journal_close(struct import_journal *j);
/* From any thread. False with a diagnostic. */
bool import_journal_add(struct import_journal *j, const struct import_item *item, struct diags *diags);

/* Gives the objects of the list the results that the journal has for them, as far as they fit the schema and the style. */
void import_journal_load(struct import_journal *j, struct worklist *w, const struct provider_schema *schema);
