/*
 * Patterns on PCRE2's matcher: the tree of a pattern (pattern.h) is written as PCRE2 means the same (\z, \pN, flags, classes) and
 * compiled without backreferences, with limits on matching.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "cfn/pattern.h"

/* Would RE2 (as Go has it) compile this? *ret_why (may be NULL) is a short reason otherwise, a constant. */
bool cfn_regex_check(struct str pattern, const char **ret_why);

struct cfn_regex;
/* NULL: RE2 refuses it, or it is too large for PCRE2. Freed with the arena. */
const struct cfn_regex *cfn_regex_compile(struct arena *a, struct str pattern, struct diags *diags);
/* The same of a tree that is at hand. */
const struct cfn_regex *cfn_regex_of(struct arena *a, const struct cfn_pattern *pattern);
enum cfn_match { CFN_MATCH_NO, CFN_MATCH_YES, CFN_MATCH_TOO_HARD /* a limit was hit: nothing is known */ };
/* Anywhere in the text, as Go's MatchString. */
enum cfn_match cfn_regex_match(const struct cfn_regex *regex, struct str text);
