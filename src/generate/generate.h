/*
 * Generates everything from a provider's schema: builds one model after the other, passes each to the requested generators, and
 * reports what could not be represented.
 */
#pragma once

#include "generate/crd.h"
#include "output/output.h"

enum emit {
    EMIT_CRDS = 1 << 0,     /* crds/ */
    EMIT_GO = 1 << 1,       /* go/ */
    EMIT_EXAMPLES = 1 << 2, /* examples/ */
    EMIT_PACKAGE = 1 << 3,  /* crossplane.yaml and related files */
    EMIT_DOCS = 1 << 4,     /* docs/ */
    EMIT_ALL = EMIT_CRDS | EMIT_GO | EMIT_EXAMPLES | EMIT_PACKAGE | EMIT_DOCS,
};

struct generate_options {
    const struct provider_schema *schema;
    struct str address, version; /* of the provider, for the report */
    const struct xp_config *config;
    enum xp_flavour flavours;
    unsigned emit;                                          /* flags of enum emit */
    struct str only;                                        /* pattern of types; empty: all */
    const struct crd_webhook *webhook;                      /* NULL: older versions are not served */
    bool data_sources;                                      /* also make kinds for data sources */
    void (*progress)(void *ctx, size_t done, size_t total); /* NULL: none */
    void *progress_ctx;
};

struct generated_kind {
    struct str type, group, kind, plural, version;
    const struct xp_secret *secrets;
    size_t n_secrets;
};

struct generated {
    VEC(struct generated_kind) kinds;
    struct xp_notes notes;
};

/* Writes files to `out`; the caller commits or discards it. */
bool generate(struct arena *a, const struct generate_options *options, struct output *out, struct diags *diags,
              struct generated *ret);

/* Writes members of a JSON object that the caller has begun: `kinds`, and `notes` with what could not be represented. */
void generated_write_json(struct json_writer *w, const struct generated *g);
/* Writes a summary for people: counts, then what could not be represented. */
void generated_summary(struct buf *out, const struct generated *g, size_t max_notes);
