/*
 * Patterns: RE2's language on PCRE2's matcher.
 *
 * CloudFormation schemas have patterns in the dialects of several languages. awscc drops those that RE2 refuses; which ones these
 * are decides what a schema looks like. So a pattern is first checked against RE2's grammar (cc_regex_check), by a reader of our
 * own; what passes is translated where PCRE2 reads the same text differently (\z, \C, \pN, flags, classes) and compiled without
 * backreferences, with limits on matching.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum { CC_REGEX_MAX = 16 << 10, CC_REGEX_MAX_REPEAT = 1000, CC_REGEX_MAX_DEPTH = 250 };

/* Would RE2 (as Go has it) compile this? *ret_why (may be NULL) is a short reason otherwise, a constant. */
bool cc_regex_check(struct str pattern, const char **ret_why);

/* The pattern as a schema is to have it: itself, or empty when RE2 refuses it. */
struct str cc_regex_sanitise(struct str pattern);

struct cc_regex;
/* NULL: cc_regex_check refuses it, or PCRE2 does. Freed with the arena. */
const struct cc_regex *cc_regex_compile(struct arena *a, struct str pattern, struct diags *diags);
enum cc_match { CC_MATCH_NO, CC_MATCH_YES, CC_MATCH_TOO_HARD /* a limit was hit: nothing is known */ };
/* Anywhere in the text, as Go's MatchString. */
enum cc_match cc_regex_match(const struct cc_regex *regex, struct str text);
