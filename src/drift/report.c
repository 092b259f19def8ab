#include "drift/report.h"

#include "base/terminal.h"
#include "engine/plan_json.h"
#include "output/html.h"
#include "value/json_value.h"

enum { MAX_VALUE = 64 << 20, SHOWN_VALUE = 160, SHOWN_ERROR = 400 };

struct drift_summary drift_summarize(const struct drift *d)
{
    struct drift_summary s = {
        .in_sync = drift_count(d, DRIFT_IN_SYNC),
        .changed = drift_count(d, DRIFT_CHANGED),
        .missing = drift_count(d, DRIFT_MISSING),
        .failed = drift_count(d, DRIFT_FAILED),
        .ignored = drift_count(d, DRIFT_IGNORED),
        .waiting = drift_count(d, DRIFT_WAITING),
        .unmanaged = d->unmanaged.n,
        .coverage = -1,
    };
    s.objects = d->objects.n - s.ignored;
    size_t managed = s.in_sync + s.changed, all = managed + s.missing + s.unmanaged;
    if (d->listed)
        s.coverage = all > 0 ? (int)(managed * 100 / all) : 100;
    return s;
}

/* A value in JSON; "" on failure, which happens only for values larger than any provider sends. */
static struct str value_text(struct arena *a, const struct value *v)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_VALUE);
    struct json_writer w = {.out = &out};
    struct diags ignored;
    diags_init(&ignored, a);
    return value_write_json(&w, v, v->type, &ignored) && json_finish(&w) ? buf_copy(&out, a) : STR_EMPTY;
}

static char sign_of(const struct drift_attribute *at)
{
    return !at->before ? '+' : !at->after ? '-' : '~';
}

/* --- a terminal --- */

static const char *ink(bool colour, char sign)
{
    if (!colour)
        return "";
    return sign == '+' ? "\x1b[32m" : sign == '-' ? "\x1b[31m" : sign == '~' ? "\x1b[33m" : "\x1b[0m";
}

static void write_value(struct buf *out, struct arena *a, const struct value *v)
{
    (void)terminal_write_cell(out, value_text(a, v), SHOWN_VALUE);
}

static void write_attribute(struct buf *out, struct arena *a, const struct drift_attribute *at, bool colour)
{
    char sign = sign_of(at);
    buf_printf(out, "    %s%c%s ", ink(colour, sign), sign, ink(colour, 0));
    (void)terminal_write_cell(out, path_text(a, at->path), SIZE_MAX);
    buf_addz(out, " = ");
    if (at->sensitive) {
        buf_addz(out, "(sensitive value)");
    } else {
        if (at->before)
            write_value(out, a, at->before);
        if (at->before && at->after)
            buf_addz(out, " -> ");
        if (at->after)
            write_value(out, a, at->after);
    }
    buf_addc(out, '\n');
}

static void write_name(struct buf *out, const struct drift *d, const struct drift_object *o)
{
    buf_addz(out, "  ");
    (void)terminal_write_cell(out, o->address, SIZE_MAX);
    if (o->id.n > 0) {
        buf_addz(out, " (");
        (void)terminal_write_cell(out, o->id, SHOWN_VALUE);
        buf_addc(out, ')');
    }
    if (d->n_states > 1)
        buf_printf(out, " of %s", o->state);
}

static void write_objects(struct buf *out, const struct drift *d, enum drift_status status, const char *title, bool colour)
{
    size_t n = drift_count(d, status);
    if (n == 0)
        return;
    buf_printf(out, "%s (%zu):\n", title, n);
    for (size_t i = 0; i < d->objects.n; i++) {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        const struct drift_object *o = &d->objects.v[i];
        if (o->status != status)
            continue;
        write_name(out, d, o);
        if (status == DRIFT_FAILED) {
            buf_addz(out, ": ");
            (void)terminal_write_cell(out, o->error, SHOWN_ERROR);
        }
        buf_addc(out, '\n');
        for (size_t k = 0; k < o->n_attributes; k++)
            write_attribute(out, scratch, &o->attributes[k], colour);
    }
    buf_addc(out, '\n');
}

static void write_unmanaged(struct buf *out, const struct drift *d)
{
    if (d->unmanaged.n == 0)
        return;
    buf_printf(out, "Not managed (%zu):\n", d->unmanaged.n);
    for (size_t i = 0; i < d->unmanaged.n; i++) {
        buf_addz(out, "  ");
        (void)terminal_write_cell(out, d->unmanaged.v[i].type, SIZE_MAX);
        buf_addc(out, ' ');
        (void)terminal_write_cell(out, d->unmanaged.v[i].id, SHOWN_VALUE);
        buf_addc(out, '\n');
    }
    buf_addc(out, '\n');
}

