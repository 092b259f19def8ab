/* Tokens of HCL 1, for hcl1.c. Comments and white space are skipped. */
#pragma once

#include "base/diag.h"

enum hcl1_token_kind {
    HCL1_TOKEN_END,
    HCL1_TOKEN_WORD,
    HCL1_TOKEN_STRING,
    HCL1_TOKEN_HEREDOC,
    HCL1_TOKEN_NUMBER,
    HCL1_TOKEN_BOOL,
    HCL1_TOKEN_ASSIGN,
    HCL1_TOKEN_COMMA,
    HCL1_TOKEN_BRACE_OPEN,
    HCL1_TOKEN_BRACE_CLOSE,
    HCL1_TOKEN_BRACKET_OPEN,
    HCL1_TOKEN_BRACKET_CLOSE,
    HCL1_TOKEN_UNKNOWN, /* a character that cannot start a token; the cursor stays before it */
};

struct hcl1_token {
    enum hcl1_token_kind kind;
    uint32_t line, column;
    struct str text; /* WORD, NUMBER, BOOL: as written; STRING, HEREDOC: the value. In the lexer's arena or its text. */
};

struct hcl1_lexer {
    struct arena *arena;
    struct str text;
    size_t at;
    uint32_t line, column; /* of the byte at `at`, from 1; columns count characters */
    const char *source;
    struct diags *diags;
};

/* False after a diagnostic. */
bool hcl1_lex(struct hcl1_lexer *l, struct hcl1_token *ret);

/* The name of a kind in messages. */
const char *hcl1_token_name(enum hcl1_token_kind kind);

/* Adds the error "SOURCE:LINE:COLUMN: TEXT."; returns false. */
bool hcl1_fail(struct hcl1_lexer *l, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
