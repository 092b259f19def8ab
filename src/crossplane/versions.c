#include "crossplane/versions.h"

struct version {
    int64_t major, stability, minor; /* stability: 0 alpha, 1 beta, 2 neither */
};

static bool take_number(struct str *rest, int64_t *ret)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9')
        n++;
    bool ok = str_to_i64(str_slice(*rest, 0, n), ret);
    *rest = str_slice(*rest, n, rest->n);
    return ok;
}

static bool take_word(struct str *rest, struct str word)
{
    if (!str_starts(*rest, word))
        return false;
    *rest = str_slice(*rest, word.n, rest->n);
    return true;
}

static bool parse(struct str text, struct version *ret)
{
    *ret = (struct version){.stability = 2};
    if (!take_word(&text, STR("v")) || !take_number(&text, &ret->major))
        return false;
    if (text.n == 0)
        return true;
    if (take_word(&text, STR("alpha")))
        ret->stability = 0;
    else if (take_word(&text, STR("beta")))
        ret->stability = 1;
    else
        return false;
    return take_number(&text, &ret->minor) && text.n == 0;
}

bool xp_version_is_older(struct str version, struct str than)
{
    struct version x, y;
    if (!parse(version, &x) || !parse(than, &y))
        return false;
    if (x.major != y.major)
        return x.major < y.major;
    return x.stability != y.stability ? x.stability < y.stability : x.minor < y.minor;
}
