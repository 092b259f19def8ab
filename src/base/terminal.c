#include "base/terminal.h"

#include <sys/ioctl.h>

static uint32_t decode(struct str character)
{
    static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (unsigned char)character.p[0] & lead_bits[character.n];
    for (size_t i = 1; i < character.n; i++)
        c = c << 6 | ((unsigned char)character.p[i] & 0x3f);
    return c;
}

static bool steers(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Length of the first character of `text`, which is not empty, if the character is safe; otherwise 0. */
static size_t safe_first(struct str text)
{
    size_t n = str_utf8_first(text);
    return n == 0 || steers(decode(str_slice(text, 0, n))) ? 0 : n;
}

bool terminal_is_safe(struct str text)
{
    for (size_t i = 0, n; i < text.n; i += n) {
        n = safe_first(str_slice(text, i, text.n));
        if (n == 0)
            return false;
    }
    return true;
}

static void write_byte(struct buf *out, char byte)
{
    buf_printf(out, "\\x%02x", (unsigned)(unsigned char)byte);
}

size_t terminal_write_first(struct buf *out, struct str text)
{
    size_t safe = safe_first(text), n = str_utf8_first(text);
    if (safe > 0)
        buf_add(out, str_slice(text, 0, safe));
    else if (n > 1)
        buf_printf(out, "\\u%04x", (unsigned)decode(str_slice(text, 0, n)));
    else
        write_byte(out, text.p[0]);
    return n > 0 ? n : 1;
}

static bool is_kept(char c, enum terminal_keep keep)
{
    return (c == '\t' && keep >= TERMINAL_KEEP_TABS) || (c == '\n' && keep >= TERMINAL_KEEP_LINES);
}

void terminal_write(struct buf *out, struct str text, enum terminal_keep keep)
{
    for (size_t i = 0; i < text.n;) {
        if (is_kept(text.p[i], keep))
            buf_addc(out, text.p[i++]);
        else
            i += terminal_write_first(out, str_slice(text, i, text.n));
    }
}

struct str terminal_line(struct arena *a, struct str line)
{
    struct buf out BUF_AUTO = BUF_INIT(TERMINAL_MAX(line.n));
    terminal_write(&out, line, TERMINAL_KEEP_TABS);
    return buf_copy(&out, a);
}

struct str terminal_quote(struct arena *a, struct str text, size_t max)
{
    struct buf out BUF_AUTO = BUF_INIT(TERMINAL_MAX(max) + sizeof "\"\"...");
    struct str shown = str_slice(text, 0, max);
    buf_addc(&out, '"');
    for (size_t i = 0; i < shown.n;) {
        if (shown.p[i] == '"' || shown.p[i] == '\\')
            write_byte(&out, shown.p[i++]);
        else
            i += terminal_write_first(&out, str_slice(shown, i, shown.n));
    }
    buf_addc(&out, '"');
    if (text.n > max)
        buf_addz(&out, "...");
    return buf_copy(&out, a);
}

size_t terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t terminal_write_cell(struct buf *out, struct str text, size_t max)
{
    size_t columns = 0;
    for (size_t i = 0, characters = 0; i < text.n; characters++) {
        if (characters == max) {
            buf_addz(out, "...");
            return columns + 3;
        }
        size_t before = out->n, n = 1;
        char c = text.p[i];
        if (c == '\n' || c == '\r' || c == '\t')
            buf_addc(out, ' ');
        else
            n = terminal_write_first(out, str_slice(text, i, text.n));
        columns += str_count_utf8(str_slice(buf_str(out), before, out->n));
        i += n;
    }
    return columns;
}
