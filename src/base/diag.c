#include "base/diag.h"

#include "base/terminal.h"
#include "base/vec.h"

void diags_init(struct diags *d, struct arena *a)
{
    *d = (struct diags){.arena = a};
}

static struct path copy_path(struct arena *a, struct path path)
{
    struct path_step *steps = arena_make_n(a, struct path_step, path.n);
    for (size_t i = 0; i < path.n; i++) {
        steps[i] = path.steps[i];
        steps[i].name = arena_str(a, path.steps[i].name);
    }
    return (struct path){steps, path.n};
}

void diags_add(struct diags *d, const struct diag *diag)
{
    struct diag *copy = VEC_PUSH(d->arena, d);
    *copy = (struct diag){
        .severity = diag->severity,
        .summary = arena_str(d->arena, diag->summary),
        .detail = arena_str(d->arena, diag->detail),
        .path = copy_path(d->arena, diag->path),
        .where = diag->where,
        .output_title = arena_str(d->arena, diag->output_title),
        .output = arena_str(d->arena, diag->output),
    };
    if (diag->severity == DIAG_ERROR)
        d->n_errors++;
}

static void __attribute__((format(printf, 5, 0))) add(struct diags *d, enum diag_severity severity, struct path path,
                                                      const char *summary, const char *detail, va_list args)
{
    diags_add(d, &(struct diag){
                     .severity = severity,
                     .summary = str_of(summary),
                     .detail = arena_vprintf(d->arena, detail, args),
                     .path = path,
                 });
}

void diags_warn(struct diags *d, const char *summary, const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    add(d, DIAG_WARNING, PATH_ROOT, summary, detail, args);
    va_end(args);
}

bool diags_fail(struct diags *d, const char *summary, const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    add(d, DIAG_ERROR, PATH_ROOT, summary, detail, args);
    va_end(args);
    return false;
}

bool diags_fail_at(struct diags *d, struct path path, const char *summary, const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    add(d, DIAG_ERROR, path, summary, detail, args);
    va_end(args);
    return false;
}

void diags_append(struct diags *d, const struct diags *from)
{
    /* The count is read first, so that a list can be appended to itself. */
    size_t n = from->n;
    for (size_t i = 0; i < n; i++)
        diags_add(d, &from->v[i]);
}

/* Escapes the text, because it may come from providers or files. */
static void write_indented(struct buf *out, struct str text, const char *indent)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        if (line.n > 0)
            buf_addz(out, indent);
        terminal_write(out, line, TERMINAL_KEEP_TABS);
        buf_addc(out, '\n');
    }
}

static void write_severity(struct buf *out, enum diag_severity severity, bool color)
{
    bool error = severity == DIAG_ERROR;
    if (color)
        buf_addz(out, error ? "\033[1;31m" : "\033[1;33m");
    buf_addz(out, error ? "Error: " : "Warning: ");
    if (color)
        buf_addz(out, "\033[0m");
}

void diags_write(struct buf *out, const struct diags *d, bool color)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct diag *diag = &d->v[i];
        write_severity(out, diag->severity, color);
        terminal_write(out, diag->summary, TERMINAL_KEEP_NOTHING);
        buf_addc(out, '\n');
        if (diag->path.n > 0) {
            buf_addz(out, "  at ");
            terminal_write(out, path_text(d->arena, diag->path), TERMINAL_KEEP_NOTHING);
            buf_addc(out, '\n');
        }
        if (diag->detail.n > 0) {
            buf_addc(out, '\n');
            write_indented(out, diag->detail, "  ");
        }
        if (diag->output.n > 0) {
            buf_addz(out, "\n  ");
            terminal_write(out, diag->output_title, TERMINAL_KEEP_NOTHING);
            buf_addz(out, ":\n\n");
            write_indented(out, diag->output, "    ");
        }
    }
}
