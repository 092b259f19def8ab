/*
 * Matches patterns with PCRE2: writes the tree of a pattern (pattern.h) in PCRE2's syntax with the same meaning (\z, \pN, flags,
 * classes), and compiles it without backreferences, with limits on matching.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "cfn/pattern.h"

/* Would Go's RE2 compile this? If not, *ret_why (may be NULL) is a constant short reason. */
bool cfn_regex_check(struct str pattern, const char **ret_why);

struct cfn_regex;
/* NULL if RE2 rejects it or it is too large for PCRE2. Freed with the arena. */
const struct cfn_regex *cfn_regex_compile(struct arena *a, struct str pattern, struct diags *diags);
/* The same from a parsed tree. */
const struct cfn_regex *cfn_regex_of(struct arena *a, const struct cfn_pattern *pattern);
enum cfn_match { CFN_MATCH_NO, CFN_MATCH_YES, CFN_MATCH_TOO_HARD /* a limit was hit: the result is unknown */ };
/* Does it match anywhere in the text, as with Go's MatchString? */
enum cfn_match cfn_regex_match(const struct cfn_regex *regex, struct str text);
