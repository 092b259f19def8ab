/*
 * Addresses are normalised (lower case, no default port) and then compared as text. provider_address_parse() for users and
 * provider_address_from_parts() for folders use the same two checks of a part.
 */
#include "registry/address.h"

#include "base/ascii.h"

#include <strings.h>

#define FORM "the form is [HOST/][NAMESPACE/]TYPE, for example aws, hashicorp/aws or example.com/acme/thing"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* What is wrong with a label of letters, digits and dashes; NULL: nothing. */
static const char *label_problem(struct str label)
{
    if (label.n == 0)
        return "it is empty";
    if (label.n > ADDRESS_MAX_PART)
        return "it is too long";
    for (size_t i = 0; i < label.n; i++)
        if (!is_word(label.p[i]) && label.p[i] != '-')
            return "only letters, digits and dashes are allowed";
    if (label.p[0] == '-' || label.p[label.n - 1] == '-')
        return "it must not start or end with a dash";
    return NULL;
}

static const char *part_problem(struct str part)
{
    const char *problem = label_problem(part);
    if (problem)
        return problem;
    for (size_t i = 1; i < part.n; i++)
        if (part.p[i] == '-' && part.p[i - 1] == '-')
            return "it must not have two dashes in a row";
    return NULL;
}

static const char *port_problem(struct str port)
{
    int64_t number;
    if (port.n == 0 || !is_digit(port.p[0]) || !str_to_i64(port, &number) || number < 1 || number > 65535)
        return "the port must be a number from 1 to 65535";
    return NULL;
}

static const char *host_problem(struct str host)
{
    if (host.n > ADDRESS_MAX_PART)
        return "it is too long";
    size_t colon = str_find(host, ':', 0);
    struct str name = str_slice(host, 0, colon);
    do {
        struct str label = str_cut(&name, '.');
        const char *problem = label_problem(label);
        if (problem)
            return problem;
        /* str_cut() does not return the empty label after a final dot. */
        if (name.n == 0 && label.p + label.n < host.p + host.n && label.p[label.n] == '.')
            return "it must not end with a dot";
    } while (name.n > 0);
    return colon == SIZE_MAX ? NULL : port_problem(str_slice(host, colon + 1, host.n));
}

/* The host in lower case, without the port of https. */
static struct str normal_host(struct arena *a, struct str host)
{
    struct str copy = arena_lower(a, host);
    if (str_ends(copy, STR(":443")))
        copy = arena_str(a, str_slice(copy, 0, copy.n - 4));
    return copy;
}

static bool is_default_host(struct str host)
{
    return str_eq(host, STR(REGISTRY_TERRAFORM)) || str_eq(host, STR(REGISTRY_OPENTOFU));
}

/* Users may give the name of a provider's repository: terraform-provider-aws. */
static bool fail_prefix(struct arena *a, struct diags *diags, const struct provider_address *address, struct str text)
{
    struct str prefix = STR("terraform-provider-");
    if (!str_starts(address->type, prefix) || part_problem(str_slice(address->type, prefix.n, address->type.n)) != NULL)
        return diags_fail(diags, "Invalid provider address",
                          "\"" STR_FMT "\": a provider's type must not start with \"terraform-\"; " FORM ".", STR_ARG(text));
    struct provider_address meant = *address;
    meant.type = str_slice(address->type, prefix.n, address->type.n);
    struct str suggestion = provider_address_short(a, &meant);
    return diags_fail(diags, "Invalid provider address",
                      "\"" STR_FMT
                      "\": \"terraform-provider-\" belongs to the binary's name, not to the address. Did you mean \"" STR_FMT
                      "\"?",
                      STR_ARG(text), STR_ARG(suggestion));
}

static bool fail_part(struct diags *diags, struct str text, const char *which, struct str part, const char *problem)
{
    return diags_fail(diags, "Invalid provider address", "\"" STR_FMT "\" has a bad %s \"" STR_FMT "\": %s; " FORM ".",
                      STR_ARG(text), which, STR_ARG(part), problem);
}

