/*
 * Tables of test cases in files: one case per line, fields separated by tabs, "#" at the start of a line for comments. %XX in a
 * field is the byte XX, for bytes that a text file cannot contain.
 */
#pragma once

#include "base/file.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

enum { TABLE_FIELDS = 4, TABLE_MAX_FILE = 1 << 20 };

struct table_row {
    size_t line;
    size_t n;
    struct str field[TABLE_FIELDS];
};

struct table {
    struct table_row *v;
    size_t n, cap;
};

static inline struct str table_unescape(struct arena *a, struct str field)
{
    struct buf out BUF_AUTO = BUF_INIT(TABLE_MAX_FILE);
    for (size_t i = 0; i < field.n; i++) {
        unsigned byte;
        if (field.p[i] == '%' && i + 2 < field.n && sscanf(field.p + i + 1, "%2x", &byte) == 1) {
            buf_addc(&out, (char)byte);
            i += 2;
        } else {
            buf_addc(&out, field.p[i]);
        }
    }
    return buf_copy(&out, a);
}

/* Aborts the test program when the file cannot be read or has no cases: a missing table must not pass. */
static inline struct table table_load(struct arena *a, const char *path)
{
    struct diags diags;
    struct table table = {0};
    struct str text = STR_EMPTY;
    diags_init(&diags, a);
    (void)file_read(a, path, TABLE_MAX_FILE, &diags, &text);
    for (size_t line_number = 1; text.n > 0; line_number++) {
        struct str line = str_cut(&text, '\n');
        if (line.n == 0 || line.p[0] == '#')
            continue;
        struct table_row *row = VEC_PUSH(a, &table);
        row->line = line_number;
        while (row->n < TABLE_FIELDS) {
            bool last = str_find(line, '\t', 0) == SIZE_MAX;
            row->field[row->n++] = table_unescape(a, str_cut(&line, '\t'));
            if (last)
                break;
        }
    }
    if (table.n == 0) {
        (void)fprintf(stderr, "%s: no test cases\n", path);
        abort();
    }
    return table;
}
