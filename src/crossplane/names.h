/*
 * Names: the same thing as Terraform, a manifest and Go call it.
 *
 *     Terraform   subnet_id          the source of truth
 *     manifest    subnetId           lower camel case, acronyms as any other word
 *     Go          SubnetID           upper camel case with acronyms
 *     kind        azurerm_mssql_server -> MSSQLServer, in group mssql
 *
 * A word is what stands between underscores. All functions are pure; texts are made in the arena. The way back from a camel name
 * (name_snake_of_camel) is exact where words are lower case letters, two or more; wherever a mapping matters, the model keeps
 * both names and refuses two fields of one name.
 */
#pragma once

#include "base/map.h"

/* The casing of words that are acronyms: the built-in ones and those of one provider. */
struct xp_names {
    struct arena *arena;
    struct map acronyms; /* word in lower case -> casing, a C string */
    size_t longest;      /* casing */
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

/* The field that names the secret of a sensitive one, in snake case: password -> password_secret_ref. Acronyms matter, because
 * the name is made by way of the camel form: sas_uri is sasuri_secret_ref where SAS is an acronym. */
struct str xp_name_secret_ref(const struct xp_names *n, struct arena *a, struct str snake);
/* The fields that refer to another object, in snake case; `override` in camel case, empty: the usual name. */
struct str xp_name_reference(struct arena *a, struct str snake, bool list, struct str override);
struct str xp_name_selector(struct arena *a, struct str snake, struct str override);

struct xp_group_kind {
    struct str group; /* without the provider's root group */
    struct str kind;
};
/* PREFIX_GROUP_REST; with fewer than three words the first one is the group. */
struct xp_group_kind xp_name_group_kind(const struct xp_names *n, struct arena *a, struct str terraform_type);

/* The plural of a kind as it stands in a URL: in lower case. English, with the irregular words that other generators know. */
struct str xp_name_plural(struct arena *a, struct str kind);

/* Does an API server take it? A label (version, plural, short name), labels joined with dots (group), a kind. */
bool xp_name_is_label(struct str s);
bool xp_name_is_domain(struct str s);
bool xp_name_is_kind(struct str s);

/* Can a rule say has(self.X)? Reserved words are to be written as `__word__`; *ret is the form to write. */
bool xp_name_in_rules(struct arena *a, struct str json, struct str *ret);
