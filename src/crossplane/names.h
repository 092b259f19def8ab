/*
 * Names: converts between Terraform's names and those in manifests and Go.
 *
 *     Terraform   subnet_id          the source of truth
 *     manifest    subnetId           lower camel case, acronyms like any other word
 *     Go          SubnetID           upper camel case with acronyms
 *     kind        azurerm_mssql_server -> MSSQLServer, in group mssql
 *
 * Underscores separate words. All functions are pure and allocate in the arena. The conversion back from camel case
 * (xp_name_snake_of_camel) is exact only if words are two or more lower case letters; where the mapping matters, the model keeps
 * both names and refuses two fields with the same name.
 */
#pragma once

#include "base/map.h"

/* The casing of acronyms: the built-in ones and those of one provider. */
struct xp_names {
    struct arena *arena;
    struct map acronyms; /* word in lower case -> casing, a C string */
    size_t longest;      /* length of the longest casing */
};

void xp_names_init(struct xp_names *n, struct arena *a);
/* `word` in any case; a later casing replaces an earlier one. */
void xp_names_add(struct xp_names *n, struct str word, struct str casing);

/* subnet_id -> subnetId, ipv6_cidr -> ipv6Cidr, s3_key -> s3Key. */
struct str xp_name_json(struct arena *a, struct str snake);
/* subnet_id -> SubnetID; without a list of acronyms (NULL) SubnetId */
struct str xp_name_camel(const struct xp_names *n, struct arena *a, struct str snake);
/* SubnetID -> subnet_id, SomeAPIParam -> some_api_param */
struct str xp_name_snake_of_camel(struct arena *a, struct str camel);

/* The field that refers to the secret of a sensitive field, in snake case: password -> password_secret_ref. Acronyms matter,
 * because the name goes through camel case: sas_uri becomes sasuri_secret_ref if SAS is an acronym. */
struct str xp_name_secret_ref(const struct xp_names *n, struct arena *a, struct str snake);
/* The fields that refer to another object, in snake case; `override` is in camel case, empty: default name. */
struct str xp_name_reference(struct arena *a, struct str snake, bool list, struct str override);
struct str xp_name_selector(struct arena *a, struct str snake, struct str override);

struct xp_group_kind {
    struct str group; /* without the provider's root group */
    struct str kind;
};
/* PREFIX_GROUP_REST; with fewer than three words the first one is the group. */
struct xp_group_kind xp_name_group_kind(const struct xp_names *n, struct arena *a, struct str terraform_type);

/* The plural of a kind, in lower case as in URLs. English, with the irregular words that other generators know. */
struct str xp_name_plural(struct arena *a, struct str kind);

/* Does an API server accept it as a label (version, plural, short name), labels joined with dots (group), or a kind? */
bool xp_name_is_label(struct str s);
bool xp_name_is_domain(struct str s);
bool xp_name_is_kind(struct str s);

/* Can a CEL rule use has(self.X)? *ret is the form to write: reserved words become `__word__`. */
bool xp_name_in_rules(struct arena *a, struct str json, struct str *ret);
