/* Fenced code blocks of a Markdown page. */
#pragma once

#include "base/str.h"

struct markdown {
    struct str rest;
    uint32_t line; /* number of the line before `rest` */
};

struct markdown_code {
    struct str language; /* the first word after the fence */
    struct str text;     /* without the closing fence */
    uint32_t line;       /* of the text's first line, from 1 */
};

static inline struct markdown markdown_of(struct str page)
{
    return (struct markdown){.rest = page};
}

/* Returns the next block; false if there is none. A block without a closing fence extends to the end of the page. */
bool markdown_next(struct markdown *m, struct markdown_code *ret);
