/*
 * Patterns in RE2's syntax, parsed into a tree.
 *
 * CloudFormation schemas have patterns in the dialects of several languages; awscc drops those that Go's RE2 rejects, so this
 * parser rejects the same ones. The tree is used to write the pattern for PCRE2 (regex.h) and to make samples
 * (emulator/sample.h).
 */
#pragma once

#include "base/arena.h"

enum { CFN_PATTERN_MAX = 16 << 10, CFN_PATTERN_MAX_REPEAT = 1000, CFN_PATTERN_MAX_DEPTH = 250 };

/* A part of a character class. */
enum cfn_class_kind {
    CFN_CLASS_RANGE,   /* a-z; for a single character, low equals high */
    CFN_CLASS_PERL,    /* \d \D \s \S \w \W, ASCII only */
    CFN_CLASS_POSIX,   /* [:alpha:], ASCII only */
    CFN_CLASS_UNICODE, /* \p{Greek}: a general category or a script */
};
struct cfn_class_part {
    enum cfn_class_kind kind;
    uint32_t low, high; /* RANGE */
    char letter;        /* PERL: d, s or w */
    struct str name;    /* POSIX, UNICODE: without the delimiters */
    bool negated;       /* not for RANGE */
};

enum cfn_pattern_kind {
    CFN_PATTERN_CHARACTER,
    CFN_PATTERN_ANY,          /* . */
    CFN_PATTERN_CLASS,        /* [a-z], or \d as a class with one part */
    CFN_PATTERN_ANCHOR,       /* ^ $ \A \z \b \B */
    CFN_PATTERN_FLAGS,        /* (?i): applies to the rest of its group */
    CFN_PATTERN_GROUP,        /* has one part */
    CFN_PATTERN_REPETITION,   /* has one part */
    CFN_PATTERN_SEQUENCE,     /* has any number of parts */
    CFN_PATTERN_ALTERNATIVES, /* has at least two parts */
};
struct cfn_pattern {
    enum cfn_pattern_kind kind;
    uint32_t character; /* CHARACTER */
    struct str text;    /* ANCHOR, FLAGS: as written; GROUP: its opening, "(" or "(?i:"; REPETITION: as written, "{2,5}?" */
    int min, max;       /* REPETITION; max -1: unbounded */
    bool negated;       /* CLASS */
    const struct cfn_class_part *classes;
    size_t n_classes;
    const struct cfn_pattern *const *parts;
    size_t n_parts;
};

/* Allocates in `a`, with views into the text. NULL if RE2 rejects it; *ret_why (may be NULL) is then a constant short reason. */
const struct cfn_pattern *cfn_pattern_parse(struct arena *a, struct str text, const char **ret_why);
