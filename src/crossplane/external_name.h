/*
 * External names: converts between the name that users see (annotation crossplane.io/external-name) and Terraform's id. Pure
 * functions; the configuration file says which strategy applies.
 *
 * Templates (template.h) can use .external_name, .parameters.NAME, .setup.configuration.NAME and .setup.client_metadata.NAME.
 */
#pragma once

#include "base/json.h"

enum xp_external_name_strategy {
    EXTERNAL_NAME_PROVIDER,  /* the id, as the provider returns it */
    EXTERNAL_NAME_NAME,      /* argument `name`, which is also the id */
    EXTERNAL_NAME_PARAMETER, /* argument `field`, which is also the id */
    EXTERNAL_NAME_TEMPLATE,  /* argument `field`; the id is made by `template` */
    EXTERNAL_NAME_COMPUTED,  /* computed attribute `field`; `placeholder` before it is known */
    EXTERNAL_NAME_CUSTOM,    /* a function of another tool, kept for information: works as PROVIDER */
};

struct xp_str_list {
    const struct str *v;
    size_t n;
};

struct xp_external_name {
    enum xp_external_name_strategy strategy;
    struct str field;
    struct str template;
    struct str placeholder;
    bool name_from_provider;  /* the name is known only after creation */
    struct str name_template; /* makes the name from attributes, if it is not in the id */
    struct str name_field;    /* attribute with the name, if it is not in the id */
    struct str name_after;    /* the name is what follows the last such text in the id */
    struct str prefix;        /* NAME, PARAMETER: precedes the name in the argument and the id */
    struct str mistake;       /* why it cannot be used; empty if it can */
    struct str function;      /* CUSTOM */
    struct xp_str_list arguments;
    bool without_id;                /* no attribute `id`, and the configuration names none: see name_field.h */
    bool name_repeats;              /* without an id: several objects may have the same text in `name_field` */
    bool has_omit, has_identifiers; /* the lists below are explicit, not implied */
    struct xp_str_list omit;        /* arguments that the name replaces: not in the manifest */
    struct xp_str_list identifiers; /* parameters that are part of the id */
};

/* Sets the lists that are not explicit, as the strategy implies. */
void xp_external_name_imply(struct arena *a, struct xp_external_name *e);

/* Is the template valid? If not, a diagnostic says what is wrong; `where` is the line of a file. */
bool xp_template_check(struct str template, const char *where, struct diags *diags);

/*
 * The id from a template; `setup` may have "configuration" and "client_metadata". Absent values become "<no value>", as in Go
 * templates, for objects whose parameters are not known yet.
 */
bool xp_template_id(struct arena *a, struct str template, struct str name, const struct json *parameters,
                    const struct json *setup, struct diags *diags, struct str *ret);
/* The name contained in an id; the whole id if the template has no {{ .external_name }}. */
bool xp_template_name(struct arena *a, struct str template, struct str id, struct diags *diags, struct str *ret);

/*
 * The id to read the object with, given its name (empty: no name yet). Empty if it cannot be read yet. PROVIDER and COMPUTED
 * use a placeholder until there is a name; a template with a name that only the provider can give has no id until then.
 */
bool xp_external_name_id(struct arena *a, const struct xp_external_name *e, struct str name, const struct json *parameters,
                         const struct json *setup, struct diags *diags, struct str *ret);

/*
 * The name from the attributes after an operation; a diagnostic if the attribute is absent, empty or the placeholder, or any text
 * (`name_repeats`) that is too long for a name or has several lines.
 */
bool xp_external_name_of_state(struct arena *a, const struct xp_external_name *e, const struct json *state, struct diags *diags,
                               struct str *ret);

/* The argument for a name: the name, with the prefix before it unless it already begins with it. */
struct str xp_external_name_argument(struct arena *a, const struct xp_external_name *e, struct str name);

/* `arguments` with `field` set to the name; dots descend into objects, and into the element of a list of one. An empty name sets
 * nothing. */
const struct json *xp_external_name_set(struct arena *a, const struct json *arguments, struct str field, struct str name);
