/*
 * The kinds that configure a provider: ProviderConfig, ClusterProviderConfig (namespaced flavour) and ProviderConfigUsage. They
 * are the same for all providers, except for the arguments of the provider block.
 */
#pragma once

#include "generate/crd.h"

#define CONFIG_VERSION "v1beta1"

struct config_kind {
    const char *kind, *plural;
    enum xp_flavour flavour; /* of the kinds it configures */
    bool namespaced;
    bool usage;
};
enum { N_CONFIG_KINDS = 5 };
extern const struct config_kind config_kinds[N_CONFIG_KINDS];

/* The group of these kinds: the root group of the flavour. */
struct str config_group(const struct xp_config *config, enum xp_flavour flavour);

/*
 * The arguments of the provider block, none of them required, as trees[FOR_PROVIDER], for spec.configuration. Allocates in `a`.
 */
bool config_model(struct arena *a, const struct provider_schema *schema, const struct xp_config *of, struct xp_notes *notes,
                  struct diags *diags, struct xp_kind *ret);

/* Appends one document. */
void config_crd_write(struct buf *out, const struct xp_config *config, const struct xp_kind *model,
                      const struct config_kind *kind);
