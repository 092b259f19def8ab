/*
 * The kinds that are served: what one or more providers give, each in its flavours, their ProviderConfigs, and the few kinds of
 * Kubernetes that are stored as what they are.
 *
 * Names of all kinds are known at once; a model and a CRD are made when they are first asked for, and kept. Providers are added
 * before anything is asked; from then on all functions may be called from any thread. Everything that is returned lives as long
 * as the catalogue.
 */
#pragma once

#include "crossplane/model.h"
#include "generate/crd.h"

/* All that is pointed to must outlive the catalogue. */
struct kinds_provider {
    struct str address, version; /* registry.terraform.io/hashicorp/aws; the version may be empty */
    struct str path;             /* of the binary */
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
    enum xp_flavour flavour;   /* CLUSTER or NAMESPACED: of a configuration, that of the kinds it is for */
    bool namespaced;           /* its objects live in a namespace */
    struct str terraform_type; /* KIND_MANAGED */
};

struct kinds_list {
    const struct kind *const *v;
    size_t n;
};

struct kinds;
/* With the plain kinds only. */
struct kinds *kinds_new(void);
void kinds_free(struct kinds *k); /* NULL is accepted */

/*
 * Adds the kinds of a provider, both flavours. False and diagnostics: two of its types, or one of it and one of another provider,
 * have the same name; nothing was added then. Types that cannot be kinds are left out.
 */
bool kinds_add(struct kinds *k, const struct kinds_provider *provider, struct diags *diags);

/* In order: providers as they were added, their types by name. */
struct kinds_list kinds_all(const struct kinds *k);

/* NULL: it is not served. The version of the API is no part of the question; the group of plain kinds is empty. */
const struct kind *kinds_find(const struct kinds *k, struct str group, struct str kind);
/* Of an object: by its apiVersion and kind. */
const struct kind *kinds_of_object(const struct kinds *k, const struct json *object);
/* As Go and its metrics write it: "s3.aws.upbound.io/v1beta1, Kind=Bucket". */
struct str kind_gvk(struct arena *a, const struct kind *kind);
/* Is there any kind of this group? */
bool kinds_serve_group(const struct kinds *k, struct str group);
/* The kind of a Terraform type, as the same provider serves it in this flavour. */
const struct kind *kinds_of_type(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                 struct str type);
/* ProviderConfig (or, `cluster`, ClusterProviderConfig) and ProviderConfigUsage for kinds of this flavour. */
const struct kind *kinds_config(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                bool cluster);
const struct kind *kinds_usage(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour);

/*
 * As users call kinds: KIND, plural, singular or short name, with or without .GROUP behind it (also a group's first labels only,
 * as kubectl takes them: bucket.s3), in any case. All that are meant, in order; none when nothing is. The words "all" and
 * "managed" mean every managed kind, "providerconfigs" those of every provider.
 */
struct kinds_list kinds_named(const struct kinds *k, struct arena *a, struct str words);
/* What was probably meant: a plural, or KIND.GROUP where `words` has a group; empty when nothing is near. */
struct str kinds_closest(const struct kinds *k, struct arena *a, struct str words);
/* The group that was probably meant. */
struct str kinds_closest_group(const struct kinds *k, struct str group);

/*
 * The names of all kinds but the plain ones as JSON, and a catalogue of nothing but such names: for commands that find objects in
 * a store by what users call them, and ask no provider. Its kinds have no provider, no model and no CRD. False: it is not such
 * JSON; nothing was added.
 */
const struct json *kinds_names(const struct kinds *k, struct arena *a);
bool kinds_add_names(struct kinds *k, const struct json *names);

/*
 * The model of a managed kind, made on the first call. NULL and a diagnostic when it cannot be made. For ProviderConfigs it is
 * the model of the provider's own configuration: trees[FOR_PROVIDER] is spec.configuration.
 */
const struct xp_kind *kinds_model(struct kinds *k, const struct kind *kind, struct diags *diags);

/* Definitions serve the older versions of their kinds too, which this webhook converts. Before any is asked for; not copied. */
void kinds_serve_older(struct kinds *k, const struct crd_webhook *webhook);

/*
 * The CustomResourceDefinition, as `terrane generate` writes it. NULL and a diagnostic when it cannot be made; NULL without one
 * for plain kinds.
 */
const struct json *kinds_crd(struct kinds *k, const struct kind *kind, struct diags *diags);
/* The same, made anew in `a`: for who needs it once. */
const struct json *kinds_make_crd(struct kinds *k, struct arena *a, const struct kind *kind, struct diags *diags);
