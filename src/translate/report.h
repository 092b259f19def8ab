/*
 * The report: for each type what was generated, approximated or refused, and why.
 */
#pragma once

#include "translate/translate.h"

struct cc_report {
    size_t n_types, n_resources, n_singular, n_plural, n_lists, n_refused, n_approximated, n_ignored;
    size_t n_attributes;
};

/* Counts one type. */
void cc_report_count(struct cc_report *r, const struct cc_type *t);
/* Describes one type in full: names, identifier, resource and data sources, notes. */
void cc_report_type(struct buf *out, const struct cc_type *t);
/* One line, NAME  what, only for types with notes. */
void cc_report_line(struct buf *out, const struct cc_type *t);
void cc_report_summary(struct buf *out, const struct cc_report *r);
/* {"type":...,"notes":[{"kind":...,"path":...,"text":...}],...} */
void cc_report_json(struct json_writer *w, const struct cc_type *t);
