#include "render/diff_private.h"

void ink_write(struct buf *out, bool colour, enum ink ink, const char *text)
{
    static const char *const codes[] = {
        [INK_BOLD] = "\033[1m",    [INK_RED] = "\033[31m",  [INK_GREEN] = "\033[32m",
        [INK_YELLOW] = "\033[33m", [INK_CYAN] = "\033[36m", [INK_GREY] = "\033[90m",
    };
    bool coloured = colour && ink != INK_PLAIN;
    if (coloured)
        buf_addz(out, codes[ink]);
    buf_addz(out, text);
    if (coloured)
        buf_addz(out, "\033[0m");
}

void ink_null_suffix(struct buf *out, enum change_action action, struct diff_look look)
{
    if (look.no_null || action != ACTION_DELETE)
        return;
    buf_addc(out, ' ');
    ink_write(out, look.colour, INK_GREY, "-> null");
}

void ink_replace_suffix(struct buf *out, bool replace, struct diff_look look)
{
    if (!replace && !look.forced)
        return;
    buf_addc(out, ' ');
    ink_write(out, look.colour, INK_RED, "# forces replacement");
}

void ink_arrow(struct buf *out, struct diff_look look)
{
    buf_addc(out, ' ');
    ink_write(out, look.colour, INK_YELLOW, "->");
    buf_addc(out, ' ');
}

void ink_null(struct buf *out, struct diff_look look)
{
    ink_write(out, look.colour, INK_GREY, "null");
}

void ink_indent(struct buf *out, int levels)
{
    for (int i = 0; i < levels; i++)
        buf_addz(out, "    ");
}

void diff_write_sign(struct buf *out, enum change_action action, struct diff_look look)
{
    if (look.no_symbols)
        return;
    bool c = look.colour;
    switch (action) {
    case ACTION_CREATE:
        buf_addz(out, "  ");
        ink_write(out, c, INK_GREEN, "+");
        break;
    case ACTION_DELETE:
        buf_addz(out, "  ");
        ink_write(out, c, INK_RED, "-");
        break;
    case ACTION_UPDATE:
        buf_addz(out, "  ");
        ink_write(out, c, INK_YELLOW, "~");
        break;
    case ACTION_DELETE_THEN_CREATE:
        ink_write(out, c, INK_RED, "-");
        buf_addc(out, '/');
        ink_write(out, c, INK_GREEN, "+");
        break;
    case ACTION_CREATE_THEN_DELETE:
        ink_write(out, c, INK_GREEN, "+");
        buf_addc(out, '/');
        ink_write(out, c, INK_RED, "-");
        break;
    case ACTION_READ:
        buf_addc(out, ' ');
        ink_write(out, c, INK_CYAN, "<=");
        break;
    case ACTION_NO_OP:
        buf_addz(out, "   ");
        break;
    }
    buf_addc(out, ' ');
}
