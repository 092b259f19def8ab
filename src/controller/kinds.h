/*
 * The catalogue of the served kinds: those of one or more providers, each in its flavours, their ProviderConfigs, and the few
 * kinds of Kubernetes that are stored as they are.
 *
 * The names of all kinds are known at once; a model and a CRD are created on first use, and kept. Add all providers before asking
 * anything; from then on all functions may be called from any thread. Everything returned lives as long as the catalogue.
 */
#pragma once

#include "crossplane/model.h"
#include "generate/crd.h"

/* Everything it points to must outlive the catalogue. */
struct kinds_provider {
    struct str address, version; /* registry.terraform.io/hashicorp/aws; the version may be empty */
    struct str path;             /* of the provider's binary */
    const struct provider_schema *schema;
    const struct xp_config *config; /* links resolved (xp_config_link) */
};

enum kind_role {
    KIND_MANAGED,
    KIND_CONFIG, /* ProviderConfig, ClusterProviderConfig */
    KIND_USAGE,  /* ProviderConfigUsage */
    KIND_PLAIN,  /* Secret, ConfigMap, Namespace: no provider, no CRD */
};

struct kind {
    enum kind_role role;
    const struct kinds_provider *provider; /* NULL: KIND_PLAIN */
    struct str group, kind, plural, singular, version;
    struct xp_str_list short_names;
    enum xp_flavour flavour;   /* CLUSTER or NAMESPACED; for a configuration, the flavour of the kinds that it configures */
    bool namespaced;           /* its objects are in a namespace */
    struct str terraform_type; /* only for KIND_MANAGED */
};

struct kinds_list {
    const struct kind *const *v;
    size_t n;
};

struct kinds;
/* A catalogue with only the plain kinds. */
struct kinds *kinds_new(void);
void kinds_free(struct kinds *k); /* NULL is accepted */

/*
 * Adds the kinds of a provider in both flavours. False with diagnostics: two of its types, or one of them and one of another
 * provider, have the same name; nothing was added then. Types that cannot be kinds are left out.
 */
bool kinds_add(struct kinds *k, const struct kinds_provider *provider, struct diags *diags);

/* In order: providers as added, their types by name. */
struct kinds_list kinds_all(const struct kinds *k);

/* NULL: not served. The version of the API does not matter; the group of plain kinds is empty. */
const struct kind *kinds_find(const struct kinds *k, struct str group, struct str kind);
/* The kind of an object, by its apiVersion and kind. */
const struct kind *kinds_of_object(const struct kinds *k, const struct json *object);
/* In the form of Go and its metrics: "s3.aws.upbound.io/v1beta1, Kind=Bucket". */
struct str kind_gvk(struct arena *a, const struct kind *kind);
/* Is any kind of this group served? */
bool kinds_serve_group(const struct kinds *k, struct str group);
/* The kind for a Terraform type of the same provider, in this flavour. */
const struct kind *kinds_of_type(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                 struct str type);
/* The ProviderConfig (or with `cluster` the ClusterProviderConfig), and the ProviderConfigUsage, for kinds of this flavour. */
const struct kind *kinds_config(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                bool cluster);
const struct kind *kinds_usage(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour);

/*
 * Finds kinds by what users call them: KIND, plural, singular or short name, optionally followed by .GROUP (or only a group's
 * first labels, as kubectl accepts: bucket.s3), in any case. Returns all matches, in order; none if nothing matches. The words
 * "all" and "managed" mean every managed kind, "providerconfigs" those of every provider.
 */
struct kinds_list kinds_named(const struct kinds *k, struct arena *a, struct str words);
/* A suggestion for a misspelt name: a plural, or KIND.GROUP if `words` has a group; empty if nothing is similar. */
struct str kinds_closest(const struct kinds *k, struct arena *a, struct str words);
/* A suggestion for a misspelt group. */
struct str kinds_closest_group(const struct kinds *k, struct str group);

/*
 * The names of all kinds except the plain ones as JSON, and a catalogue made from such names only: for commands that find objects
 * in a store by what users call them, without a provider. Its kinds have no provider, no model and no CRD. False: `names` is not
 * such JSON; nothing was added.
 */
const struct json *kinds_names(const struct kinds *k, struct arena *a);
bool kinds_add_names(struct kinds *k, const struct json *names);

/*
 * The model of a managed kind, created on the first call. NULL with a diagnostic if it cannot be created. For ProviderConfigs it
 * is the model of the provider's own configuration: trees[FOR_PROVIDER] is spec.configuration.
 */
const struct xp_kind *kinds_model(struct kinds *k, const struct kind *kind, struct diags *diags);

/*
 * Makes CRDs serve older versions of their kinds too, which this webhook converts. Call it before any CRD is asked for; not
 * copied.
 */
void kinds_serve_older(struct kinds *k, const struct crd_webhook *webhook);

/*
 * The CustomResourceDefinition, as `terrane generate` writes it. NULL with a diagnostic if it cannot be created; NULL without one
 * for plain kinds.
 */
const struct json *kinds_crd(struct kinds *k, const struct kind *kind, struct diags *diags);
/* The same, created anew in `a`: for a caller that needs it once. */
const struct json *kinds_make_crd(struct kinds *k, struct arena *a, const struct kind *kind, struct diags *diags);
