#include "render/plan_text.h"

#include "base/terminal.h"
#include "render/diff_private.h"
#include "render/words_private.h"

/* The comment above a change */

static void write_reason(struct buf *out, const struct text_change *c, bool colour)
{
    const char *reason = c->reason ? c->reason : "";
    if (strcmp(reason, "replace_because_tainted") == 0) {
        buf_addz(out, " is tainted, so must be ");
        ink_write(out, colour, INK_RED, "replaced");
    } else if (strcmp(reason, "replace_by_request") == 0) {
        buf_addz(out, " will be ");
        ink_write(out, colour, INK_RED, "replaced");
        buf_addz(out, ", as requested");
    } else if (strcmp(reason, "replace_by_triggers") == 0) {
        buf_addz(out, " will be ");
        ink_write(out, colour, INK_RED, "replaced");
        buf_addz(out, " due to changes in replace_triggered_by");
    } else {
        buf_addz(out, " must be ");
        ink_write(out, colour, INK_RED, "replaced");
    }
}

static void write_deletion(struct buf *out, const struct text_change *c, bool colour)
{
    if (c->drift) {
        buf_addz(out, " has been deleted");
    } else {
        buf_addz(out, " will be ");
        ink_write(out, colour, INK_RED, "destroyed");
    }
    if (c->reason && strcmp(c->reason, "delete_because_no_resource_config") == 0)
        buf_printf(out, "\n  # (because " STR_FMT "." STR_FMT " is not in configuration)", STR_ARG(c->object.type),
                   STR_ARG(c->object.name));
    if (c->object.deposed.n > 0)
        buf_addz(out, "\n  # (left over from a partially-failed replacement of this instance)");
}

static void write_what(struct buf *out, const struct text_change *c, bool colour)
{
    switch (c->action) {
    case ACTION_CREATE:
        return buf_addz(out, " will be created");
    case ACTION_UPDATE:
        return buf_addz(out, c->drift ? " has changed" : " will be updated in-place");
    case ACTION_DELETE:
        return write_deletion(out, c, colour);
    case ACTION_DELETE_THEN_CREATE:
    case ACTION_CREATE_THEN_DELETE:
        return write_reason(out, c, colour);
    case ACTION_READ:
        return buf_addz(out, " will be read during apply");
    case ACTION_NO_OP:
        return;
    }
}

static void write_address(struct buf *out, const struct text_object *o, const char *before, bool colour)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str deposed =
        o->deposed.n > 0 ? arena_printf(scratch, " (deposed object " STR_FMT ")", STR_ARG(o->deposed)) : STR_EMPTY;
    struct str text =
        arena_printf(scratch, "%s" STR_FMT STR_FMT, before, STR_ARG(terminal_line(scratch, o->address)), STR_ARG(deposed));
    ink_write(out, colour, INK_BOLD, text.p);
}

static void write_header(struct buf *out, const struct text_object *o)
{
    buf_printf(out, "%s \"" STR_FMT "\" \"" STR_FMT "\" ", o->data ? "data" : "resource", STR_ARG(o->type), STR_ARG(o->name));
}

void change_text(struct buf *out, const struct text_change *c, const struct text_style *style)
{
    if (c->action == ACTION_NO_OP)
        return;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    write_address(out, &c->object, "  # ", style->colour);
    write_what(out, c, style->colour);
    buf_addc(out, '\n');

    struct sides sides = sides_of_change(c->change);
    struct diff_look look = {.colour = style->colour};
    diff_write_sign(out, c->action, look);
    write_header(out, &c->object);
    diff_write(out, diff_block(a, &sides, c->object.schema), 0, look);
    buf_addc(out, '\n');
}

/* The whole */

struct counts {
    size_t of[ACTION_READ + 1];
};

static void write_signs(struct buf *out, const struct counts *counts, bool colour)
{
    static const struct {
        enum change_action action;
        const char *text;
    } signs[] = {
        {ACTION_CREATE, "create"},
        {ACTION_UPDATE, "update in-place"},
        {ACTION_DELETE, "destroy"},
        {ACTION_DELETE_THEN_CREATE, "destroy and then create replacement"},
        {ACTION_CREATE_THEN_DELETE, "create replacement and then destroy"},
        {ACTION_READ, "read (data resources)"},
    };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (counts->of[signs[i].action] == 0)
            continue;
        diff_write_sign(out, signs[i].action, (struct diff_look){.colour = colour});
        buf_printf(out, "%s\n", signs[i].text);
    }
}

static void write_nothing(struct buf *out, enum text_plan kind, const struct text_style *style)
{
    buf_addc(out, '\n');
    if (style->colour)
        buf_addz(out, "\033[1m");
    ink_write(out, style->colour, INK_GREEN, "No changes.");
    ink_write(out, style->colour, INK_BOLD,
              kind == TEXT_PLAN_DESTROY ? " No objects need to be destroyed."
                                        : " Your infrastructure matches the configuration.");
    buf_addz(out, "\n\n");
    words_wrap(out,
               kind == TEXT_PLAN_DESTROY
                   ? STR("Either you have not created any objects yet or the existing objects were already "
                         "deleted outside of Terrane.")
                   : STR("Terrane has compared your real infrastructure against your configuration and found "
                         "no differences, so no changes are needed."),
               style->width);
    buf_addc(out, '\n');
}

static struct counts count(const struct text_change *changes, size_t n)
{
    struct counts counts = {0};
    for (size_t i = 0; i < n; i++)
        counts.of[changes[i].action]++;
    return counts;
}

void plan_text(struct buf *out, const struct text_change *changes, size_t n, enum text_plan kind, const struct text_style *style)
{
    struct counts counts = count(changes, n);
    if (counts.of[ACTION_NO_OP] == n)
        return write_nothing(out, kind, style);
    buf_addc(out, '\n');
    words_wrap(out,
               STR("Terrane used the selected provider to generate the following execution plan. Resource actions are indicated "
                   "with the following symbols:"),
               style->width);
    buf_addc(out, '\n');
    write_signs(out, &counts, style->colour);
    buf_addz(out, "\nTerrane will perform the following actions:\n");
    for (size_t i = 0; i < n; i++) {
        if (changes[i].action == ACTION_NO_OP)
            continue;
        buf_addc(out, '\n');
        change_text(out, &changes[i], style);
    }
    size_t replaced = counts.of[ACTION_DELETE_THEN_CREATE] + counts.of[ACTION_CREATE_THEN_DELETE];
    buf_addc(out, '\n');
    ink_write(out, style->colour, INK_BOLD, "Plan:");
    buf_printf(out, " %zu to add, %zu to change, %zu to destroy.\n", counts.of[ACTION_CREATE] + replaced,
               counts.of[ACTION_UPDATE], counts.of[ACTION_DELETE] + replaced);
}

void object_text(struct buf *out, const struct text_object *object, const struct json *value, const struct json *sensitive,
                 const struct text_style *style)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    buf_printf(out, "# " STR_FMT ":", STR_ARG(terminal_line(a, object->address)));
    if (object->deposed.n > 0)
        buf_printf(out, " (deposed object " STR_FMT ")", STR_ARG(object->deposed));
    else if (object->tainted)
        buf_addz(out, " (tainted)");
    buf_addc(out, '\n');
    struct sides sides = sides_of_object(value, sensitive);
    struct diff_look look = {.colour = style->colour, .no_symbols = true, .show_unchanged = true};
    write_header(out, object);
    diff_write(out, diff_block(a, &sides, object->schema), 0, look);
    buf_addc(out, '\n');
}
