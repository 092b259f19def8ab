/*
 * Lexemes of HCL, for parse.c. What a character means depends on where it stands: in a template everything is text up to the next
 * interpolation, so the parser asks either for a lexeme or for the next piece of a template.
 */
#pragma once

#include "hcl/hcl.h"

enum hcl_lexeme_kind {
    LEXEME_END,
    LEXEME_NEWLINE,
    LEXEME_NAME,
    LEXEME_NUMBER,
    LEXEME_QUOTE,   /* the cursor is behind it, in a template */
    LEXEME_HEREDOC, /* <<NAME and the end of its line; the cursor is in a template */
    LEXEME_SIGN,
};

/* Signs of two and three characters; those of one are themselves. */
#define HCL_SIGN(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
enum hcl_sign {
    SIGN_AND = HCL_SIGN('&', '&'),
    SIGN_OR = HCL_SIGN('|', '|'),
    SIGN_EQUAL = HCL_SIGN('=', '='),
    SIGN_NOT_EQUAL = HCL_SIGN('!', '='),
    SIGN_LESS_EQUAL = HCL_SIGN('<', '='),
    SIGN_MORE_EQUAL = HCL_SIGN('>', '='),
    SIGN_ARROW = HCL_SIGN('=', '>'),
    SIGN_SCOPE = HCL_SIGN(':', ':'),
    SIGN_STRIP_CLOSE = HCL_SIGN('~', '}'),
    SIGN_ELLIPSIS = HCL_SIGN('.', '.') | (uint32_t)'.' << 16,
};

struct hcl_lexeme {
    enum hcl_lexeme_kind kind;
    uint32_t sign; /* SIGN */
    struct hcl_place at;
    struct str text; /* as written; HEREDOC: its name */
    bool flush;      /* HEREDOC: <<- */
};

struct hcl_scanner {
    struct arena *arena;
    struct str text;
    size_t at;
    const char *source;
    struct diags *diags;
    size_t n_lexemes;
    size_t counted; /* `place` is that of this byte */
    struct hcl_place place;
};

/* A text that is not UTF-8, or too long, is an error. */
bool hcl_scan_init(struct hcl_scanner *s);

/* False after a diagnostic. Unless `newlines`, ends of lines are white space. */
bool hcl_scan_lexeme(struct hcl_scanner *s, bool newlines, struct hcl_lexeme *ret);

/* "SOURCE:LINE:COLUMN: TEXT." as an error; the macro is false. */
void hcl_scan_say(struct hcl_scanner *s, struct hcl_place at, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define hcl_scan_fail(...) (hcl_scan_say(__VA_ARGS__), false)

/* An open template. */
struct hcl_template {
    struct hcl_place at;
    struct str marker; /* that ends a heredoc; empty: a quote ends it */
    size_t indent;     /* spaces to be taken from every line */
    bool line_start;
    bool stripped; /* ~} stood before the next piece */
};

/* Behind QUOTE or HEREDOC. */
struct hcl_template hcl_scan_open(const struct hcl_scanner *s, const struct hcl_lexeme *opening);

enum hcl_piece { PIECE_BROKEN, PIECE_LAST, PIECE_VALUE /* before ${ */, PIECE_DIRECTIVE /* before %{ */ };
/* The text up to the end or the next sequence, which the cursor is then behind. BROKEN: after a diagnostic. */
enum hcl_piece hcl_scan_piece(struct hcl_scanner *s, struct hcl_template *t, struct str *ret);