static void write_sum(struct buf *out, const struct drift_summary *s)
{
    buf_printf(out, "%zu object%s: %zu in sync, %zu changed, %zu missing", s->objects, s->objects == 1 ? "" : "s", s->in_sync,
               s->changed, s->missing);
    if (s->failed > 0)
        buf_printf(out, ", %zu could not be read", s->failed);
    if (s->waiting > 0)
        buf_printf(out, ", %zu not looked at", s->waiting);
    if (s->ignored > 0)
        buf_printf(out, "; %zu ignored", s->ignored);
    if (s->coverage >= 0)
        buf_printf(out, "; %zu not managed, coverage %d %%", s->unmanaged, s->coverage);
    buf_addz(out, ".\n");
}

void drift_write_text(struct buf *out, const struct drift *d, bool colour)
{
    struct drift_summary s = drift_summarize(d);
    write_objects(out, d, DRIFT_CHANGED, "Changed", colour);
    write_objects(out, d, DRIFT_MISSING, "Missing", colour);
    write_unmanaged(out, d);
    write_objects(out, d, DRIFT_FAILED, "Could not be read", colour);
    write_sum(out, &s);
}

/* --- programs --- */

static bool write_side(struct json_writer *w, const char *key, const struct value *v, struct diags *diags)
{
    if (!v)
        return true;
    json_key(w, str_of(key));
    return value_write_json(w, v, v->type, diags);
}

static bool write_json_attribute(struct json_writer *w, struct arena *a, const struct drift_attribute *at, struct diags *diags)
{
    json_begin_object(w);
    json_key(w, STR("path"));
    path_write_json(w, at->path);
    json_put_text(w, "attribute", path_text(a, at->path));
    json_put_text(w, "action", str_of(!at->before ? "added" : !at->after ? "removed" : "changed"));
    bool ok = true;
    if (at->sensitive) {
        json_key(w, STR("sensitive"));
        json_write_bool(w, true);
    } else {
        ok = write_side(w, "before", at->before, diags) && write_side(w, "after", at->after, diags);
    }
    json_end_object(w);
    return ok;
}

static bool write_json_object(struct json_writer *w, const struct drift *d, const struct drift_object *o, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    json_begin_object(w);
    json_put_text(w, "address", o->address);
    json_put_text(w, "type", o->type);
    json_put_text(w, "id", o->id);
    json_put_text(w, "provider", d->providers.v[o->provider].text);
    json_put_text(w, "state", str_of(o->state));
    if (o->status == DRIFT_FAILED)
        json_put_text(w, "error", o->error);
    bool ok = true;
    if (o->status == DRIFT_CHANGED) {
        json_key(w, STR("attributes"));
        json_begin_array(w);
        for (size_t i = 0; ok && i < o->n_attributes; i++)
            ok = write_json_attribute(w, scratch, &o->attributes[i], diags);
        json_end_array(w);
    }
    json_end_object(w);
    return ok;
}

static bool write_json_objects(struct json_writer *w, const struct drift *d, enum drift_status status, struct diags *diags)
{
    bool ok = true;
    json_key(w, str_of(drift_status_name(status)));
    json_begin_array(w);
    for (size_t i = 0; ok && i < d->objects.n; i++)
        if (d->objects.v[i].status == status)
            ok = write_json_object(w, d, &d->objects.v[i], diags);
    json_end_array(w);
    return ok;
}

bool drift_write_json(struct json_writer *w, const struct drift *d, struct diags *diags)
{
    struct drift_summary s = drift_summarize(d);
    json_key(w, STR("summary"));
    json_begin_object(w);
    json_put_int(w, "objects", (int64_t)s.objects);
    json_put_int(w, "in_sync", (int64_t)s.in_sync);
    json_put_int(w, "changed", (int64_t)s.changed);
    json_put_int(w, "missing", (int64_t)s.missing);
    json_put_int(w, "failed", (int64_t)s.failed);
    json_put_int(w, "ignored", (int64_t)s.ignored);
    json_put_int(w, "waiting", (int64_t)s.waiting);
    if (s.coverage >= 0) {
        json_put_int(w, "unmanaged", (int64_t)s.unmanaged);
        json_put_int(w, "coverage", s.coverage);
    }
    json_end_object(w);
    if (!write_json_objects(w, d, DRIFT_CHANGED, diags) || !write_json_objects(w, d, DRIFT_MISSING, diags) ||
        !write_json_objects(w, d, DRIFT_FAILED, diags))
        return false;
    if (!d->listed)
        return true;
    json_key(w, STR("unmanaged"));
    json_begin_array(w);
    for (size_t i = 0; i < d->unmanaged.n; i++) {
        json_begin_object(w);
        json_put_text(w, "type", d->unmanaged.v[i].type);
        json_put_text(w, "id", d->unmanaged.v[i].id);
        json_end_object(w);
    }
    json_end_array(w);
    return true;
}

