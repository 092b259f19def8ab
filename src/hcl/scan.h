/*
 * Lexemes of HCL, for parse*.c. The meaning of a character depends on the context: in a template everything up to the next
 * interpolation is text, so the parser asks either for a lexeme or for the next piece of a template.
 */
#pragma once

#include "hcl/hcl.h"

enum hcl_lexeme_kind {
    LEXEME_END,
    LEXEME_NEWLINE,
    LEXEME_NAME,
    LEXEME_NUMBER,
    LEXEME_QUOTE,   /* the cursor is after it, in a template */
    LEXEME_HEREDOC, /* <<NAME and the end of its line; the cursor is in a template */
    LEXEME_SIGN,
};

/* Signs of two and three characters; a sign of one character is that character. */
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
    struct str text; /* as written; HEREDOC: its marker */
    bool flush;      /* HEREDOC: <<- */
};

struct hcl_scanner {
    struct arena *arena;
    struct str text;
    size_t at;
    const char *source;
    struct diags *diags;
    size_t n_lexemes;
    size_t counted; /* the byte that `place` belongs to */
    struct hcl_place place;
};

/* False with a diagnostic if the text is not UTF-8 or too long. */
bool hcl_scan_init(struct hcl_scanner *s);

/* False after a diagnostic. Unless `newlines`, line ends are white space. */
bool hcl_scan_lexeme(struct hcl_scanner *s, bool newlines, struct hcl_lexeme *ret);

/* Adds the error "SOURCE:LINE:COLUMN: TEXT."; the macro's value is false. */
void hcl_scan_say(struct hcl_scanner *s, struct hcl_place at, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define hcl_scan_fail(...) (hcl_scan_say(__VA_ARGS__), false)

/* An open template. */
struct hcl_template {
    struct hcl_place at;
    struct str marker; /* the marker that ends a heredoc; empty: a quote ends it */
    size_t indent;     /* spaces to remove from every line */
    bool line_start;
    bool stripped; /* ~} was before the next piece */
};

/* Opens the template after a QUOTE or HEREDOC. */
struct hcl_template hcl_scan_open(const struct hcl_scanner *s, const struct hcl_lexeme *opening);

enum hcl_piece { PIECE_BROKEN, PIECE_LAST, PIECE_VALUE /* before ${ */, PIECE_DIRECTIVE /* before %{ */ };
/*
 * The text up to the end of the template or the start of the next sequence; the cursor is then after that. BROKEN: after a
 * diagnostic.
 */
enum hcl_piece hcl_scan_piece(struct hcl_scanner *s, struct hcl_template *t, struct str *ret);
