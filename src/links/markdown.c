#include "links/markdown.h"

enum { FENCE_LEAST = 3 };

static struct str next_line(struct markdown *m)
{
    m->line++;
    return str_cut(&m->rest, '\n');
}

/* The number of fence characters at the start of the line, which may be indented, as in lists. */
static size_t fence_of(struct str line, char *ret_sign, struct str *ret_behind)
{
    struct str text = str_trim(line);
    char sign = text.n > 0 ? text.p[0] : '\0';
    size_t n = 0;
    while ((sign == '`' || sign == '~') && n < text.n && text.p[n] == sign)
        n++;
    *ret_sign = sign;
    *ret_behind = str_trim(str_slice(text, n, text.n));
    return n >= FENCE_LEAST ? n : 0;
}

static bool closes(struct str line, char sign, size_t length)
{
    char other;
    struct str behind;
    return fence_of(line, &other, &behind) >= length && other == sign && behind.n == 0;
}

/* "```hcl title=x" and "``` {.hcl}" are hcl. */
static struct str first_word(struct str behind)
{
    size_t from = 0, to;
    while (from < behind.n && strchr("{. ", behind.p[from]) && behind.p[from])
        from++;
    for (to = from; to < behind.n && behind.p[to] && !strchr(" \t,}", behind.p[to]);)
        to++;
    return str_slice(behind, from, to);
}

bool markdown_next(struct markdown *m, struct markdown_code *ret)
{
    while (m->rest.n > 0) {
        char sign;
        struct str behind;
        size_t length = fence_of(next_line(m), &sign, &behind);
        if (length == 0 || (sign == '`' && str_find(behind, '`', 0) != SIZE_MAX)) /* inline ```code``` */
            continue;
        struct markdown_code code = {.language = first_word(behind), .line = m->line + 1};
        const char *from = m->rest.p, *to = m->rest.p + m->rest.n;
        while (m->rest.n > 0) {
            struct str line = next_line(m);
            if (closes(line, sign, length)) {
                to = line.p;
                break;
            }
        }
        code.text = (struct str){from, (size_t)(to - from)};
        *ret = code;
        return true;
    }
    return false;
}
