/*
 * Both matchers backtrack only to the last star: what an earlier star matched never needs to change, so the cost is at most the
 * product of the two lengths.
 */
#include "links/pattern.h"

bool link_pattern_is_open(struct str pattern)
{
    for (size_t i = 0; i < pattern.n; i++)
        if (pattern.p[i] == '*' || pattern.p[i] == '?' || pattern.p[i] == '{')
            return true;
    return false;
}

/* * matches any text, ? one character. */
static bool match_text(struct str pattern, struct str text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
    while (t < text.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

/* Tries the alternatives of the one pair of braces in turn. */
bool link_pattern_match(struct str pattern, struct str text)
{
    size_t open = str_find(pattern, '{', 0), close = open == SIZE_MAX ? SIZE_MAX : str_find(pattern, '}', open);
    if (close == SIZE_MAX)
        return match_text(pattern, text);
    char whole[PATTERN_MAX];
    struct str before = str_slice(pattern, 0, open), after = str_slice(pattern, close + 1, pattern.n);
    struct str choices = str_slice(pattern, open + 1, close);
    while (choices.n > 0) {
        struct str choice = str_cut(&choices, ',');
        size_t n = before.n + choice.n + after.n;
        if (n > sizeof whole)
            return false;
        memcpy(whole, before.p, before.n);
        memcpy(whole + before.n, choice.p, choice.n);
        memcpy(whole + before.n + choice.n, after.p, after.n);
        if (match_text((struct str){whole, n}, text))
            return true;
    }
    return false;
}

bool link_path_pattern_match(struct str pattern, struct str path)
{
    struct str after_star = STR_EMPTY, retry = STR_EMPTY;
    bool star = false;
    for (;;) {
        struct str rest = pattern, below = path;
        struct str step = str_cut(&rest, '.');
        if (pattern.n > 0 && str_eqz(step, "**")) {
            star = true;
            after_star = pattern = rest;
            retry = path;
        } else if (pattern.n == 0 && path.n == 0) {
            return true;
        } else if (pattern.n > 0 && path.n > 0 && match_text(step, str_cut(&below, '.'))) {
            pattern = rest;
            path = below;
        } else if (star && retry.n > 0) { /* let ** match one more name */
            (void)str_cut(&retry, '.');
            pattern = after_star;
            path = retry;
        } else {
            return false;
        }
    }
}
