#include "import/report.h"

#include "base/terminal.h"

enum { MAX_SHOWN = 20 };

static const char *const proofs[] = {
    [PROOF_NONE] = "none", [PROOF_CLEAN] = "clean", [PROOF_CHANGES] = "changes", [PROOF_FAILED] = "failed"};

size_t import_count(const struct worklist *w, enum import_status status)
{
    size_t n = 0;
    for (size_t i = 0; i < w->items.n; i++)
        n += w->items.v[i].status == status && import_is_told(&w->items.v[i]);
    return n;
}

size_t import_count_all(const struct worklist *w)
{
    size_t n = 0;
    for (enum import_status s = 0; s < IMPORT_STATUS_COUNT; s++)
        n += import_count(w, s);
    return n;
}

static void write_paths(struct json_writer *j, struct arena *a, const char *key, struct change_paths paths)
{
    if (paths.n == 0)
        return;
    json_key(j, str_of(key));
    json_begin_array(j);
    for (size_t i = 0; i < paths.n; i++)
        json_write_string(j, path_text(a, paths.v[i]));
    json_end_array(j);
}

static void write_object(struct json_writer *j, struct arena *a, const struct import_report *r, size_t i)
{
    const struct import_item *item = &r->list->items.v[i];
    json_begin_object(j);
    if (item->name.n > 0)
        json_put_text(j, "address", arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(item->type), STR_ARG(item->name)));
    json_put_text(j, "type", item->type);
    if (item->identity) {
        json_key(j, STR("identity"));
        json_write(j, item->identity);
    } else {
        json_put_text(j, "id", item->id);
    }
    if (item->region.n > 0)
        json_put_text(j, "region", item->region);
    json_put_text(j, "status", str_of(import_status_name(item->status)));
    if (item->place == IMPORT_IN_BLOCK)
        json_put_text(j, "block", STR("existing"));
    if (item->error.n > 0)
        json_put_text(j, "error", item->error);
    if (item->result) {
        write_paths(j, a, "ignored", item->result->configured.ignored);
        write_paths(j, a, "dropped", item->result->configured.dropped);
        write_paths(j, a, "made_up", item->result->configured.unread);
    }
    struct str_list links = item->result && r->references ? references_of(r->references, a, i) : (struct str_list){0};
    if (links.n > 0) {
        json_key(j, STR("references"));
        json_begin_array(j);
        for (size_t k = 0; k < links.n; k++)
            json_write_string(j, links.v[k]);
        json_end_array(j);
    }
    json_end_object(j);
}

void import_report_json(struct buf *out, struct arena *a, const struct import_report *r)
{
    struct json_writer j = {.out = out, .indent = 2};
    json_begin_object(&j);
    json_put_text(&j, "provider", r->provider);
    json_key(&j, STR("counts"));
    json_begin_object(&j);
    for (enum import_status s = 0; s < IMPORT_STATUS_COUNT; s++) {
        json_key(&j, str_of(import_status_name(s)));
        json_write_int(&j, (int64_t)import_count(r->list, s));
    }
    json_key(&j, STR("references"));
    json_write_int(&j, r->references ? (int64_t)references_count(r->references) : 0);
    json_end_object(&j);
    json_key(&j, STR("verified"));
    json_begin_object(&j);
    json_key(&j, STR("engine"));
    json_write_bool(&j, r->verified);
    if (r->program) {
        json_key(&j, str_of(r->program));
        json_write_string(&j, str_of(proofs[r->proof]));
    }
    json_end_object(&j);
    worklist_write_left_out(&j, r->list);
    json_key(&j, STR("objects"));
    json_begin_array(&j);
    for (size_t i = 0; i < r->list->items.n; i++)
        if (import_is_told(&r->list->items.v[i]))
            write_object(&j, a, r, i);
    json_end_array(&j);
    json_end_object(&j);
    if (!json_finish(&j))
        out->failed = true;
    buf_addc(out, '\n');
}

/* --- in words --- */

static void write_ignored(struct buf *out, struct arena *a, const struct import_item *item)
{
    for (size_t i = 0; item->result && i < item->result->configured.ignored.n; i++)
        buf_printf(out, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(path_text(a, item->result->configured.ignored.v[i])));
}

static void write_trouble(struct buf *out, struct arena *a, const struct worklist *w, enum import_status status)
{
    size_t shown = 0, all = import_count(w, status);
    for (size_t i = 0; i < w->items.n && shown < MAX_SHOWN; i++) {
        const struct import_item *item = &w->items.v[i];
        if (item->status != status)
            continue;
        buf_printf(out, "  %s " STR_FMT " ", import_status_name(status), STR_ARG(item->type));
        (void)terminal_write_cell(out, item->key, SIZE_MAX);
        buf_addz(out, ": ");
        struct str error = item->error;
        if (status == IMPORT_FAILED)
            (void)terminal_write_cell(out, str_cut(&error, '\n'), SIZE_MAX);
        else
            write_ignored(out, a, item);
        buf_addc(out, '\n');
        shown++;
    }
    if (all > shown)
        buf_printf(out, "  and %zu more\n", all - shown);
}

/* Writes what was left out and what failed to list. */
static void write_left_out(struct buf *out, const struct worklist *w)
{
    size_t owned = worklist_count_left_out(w, LEFT_OWNED), untagged = worklist_count_left_out(w, LEFT_UNTAGGED),
           unknown = worklist_count_left_out(w, LEFT_UNKNOWN), shown = 0;
    if (owned > 0)
        buf_printf(out, "%zu objects are the cloud's own and left out\n", owned);
    if (untagged > 0)
        buf_printf(out, "%zu objects without the tags are left out\n", untagged);
    if (unknown > 0)
        buf_printf(out, "%zu types cannot be listed, so objects of them are not looked for; %s names them\n", unknown,
                   IMPORT_REPORT);
    for (size_t i = 0; i < w->left_out.n && shown < MAX_SHOWN; i++) {
        const struct left_out *o = &w->left_out.v[i];
        if (o->kind != LEFT_FAILED)
            continue;
        struct str why = o->why;
        buf_printf(out, "  not listed " STR_FMT ": ", STR_ARG(o->type));
        (void)terminal_write_cell(out, str_cut(&why, '\n'), SIZE_MAX);
        buf_addc(out, '\n');
        shown++;
    }
}

void import_report_text(struct buf *out, struct arena *a, const struct import_report *r, const char *folder)
{
    static const enum import_status order[] = {IMPORT_CLEAN,  IMPORT_REPAIRED, IMPORT_IGNORED,
                                               IMPORT_FAILED, IMPORT_SKIPPED,  IMPORT_WAITING};
    buf_printf(out, "%zu objects:", import_count_all(r->list));
    for (size_t i = 0, n = 0; i < sizeof order / sizeof order[0]; i++) {
        size_t count = import_count(r->list, order[i]);
        if (count == 0)
            continue;
        buf_printf(out, "%s %zu %s", n++ > 0 ? "," : "", count, import_status_name(order[i]));
    }
    if (r->references)
        buf_printf(out, "; %zu references", references_count(r->references));
    buf_addc(out, '\n');
    write_left_out(out, r->list);
    write_trouble(out, a, r->list, IMPORT_FAILED);
    write_trouble(out, a, r->list, IMPORT_IGNORED);
    if (r->program)
        buf_printf(out, "%s: %s\n", r->program,
                   r->proof == PROOF_CLEAN     ? "no changes"
                   : r->proof == PROOF_CHANGES ? "the plan is not empty"
                                               : "failed");
    buf_printf(out, "%s has the result, %s/%s every object.\n", folder, folder, IMPORT_REPORT);
}
