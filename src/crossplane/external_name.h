/*
 * External names: how the name that users see (annotation crossplane.io/external-name) and the id that Terraform knows become one
 * another. Pure functions; the strategy is data of the configuration file.
 *
 * Templates are texts with {{ .external_name }}, {{ .parameters.NAME }}, {{ .setup.configuration.NAME }} and
 * {{ .setup.client_metadata.NAME }} in them, each with an optional "| ToLower" or "| ToUpper".
 */
#pragma once

#include "base/json.h"

enum external_name_strategy {
    EXTERNAL_NAME_PROVIDER,  /* the id, as the provider gives it */
    EXTERNAL_NAME_NAME,      /* argument `name`, which is the id too */
    EXTERNAL_NAME_PARAMETER, /* argument `field`, which is the id too */
    EXTERNAL_NAME_TEMPLATE,  /* argument `field`; the id is made by `template` */
    EXTERNAL_NAME_COMPUTED,  /* attribute `field` that the provider computes; `placeholder` until then */
    EXTERNAL_NAME_CUSTOM,    /* a function of another tool, kept for the record: works as PROVIDER */
};

struct str_list {
    const struct str *v;
    size_t n;
};

struct external_name {
    enum external_name_strategy strategy;
    struct str field;
    struct str template;
    struct str placeholder;
    struct str function; /* CUSTOM */
    struct str_list arguments;
    bool has_omit, has_identifiers; /* the lists below are said, not implied */
    struct str_list omit;           /* arguments that the name stands for: not in the manifest */
    struct str_list identifiers;    /* parameters that are part of the id */
};

/* The lists that follow from the strategy, for those that are not said. */
void external_name_imply(struct arena *a, struct external_name *e);

/* Is the template well formed? A diagnostic says what is wrong where (line of a file). */
bool template_check(struct str template, const char *where, struct diags *diags);

/*
 * The id; `setup` may have "configuration" and "client_metadata". What is absent becomes "<no value>", as with Go templates: an
 * id of an object whose parameters are not known yet.
 */
bool template_id(struct arena *a, struct str template, struct str name, const struct json *parameters, const struct json *setup,
                 struct diags *diags, struct str *ret);
/* The name in an id; the whole id when the template has no {{ .external_name }}. */
bool template_name(struct arena *a, struct str template, struct str id, struct diags *diags, struct str *ret);

/* The name after an operation, from the attributes; a diagnostic when the attribute is absent, empty or the placeholder. */
bool external_name_of_state(struct arena *a, const struct external_name *e, const struct json *state, struct diags *diags,
                            struct str *ret);

/* `arguments` with the name put at `field` (dots go into objects). */
const struct json *external_name_set(struct arena *a, const struct json *arguments, struct str field, struct str name);
