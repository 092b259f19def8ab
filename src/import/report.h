/* The outcome of a run: for programs (report.json), and as text. */
#pragma once

#include "import/files.h"

#define IMPORT_REPORT "report.json"
#define IMPORT_REPORT_PAGE "report.md"

enum import_proof {
    PROOF_NONE,  /* not requested, or the program is missing */
    PROOF_CLEAN, /* the plan is empty */
    PROOF_CHANGES,
    PROOF_FAILED,
};

struct import_report {
    const struct worklist *list;
    const struct references *references; /* may be NULL */
    struct str provider;
    bool verified;           /* proved by the engine */
    enum import_proof proof; /* result of the proof by the program */
    const char *program;     /* its name; NULL: none was found or requested */
};

size_t import_count(const struct worklist *w, enum import_status status);
size_t import_count_all(const struct worklist *w);
void import_report_json(struct buf *out, struct arena *a, const struct import_report *r);
/* A page in Markdown: the objects by status, and their references. */
void import_report_markdown(struct buf *out, struct arena *a, const struct import_report *r);
void import_report_text(struct buf *out, struct arena *a, const struct import_report *r, const char *folder);
