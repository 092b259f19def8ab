/* Tokens of HCL, for hcl_config.c. Comments and white space are skipped. */
#pragma once

#include "base/diag.h"

enum hcl_token_kind {
    HCL_TOKEN_END,
    HCL_TOKEN_WORD,
    HCL_TOKEN_STRING,
    HCL_TOKEN_HEREDOC,
    HCL_TOKEN_NUMBER,
    HCL_TOKEN_BOOL,
    HCL_TOKEN_ASSIGN,
    HCL_TOKEN_COMMA,
    HCL_TOKEN_BRACE_OPEN,
    HCL_TOKEN_BRACE_CLOSE,
    HCL_TOKEN_BRACKET_OPEN,
    HCL_TOKEN_BRACKET_CLOSE,
    HCL_TOKEN_UNKNOWN, /* a character that starts no token; the cursor stays before it */
};

struct hcl_token {
    enum hcl_token_kind kind;
    uint32_t line, column;
    struct str text; /* WORD, NUMBER, BOOL: as written; STRING, HEREDOC: the value. In the lexer's arena or its text. */
};

struct hcl_lexer {
    struct arena *arena;
    struct str text;
    size_t at;
    uint32_t line, column; /* of the byte at `at`, from 1; columns count characters */
    const char *source;
    struct diags *diags;
};

/* False after a diagnostic. */
bool hcl_lex(struct hcl_lexer *l, struct hcl_token *ret);

/* What a kind is called in a message. */
const char *hcl_token_name(enum hcl_token_kind kind);

/* "SOURCE:LINE:COLUMN: TEXT." as an error; returns false. */
bool hcl_lex_fail(struct hcl_lexer *l, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
