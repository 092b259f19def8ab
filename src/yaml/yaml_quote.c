#include "yaml/yaml_quote_private.h"

bool yaml_must_escape(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

uint32_t yaml_decode(struct str s, size_t *ret_n)
{
    size_t n = str_utf8_first(s);
    *ret_n = n > 0 ? n : 1;
    if (n == 0)
        return 0xfffd;
    uint32_t c = n == 1 ? (unsigned char)s.p[0] : (unsigned char)s.p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)s.p[i] & 0x3fu);
    return c;
}

void yaml_put_quoted(struct buf *out, struct str s)
{
    buf_addc(out, '"');
    while (s.n > 0) {
        size_t n;
        uint32_t c = yaml_decode(s, &n);
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            buf_addz(out, "\\n");
        else if (c == '\t')
            buf_addz(out, "\\t");
        else if (yaml_must_escape(c))
            buf_printf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
        else
            buf_add_utf8(out, c);
        s = str_slice(s, n, s.n);
    }
    buf_addc(out, '"');
}
