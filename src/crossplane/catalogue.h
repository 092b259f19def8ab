/*
 * Which types of a provider become kinds, and the names that tell them apart: each kind and each plural of a group belongs to one
 * type, whatever part of the provider is looked at.
 */
#pragma once

#include "crossplane/model.h"

struct xp_catalogue {
    struct arena *arena;
    const struct xp_config *config;
    struct str only;        /* pattern of types that notes are about; empty: all */
    struct xp_notes *notes; /* what was left out or renamed */
    struct map types;       /* type -> const struct schema *; data sources last, as data.TYPE */
    struct map by_kind;     /* "group/Kind" -> type, a C string */
    struct map by_plural;   /* "plural.group" -> type, likewise */
    struct map plurals;     /* type -> plural, where it is not the usual one */
    struct map list_kinds;  /* type -> kind of lists, likewise */
};

/* Is it asked for: by the configuration, and by the pattern? */
bool xp_catalogue_wants(const struct xp_catalogue *c, struct str type);
/* The types whose names can be those of kinds; what is left out is noted. */
void xp_catalogue_collect(struct xp_catalogue *c, struct arena *a, const struct provider_schema *schema,
                          const struct xp_config *config, bool data_sources, struct str only, struct xp_notes *notes);
/* Their names. False and diagnostics: two would have one. */
bool xp_catalogue_claim(struct xp_catalogue *c, struct diags *diags);
/* Puts the plural and the kind of lists of the catalogue into a kind of it. */
void xp_catalogue_name(const struct xp_catalogue *c, struct xp_kind *k);
