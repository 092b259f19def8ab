#include "import/report.h"

/* Writes text into a table cell: escapes Markdown and HTML, and keeps it on one line. */
static void write_cell(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n' || c == '\r' || c == '\t')
            c = ' ';
        if (c == '<')
            buf_addz(out, "&lt;");
        else if (c == '&')
            buf_addz(out, "&amp;");
        else if ((unsigned char)c >= ' ' && c != '\x7f') {
            if (strchr("|\\`*_[]#>", c))
                buf_addc(out, '\\');
            buf_addc(out, c);
        }
    }
}

static void write_paths(struct buf *out, struct arena *a, const char *what, struct change_paths paths)
{
    for (size_t i = 0; i < paths.n; i++) {
        buf_addz(out, i > 0 ? ", " : what);
        write_cell(out, path_text(a, paths.v[i]));
    }
    buf_addz(out, paths.n > 0 ? " " : "");
}

static void write_row(struct buf *out, struct arena *a, const struct import_report *r, size_t i)
{
    const struct import_item *item = &r->list->items.v[i];
    struct str_list links = item->result && r->references ? references_of(r->references, a, i) : (struct str_list){0};
    buf_addz(out, "| ");
    write_cell(out, item->type);
    buf_addz(out, item->name.n > 0 ? "." : "");
    write_cell(out, item->name);
    buf_addz(out, " | ");
    write_cell(out, item->key);
    buf_addz(out, " | ");
    write_cell(out, item->error);
    if (item->result) {
        write_paths(out, a, "ignored: ", item->result->configured.ignored);
        write_paths(out, a, "dropped: ", item->result->configured.dropped);
        write_paths(out, a, "made up: ", item->result->configured.unread);
    }
    buf_addz(out, " | ");
    for (size_t k = 0; k < links.n; k++) {
        buf_addz(out, k > 0 ? ", " : "");
        write_cell(out, links.v[k]);
    }
    buf_addz(out, " |\n");
}

void import_report_markdown(struct buf *out, struct arena *a, const struct import_report *r)
{
    static const struct {
        enum import_status status;
        const char *title, *meaning;
    } parts[] = {
        {IMPORT_FAILED, "Failed", "No configuration was found, or the object could not be read."},
        {IMPORT_IGNORED, "With ignored paths", "The plan is empty because these arguments are in `ignore_changes`."},
        {IMPORT_REPAIRED, "Repaired",
         "The plan is empty without what the provider refuses beside the rest, or with something made up."},
        {IMPORT_SKIPPED, "Left out", "The work list says so, or the object is managed already."},
        {IMPORT_WAITING, "Not looked at", "The run was cut short."},
        {IMPORT_CLEAN, "Clean", "The plan is empty."},
    };
    buf_addz(out, "# Import from ");
    write_cell(out, r->provider);
    buf_printf(out, "\n\n%zu objects, %zu references.", import_count_all(r->list),
               r->references ? references_count(r->references) : 0);
    if (r->verified)
        buf_addz(out, " Every plan was made again from the files.");
    if (r->program)
        buf_printf(out, " %s: %s.", r->program,
                   r->proof == PROOF_CLEAN     ? "no changes"
                   : r->proof == PROOF_CHANGES ? "the plan is not empty"
                                               : "failed");
    buf_addc(out, '\n');
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        size_t n = import_count(r->list, parts[p].status);
        if (n == 0)
            continue;
        buf_printf(out, "\n## %s (%zu)\n\n%s\n\n| object | id | remarks | refers to |\n|---|---|---|---|\n", parts[p].title, n,
                   parts[p].meaning);
        for (size_t i = 0; i < r->list->items.n; i++)
            if (r->list->items.v[i].status == parts[p].status && import_is_told(&r->list->items.v[i]))
                write_row(out, a, r, i);
    }
}