bool provider_address_parse(struct arena *a, struct str text, struct diags *diags, struct provider_address *ret)
{
    struct str parts[3];
    size_t n = 0;
    for (size_t at = 0; at <= text.n; n++) {
        size_t slash = str_find(text, '/', at);
        size_t end = slash == SIZE_MAX ? text.n : slash;
        if (n == 3)
            return diags_fail(diags, "Invalid provider address", "\"" STR_FMT "\" has more than three parts; " FORM ".",
                              STR_ARG(text));
        parts[n] = str_slice(text, at, end);
        at = end + 1;
    }
    struct str type = parts[n - 1];
    struct str namespace = n >= 2 ? parts[n - 2] : STR("hashicorp");
    struct str host = n == 3 ? parts[0] : STR(REGISTRY_TERRAFORM);
    const char *problem;
    if ((problem = host_problem(host)))
        return fail_part(diags, text, "host", host, problem);
    if ((problem = part_problem(namespace)))
        return fail_part(diags, text, "namespace", namespace, problem);
    if ((problem = part_problem(type)))
        return fail_part(diags, text, "type", type, problem);
    struct provider_address address = {
        .host = normal_host(a, host), .namespace = arena_lower(a, namespace), .type = arena_lower(a, type), .host_given = n == 3};
    if (str_starts(address.type, STR("terraform-")))
        return fail_prefix(a, diags, &address, text);
    *ret = address;
    return true;
}

bool provider_address_from_parts(struct arena *a, struct str host, struct str namespace, struct str type,
                                 struct provider_address *ret)
{
    if (host_problem(host) || part_problem(namespace) || part_problem(type))
        return false;
    *ret = (struct provider_address){
        .host = normal_host(a, host), .namespace = arena_lower(a, namespace), .type = arena_lower(a, type), .host_given = true};
    return true;
}

struct str provider_address_text(struct arena *a, const struct provider_address *address)
{
    return arena_printf(a, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(address->host), STR_ARG(address->namespace),
                        STR_ARG(address->type));
}

struct str provider_address_short(struct arena *a, const struct provider_address *address)
{
    if (!is_default_host(address->host))
        return provider_address_text(a, address);
    return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(address->namespace), STR_ARG(address->type));
}

static bool same_host(const struct provider_address *a, const struct provider_address *b)
{
    if (str_eq(a->host, b->host))
        return true;
    return !(a->host_given && b->host_given) && is_default_host(a->host) && is_default_host(b->host);
}

bool provider_address_matches(const struct provider_address *wanted, const struct provider_address *found)
{
    return str_eq(wanted->type, found->type) && str_eq(wanted->namespace, found->namespace) && same_host(wanted, found);
}

int provider_address_cmp(const struct provider_address *a, const struct provider_address *b)
{
    int r = str_cmp(a->host, b->host);
    if (r == 0)
        r = str_cmp(a->namespace, b->namespace);
    return r != 0 ? r : str_cmp(a->type, b->type);
}

/* The parts of a pattern; host.p is NULL if it has no host. False: there are not two or three parts. */
struct pattern {
    struct str host, namespace, type;
};

static bool split_pattern(struct str text, struct pattern *ret)
{
    size_t first = str_find(text, '/', 0);
    if (first == SIZE_MAX)
        return false;
    size_t second = str_find(text, '/', first + 1);
    if (second == SIZE_MAX) {
        *ret = (struct pattern){.namespace = str_slice(text, 0, first), .type = str_slice(text, first + 1, text.n)};
        return true;
    }
    *ret = (struct pattern){
        .host = str_slice(text, 0, first),
        .namespace = str_slice(text, first + 1, second),
        .type = str_slice(text, second + 1, text.n),
    };
    return str_find(text, '/', second + 1) == SIZE_MAX;
}

static bool is_any(struct str part)
{
    return part.p && str_eq(part, STR("*"));
}

const char *provider_pattern_problem(struct str text)
{
    struct pattern p;
    if (!split_pattern(text, &p))
        return "it must have two or three parts separated by slashes, [HOST/]NAMESPACE/TYPE";
    if (p.host.p && !is_any(p.host) && host_problem(p.host))
        return "its host is not a valid host name";
    if (!is_any(p.namespace) && part_problem(p.namespace))
        return "its namespace must be * or a name";
    if (!is_any(p.type) && part_problem(p.type))
        return "its type must be * or a name";
    if (is_any(p.host) && !(is_any(p.namespace) && is_any(p.type)))
        return "its host may be * only when namespace and type are * as well";
    if (is_any(p.namespace) && !is_any(p.type))
        return "its namespace may be * only when the type is * as well";
    return NULL;
}

static bool part_matches(struct str pattern, struct str part)
{
    return is_any(pattern) || (pattern.n == part.n && strncasecmp(pattern.p, part.p, part.n) == 0);
}

bool provider_pattern_matches(struct str text, const struct provider_address *address)
{
    struct pattern p;
    if (!split_pattern(text, &p) || !part_matches(p.namespace, address->namespace) || !part_matches(p.type, address->type))
        return false;
    if (!p.host.p)
        return is_default_host(address->host);
    if (str_ends(p.host, STR(":443")))
        p.host.n -= 4;
    return part_matches(p.host, address->host);
}
