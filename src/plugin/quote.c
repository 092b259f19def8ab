#include "plugin/quote.h"

#include "base/buf.h"

/* Bytes of the character at the start of `text` that may be shown as it is; 0: it must not. */
static size_t shown_first(struct str text)
{
    unsigned char c = (unsigned char)text.p[0];
    if (c < 0x20 || c == 0x7f)
        return 0;
    size_t n = str_utf8_first(text);
    /* U+0080 to U+009F are control characters too; some terminals obey them. */
    bool is_control = n == 2 && c == 0xc2 && (unsigned char)text.p[1] < 0xa0;
    return is_control ? 0 : n;
}

struct str quote_text(struct arena *a, struct str text, size_t max)
{
    struct buf out BUF_AUTO = BUF_INIT(max * 4 + sizeof "\"\"...");
    struct str shown = str_slice(text, 0, max);
    buf_addc(&out, '"');
    for (size_t i = 0; i < shown.n;) {
        size_t n = shown_first(str_slice(shown, i, shown.n));
        bool escape = n == 0 || shown.p[i] == '"' || shown.p[i] == '\\';
        if (escape)
            buf_printf(&out, "\\x%02x", (unsigned)(unsigned char)shown.p[i]);
        else
            buf_add(&out, str_slice(shown, i, i + n));
        i += escape ? 1 : n;
    }
    buf_addc(&out, '"');
    if (text.n > max)
        buf_addz(&out, "...");
    return buf_copy(&out, a);
}

struct str quote_line(struct arena *a, struct str line)
{
    struct buf out BUF_AUTO = BUF_INIT(line.n + 1);
    for (size_t i = 0; i < line.n;) {
        size_t n = shown_first(str_slice(line, i, line.n));
        bool keep = n > 0 || line.p[i] == '\t';
        if (n == 0)
            n = 1;
        buf_add(&out, keep ? str_slice(line, i, i + n) : STR("?"));
        i += n;
    }
    return buf_copy(&out, a);
}
