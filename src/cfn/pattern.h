/*
 * Patterns: RE2's language, read once into a tree.
 *
 * CloudFormation schemas have patterns in the dialects of several languages; awscc drops those that RE2 (as Go has it) refuses.
 * So what RE2 refuses, the reader refuses. What is made of a tree: text for PCRE2 (regex.h), samples (emulator/sample.h).
 */
#pragma once

#include "base/arena.h"

enum { CFN_PATTERN_MAX = 16 << 10, CFN_PATTERN_MAX_REPEAT = 1000, CFN_PATTERN_MAX_DEPTH = 250 };

/* A part of a class. */
enum cfn_class_kind {
    CFN_CLASS_RANGE,   /* a-z; of one character: both ends are it */
    CFN_CLASS_PERL,    /* \d \D \s \S \w \W, ASCII only */
    CFN_CLASS_POSIX,   /* [:alpha:], ASCII only */
    CFN_CLASS_UNICODE, /* \p{Greek}: a general category or a script */
};
struct cfn_class_part {
    enum cfn_class_kind kind;
    uint32_t low, high; /* RANGE */
    char letter;        /* PERL: d, s or w */
    struct str name;    /* POSIX, UNICODE: without what is around it */
    bool negated;       /* not RANGE */
};

enum cfn_pattern_kind {
    CFN_PATTERN_CHARACTER,
    CFN_PATTERN_ANY,          /* . */
    CFN_PATTERN_CLASS,        /* [a-z] and, of one part, \d */
    CFN_PATTERN_ANCHOR,       /* ^ $ \A \z \b \B */
    CFN_PATTERN_FLAGS,        /* (?i): for what follows in its group */
    CFN_PATTERN_GROUP,        /* of one part */
    CFN_PATTERN_REPETITION,   /* of one part */
    CFN_PATTERN_SEQUENCE,     /* of any number of parts */
    CFN_PATTERN_ALTERNATIVES, /* of at least two */
};
struct cfn_pattern {
    enum cfn_pattern_kind kind;
    uint32_t character; /* CHARACTER */
    struct str text;    /* ANCHOR, FLAGS: as written; GROUP: how it opens, "(" or "(?i:"; REPETITION: as written, "{2,5}?" */
    int min, max;       /* REPETITION; max -1: without end */
    bool negated;       /* CLASS */
    const struct cfn_class_part *classes;
    size_t n_classes;
    const struct cfn_pattern *const *parts;
    size_t n_parts;
};

/* All in `a`, with views into the text. NULL: RE2 refuses it; *ret_why (may be NULL) is a short reason, a constant. */
const struct cfn_pattern *cfn_pattern_parse(struct arena *a, struct str text, const char **ret_why);
