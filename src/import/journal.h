/*
 * The results so far, so that an interrupted run loses nothing: a line for each object when it is done. Only the owner may read
 * the file, because states contain secrets. An incomplete last line is ignored.
 */
#pragma once

#include "import/worklist.h"

#include <pthread.h>

#define JOURNAL_FILE ".terrane-import.jsonl"

struct import_journal {
    pthread_mutex_t lock; /* guards the file, so that lines are written as a whole */
    int fd;
    const char *path;
    enum configure_style style;
    bool asked; /* what struct import_reading says of asking; set it once the journal is open */
};

/* `fresh`: drops the results of an earlier run. */
bool import_journal_open(struct import_journal *j, struct arena *a, const char *folder, enum configure_style style, bool fresh,
                         struct diags *diags);
void import_journal_close(struct import_journal *j);
/* May be called from any thread. False with a diagnostic. */
bool import_journal_add(struct import_journal *j, const struct import_item *item, struct diags *diags);

/* Gives the objects of the list their results from the journal, if these match the schema, the style and what was asked. */
void import_journal_load(struct import_journal *j, struct worklist *w, const struct provider_schema *schema);
