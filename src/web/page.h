/* The files of page/, as the build put them into the program (embed.py). */
#pragma once

#include <stddef.h>

struct page_file {
    const char *path; /* "/app.js"; "/" for index.html; NULL ends the list */
    const char *type;
    const unsigned char *bytes;
    size_t n;
};
extern const struct page_file page_files[];
