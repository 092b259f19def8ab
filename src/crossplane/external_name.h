/*
 * External names: how the name that users see (annotation crossplane.io/external-name) and the id that Terraform knows become one
 * another. Pure functions; the strategy is data of the configuration file.
 *
 * Templates (template.h) speak of .external_name, .parameters.NAME, .setup.configuration.NAME and .setup.client_metadata.NAME.
 */
#pragma once

#include "base/json.h"

enum xp_external_name_strategy {
    EXTERNAL_NAME_PROVIDER,  /* the id, as the provider gives it */
    EXTERNAL_NAME_NAME,      /* argument `name`, which is the id too */
    EXTERNAL_NAME_PARAMETER, /* argument `field`, which is the id too */
    EXTERNAL_NAME_TEMPLATE,  /* argument `field`; the id is made by `template` */
    EXTERNAL_NAME_COMPUTED,  /* attribute `field` that the provider computes; `placeholder` until then */
    EXTERNAL_NAME_CUSTOM,    /* a function of another tool, kept for the record: works as PROVIDER */
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
    bool name_from_provider;  /* the name is known only after the creation */
    struct str name_template; /* makes the name of the attributes, where it is not in the id */
    struct str name_field;    /* attribute that is the name, where it is not in the id */
    struct str name_after;    /* the name follows the last such text in the id */
    struct str prefix;        /* NAME, PARAMETER: the argument and the id have it before the name */
    struct str mistake;       /* why it cannot be used; empty: it can */
    struct str function;      /* CUSTOM */
    struct xp_str_list arguments;
    bool has_omit, has_identifiers; /* the lists below are said, not implied */
    struct xp_str_list omit;        /* arguments that the name stands for: not in the manifest */
    struct xp_str_list identifiers; /* parameters that are part of the id */
};

/* The lists that follow from the strategy, for those that are not said. */
void xp_external_name_imply(struct arena *a, struct xp_external_name *e);

/* Is the template well formed? A diagnostic says what is wrong where (line of a file). */
bool xp_template_check(struct str template, const char *where, struct diags *diags);

/*
 * The id; `setup` may have "configuration" and "client_metadata". What is absent becomes "<no value>", as with Go templates: an
 * id of an object whose parameters are not known yet.
 */
bool xp_template_id(struct arena *a, struct str template, struct str name, const struct json *parameters,
                    const struct json *setup, struct diags *diags, struct str *ret);
/* The name in an id; the whole id when the template has no {{ .external_name }}. */
bool xp_template_name(struct arena *a, struct str template, struct str id, struct diags *diags, struct str *ret);

/*
 * The id to ask for, of an object that has this name (empty: it has none yet). Empty: there is nothing to ask for. PROVIDER and
 * COMPUTED have a placeholder until there is a name; a template that speaks of a name which only the provider knows waits for it.
 */
bool xp_external_name_id(struct arena *a, const struct xp_external_name *e, struct str name, const struct json *parameters,
                         const struct json *setup, struct diags *diags, struct str *ret);

/* The name after an operation, from the attributes; a diagnostic when the attribute is absent, empty or the placeholder. */
bool xp_external_name_of_state(struct arena *a, const struct xp_external_name *e, const struct json *state, struct diags *diags,
                               struct str *ret);

/* What the argument is for a name: the name, behind the prefix unless it begins with it. */
struct str xp_external_name_argument(struct arena *a, const struct xp_external_name *e, struct str name);

/* `arguments` with the name put at `field` (dots go into objects, and into the one element of a list); an empty one sets nothing.
 */
const struct json *xp_external_name_set(struct arena *a, const struct json *arguments, struct str field, struct str name);
