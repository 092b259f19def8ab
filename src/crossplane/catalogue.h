/*
 * Decides which types of a provider become kinds, and gives them unique names: within a group each kind and each plural belongs
 * to one type, even if only a part of the provider is generated.
 */
#pragma once

#include "crossplane/model.h"

struct xp_catalogue {
    struct arena *arena;
    const struct xp_config *config;
    struct str only;        /* pattern of the types that get notes; empty: all */
    struct xp_notes *notes; /* for what is left out or renamed */
    struct map types;       /* type -> const struct schema *; data sources last, as data.TYPE */
    struct map by_kind;     /* "group/Kind" -> type, a C string */
    struct map by_plural;   /* "plural.group" -> type, a C string */
    struct map plurals;     /* type -> plural, if it is not the default */
    struct map list_kinds;  /* type -> kind of lists, if it is not the default */
};

/* Do both the configuration and the pattern include this type? */
bool xp_catalogue_wants(const struct xp_catalogue *c, struct str type);
/* Collects the types whose names are valid for kinds; notes what is left out. */
void xp_catalogue_collect(struct xp_catalogue *c, struct arena *a, const struct provider_schema *schema,
                          const struct xp_config *config, bool data_sources, struct str only, struct xp_notes *notes);
/* Assigns the names. False and diagnostics if two types would have the same name. */
bool xp_catalogue_claim(struct xp_catalogue *c, struct diags *diags);
/* Sets the plural and the list kind of `k` as the catalogue has them. */
void xp_catalogue_name(const struct xp_catalogue *c, struct xp_kind *k);
