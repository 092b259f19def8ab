/* Fenced code blocks of a Markdown page. */
#pragma once

#include "base/str.h"

struct markdown {
    struct str rest;
    uint32_t line; /* of what `rest` starts with, less one */
};

struct markdown_code {
    struct str language; /* the first word behind the fence */
    struct str text;     /* up to, not including, the closing fence */
    uint32_t line;       /* of the text's first line, from 1 */
};

static inline struct markdown markdown_of(struct str page)
{
    return (struct markdown){.rest = page};
}

/* The next block; false: there is none. A block that is not closed goes to the end of the page. */
bool markdown_next(struct markdown *m, struct markdown_code *ret);
