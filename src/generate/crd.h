/*
 * A kind as CustomResourceDefinition, in YAML: the three trees in the frame that every managed resource has, printer columns,
 * status subresource, and the rules that make parameters required. Structural, as API servers ask for.
 */
#pragma once

#include "crossplane/model.h"
#include "yaml/yaml_out.h"

/*
 * etcd takes 1.5 MiB in one request, and gets a CRD as JSON, with its status and what others put into its metadata: some room is
 * left for that. A kind that would be larger loses its descriptions first, then the deeper levels of atProvider, then those of
 * initProvider, then those of forProvider: what is cut off is accepted unchecked, and noted.
 */
enum { CRD_MAX_JSON = 1500 * 1000, CRD_MAX_TEXT = 64 << 20 };

/*
 * Who converts objects between the versions of a kind (src/conversion): a URL, or a Service of the cluster. Without one, older
 * versions are kept but not served.
 */
struct crd_webhook {
    struct str url;                /* https://; empty: the Service */
    struct str namespace, service; /* its port is CRD_WEBHOOK_PORT */
    struct str ca_bundle;          /* by whom its certificate is signed, PEM in base64; empty: somebody puts it in later */
};
enum { CRD_WEBHOOK_PORT = 9443 };
#define CRD_WEBHOOK_PATH "/convert"

/* URL or NAMESPACE/NAME, as users say it; what is pointed to stays theirs. */
bool crd_webhook_read(struct str text, struct diags *diags, struct crd_webhook *ret);

/*
 * Appends one document. `flavour` is one of the kind's. `webhook` may be NULL. False: a kind of that size cannot be written at
 * all.
 */
bool crd_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour, const struct crd_webhook *webhook,
               struct xp_notes *notes, struct diags *diags);

/* For other generators: what the CRD says of a field, in `a`. */
struct str crd_describe(struct arena *a, const struct xp_kind *k, enum xp_flavour flavour, const struct xp_field *f);
/* The schema of an object with these fields, at the current level: properties, required, type. */
void crd_write_object(struct yaml_out *y, const struct xp_kind *k, enum xp_flavour flavour, struct xp_fields fields);
/* Can this rule be said in CEL? Otherwise the CRD says it in plain OpenAPI. */
bool crd_rule_in_cel(const struct xp_kind *k, const struct xp_required_rule *rule);
/* How, and what the server says when it does not hold. */
struct str crd_rule_text(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *rule);
struct str crd_rule_message(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *rule);
/* The property providerConfigRef of what is cluster-scoped. */
void crd_write_config_ref(struct yaml_out *y, bool with_default);

/* Properties that every object has, and `conditions` of its status, for yaml_lines(). */
extern const char crd_object_lines[], crd_condition_lines[];
