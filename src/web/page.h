/* The files of page/, which the build embeds in the program (embed.py). */
#pragma once

#include <stddef.h>

struct page_file {
    const char *path; /* "/app.js"; "/" for index.html; NULL ends the list */
    const char *type;
    const unsigned char *bytes;
    size_t n;
};
extern const struct page_file page_files[];
