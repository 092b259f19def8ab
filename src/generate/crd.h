/*
 * Writes a kind as a CustomResourceDefinition in YAML: the three trees within the common spec and status of managed resources,
 * printer columns, status subresource, and the rules that make parameters required. The schema is structural, as API servers
 * require.
 */
#pragma once

#include "crossplane/model.h"
#include "yaml/yaml_out.h"

/*
 * etcd accepts 1.5 MiB per request, and stores a CRD as JSON with its status and additional metadata; the limit leaves room for
 * these. A larger kind first loses its descriptions, then the deeper levels of atProvider, of initProvider, and of forProvider.
 * Cut-off levels accept any value, and a note reports them.
 */
enum { CRD_MAX_JSON = 1500 * 1000, CRD_MAX_TEXT = 64 << 20 };

/*
 * The webhook that converts objects between the versions of a kind (src/conversion): a URL, or a Service of the cluster. Without
 * it, older versions are kept but not served.
 */
struct crd_webhook {
    struct str url;                /* https://; empty: the Service */
    struct str namespace, service; /* its port is CRD_WEBHOOK_PORT */
    struct str ca_bundle;          /* the CA of its certificate, PEM in base64; empty: added to the CRD later */
};
enum { CRD_WEBHOOK_PORT = 9443 };
#define CRD_WEBHOOK_PATH "/convert"

/* Parses URL or NAMESPACE/NAME; *ret points into `text`. */
bool crd_webhook_read(struct str text, struct diags *diags, struct crd_webhook *ret);

/*
 * Appends one document. `flavour` is one of the kind's. `webhook` may be NULL. False if the kind is too large even after cutting.
 */
bool crd_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour, const struct crd_webhook *webhook,
               struct xp_notes *notes, struct diags *diags);

/* For other generators: the CRD's description of a field, in `a`. */
struct str crd_describe(struct arena *a, const struct xp_kind *k, enum xp_flavour flavour, const struct xp_field *f);
/* Writes the schema of an object with these fields, at the current level: properties, required, type. */
void crd_write_object(struct yaml_out *y, const struct xp_kind *k, enum xp_flavour flavour, struct xp_fields fields);
/* Can CEL express this rule? If not, the CRD expresses it in plain OpenAPI. */
bool crd_rule_in_cel(const struct xp_kind *k, const struct xp_required_rule *rule);
/* The CEL expression, and the message of the server if it fails. */
struct str crd_rule_text(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *rule);
struct str crd_rule_message(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *rule);
/* Writes the property providerConfigRef of cluster-scoped kinds. */
void crd_write_config_ref(struct yaml_out *y, bool with_default);

/* The properties of every object, and the `conditions` of its status, for yaml_lines(). */
extern const char crd_object_lines[], crd_condition_lines[];