/* --- a page --- */

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Drift</title>\n<style>\n"
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\n"
    "ul.sum{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;padding:0}ul.sum li{border:1px solid #8886;border-radius:6px;"
    "padding:.5rem 1rem}ul.sum b{display:block;font-size:1.5rem}\n"
    "table{border-collapse:collapse;width:100%;margin:.25rem 0 1rem}td,th{border:1px solid #8884;padding:.25rem .5rem;"
    "text-align:left;vertical-align:top;overflow-wrap:anywhere}\ncode{font-size:.9em}h3{margin:1rem 0 0;font-size:1rem}\n"
    ".added{color:#1a7f37}.removed{color:#cf222e}.changed{color:#9a6700}small{color:#777}\n"
    "</style></head><body>\n<h1>Drift</h1>\n";

static void write_tile(struct buf *out, const char *name, size_t n)
{
    buf_printf(out, "<li><b>%zu</b>%s</li>\n", n, name);
}

static void write_cell(struct buf *out, struct arena *a, const struct drift_attribute *at, const struct value *v)
{
    buf_addz(out, "<td><code>");
    if (at->sensitive)
        buf_addz(out, v ? "(sensitive value)" : "");
    else if (v)
        html_write(out, value_text(a, v));
    buf_addz(out, "</code></td>");
}

static void write_html_object(struct buf *out, const struct drift *d, const struct drift_object *o)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    buf_addz(out, "<h3><code>");
    html_write(out, o->address);
    buf_addz(out, "</code> <small>");
    html_write(out, o->id);
    if (d->n_states > 1) {
        buf_addz(out, " of ");
        html_write(out, str_of(o->state));
    }
    buf_addz(out, "</small></h3>\n");
    if (o->status == DRIFT_FAILED) {
        buf_addz(out, "<p>");
        html_write(out, o->error);
        buf_addz(out, "</p>\n");
    }
    if (o->n_attributes == 0)
        return;
    buf_addz(out, "<table><tr><th>attribute</th><th>state</th><th>now</th></tr>\n");
    for (size_t i = 0; i < o->n_attributes; i++) {
        const struct drift_attribute *at = &o->attributes[i];
        buf_printf(out, "<tr><td class=\"%s\"><code>", !at->before ? "added" : !at->after ? "removed" : "changed");
        html_write(out, path_text(scratch, at->path));
        buf_addz(out, "</code></td>");
        write_cell(out, scratch, at, at->before);
        write_cell(out, scratch, at, at->after);
        buf_addz(out, "</tr>\n");
    }
    buf_addz(out, "</table>\n");
}

static void write_html_objects(struct buf *out, const struct drift *d, enum drift_status status, const char *title)
{
    if (drift_count(d, status) == 0)
        return;
    buf_printf(out, "<h2>%s</h2>\n", title);
    for (size_t i = 0; i < d->objects.n; i++)
        if (d->objects.v[i].status == status)
            write_html_object(out, d, &d->objects.v[i]);
}

void drift_write_html(struct buf *out, const struct drift *d)
{
    struct drift_summary s = drift_summarize(d);
    buf_addz(out, page_head);
    buf_addz(out, "<ul class=\"sum\">\n");
    write_tile(out, "objects", s.objects);
    write_tile(out, "in sync", s.in_sync);
    write_tile(out, "changed", s.changed);
    write_tile(out, "missing", s.missing);
    write_tile(out, "could not be read", s.failed);
    write_tile(out, "ignored", s.ignored);
    if (s.waiting > 0)
        write_tile(out, "not looked at", s.waiting);
    if (s.coverage >= 0) {
        write_tile(out, "not managed", s.unmanaged);
        buf_printf(out, "<li><b>%d %%</b>coverage</li>\n", s.coverage);
    }
    buf_addz(out, "</ul>\n");
    write_html_objects(out, d, DRIFT_CHANGED, "Changed");
    write_html_objects(out, d, DRIFT_MISSING, "Missing");
    if (d->unmanaged.n > 0)
        buf_addz(out, "<h2>Not managed</h2>\n<table><tr><th>type</th><th>id</th></tr>\n");
    for (size_t i = 0; i < d->unmanaged.n; i++) {
        buf_addz(out, "<tr><td><code>");
        html_write(out, d->unmanaged.v[i].type);
        buf_addz(out, "</code></td><td><code>");
        html_write(out, d->unmanaged.v[i].id);
        buf_addz(out, "</code></td></tr>\n");
    }
    if (d->unmanaged.n > 0)
        buf_addz(out, "</table>\n");
    write_html_objects(out, d, DRIFT_FAILED, "Could not be read");
    buf_addz(out, "</body></html>\n");
}
