#include "admission/names.h"

#include "base/ascii.h"

static bool is_small(char c)
{
    return is_lower(c) || is_digit(c);
}

static bool is_alphanumeric(char c)
{
    return is_letter(c) || is_digit(c);
}

/* The text begins and ends with characters of `outer`, with characters of `outer` and `inner` in between. */
static bool has_shape(struct str s, bool (*outer)(char), const char *inner)
{
    if (s.n == 0 || !outer(s.p[0]) || !outer(s.p[s.n - 1]))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!outer(s.p[i]) && (s.p[i] == '\0' || !strchr(inner, s.p[i])))
            return false;
    return true;
}

const char *name_subdomain(struct str s)
{
    if (s.n > NAME_MAX_SUBDOMAIN)
        return "must not be longer than 253 characters";
    struct str rest = s;
    bool ok = s.n > 0 && s.p[s.n - 1] != '.';
    while (ok && rest.n > 0)
        ok = has_shape(str_cut(&rest, '.'), is_small, "-");
    return ok ? NULL : "must consist of lower case letters, digits, '-' and '.', and begin and end with a letter or digit";
}

const char *name_dns_label(struct str s)
{
    if (s.n > NAME_MAX_LABEL)
        return "must not be longer than 63 characters";
    return has_shape(s, is_small, "-")
               ? NULL
               : "must consist of lower case letters, digits and '-', and begin and end with a letter or digit";
}

const char *name_qualified(struct str s)
{
    struct str name = s;
    size_t slash = str_find(s, '/', 0);
    if (slash != SIZE_MAX) {
        if (name_subdomain(str_slice(s, 0, slash)))
            return "must have a DNS name before the '/', such as example.org/name";
        name = str_slice(s, slash + 1, s.n);
    }
    if (name.n > NAME_MAX_LABEL)
        return slash == SIZE_MAX ? "must not be longer than 63 characters"
                                 : "must not have more than 63 characters behind the '/'";
    return has_shape(name, is_alphanumeric, "-_.")
               ? NULL
               : "must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit";
}

const char *name_label_value(struct str s)
{
    if (s.n > NAME_MAX_LABEL)
        return "must not be longer than 63 characters";
    return s.n == 0 || has_shape(s, is_alphanumeric, "-_.")
               ? NULL
               : "must be empty, or consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit";
}

static bool is_of_data_key(char c)
{
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

const char *name_data_key(struct str s)
{
    if (s.n > NAME_MAX_SUBDOMAIN)
        return "must not be longer than 253 characters";
    if (!has_shape(s, is_of_data_key, ""))
        return "must consist of letters, digits, '-', '_' and '.'";
    if (str_eqz(s, ".") || str_starts(s, STR("..")))
        return "must not be '.' or begin with '..'";
    return NULL;
}
