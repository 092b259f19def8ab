#include "output/html.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_write(struct buf *out, struct str text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    while (text.n > 0) {
        size_t n = str_utf8_first(text);
        const char *entity = entity_of(text.p[0]);
        bool control = (unsigned char)text.p[0] < ' ' && text.p[0] != '\t' && text.p[0] != '\n';
        if (entity)
            buf_addz(out, entity);
        else if (n == 0 || control || text.p[0] == '\x7f')
            buf_addz(out, replacement);
        else
            buf_add(out, str_slice(text, 0, n));
        text = str_slice(text, n > 0 ? n : 1, text.n);
    }
}
