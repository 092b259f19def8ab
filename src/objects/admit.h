/*
 * Decides whether a manifest may become an object of its kind, and fills in defaults: applies the rules of the CRD as an API
 * server does (src/admission). CRDs are compiled on first use.
 */
#pragma once

#include "controller/kinds.h"
#include "manifests/apply.h"
#include "manifests/manifest.h"

struct admit;
struct admit *admit_new(struct kinds *kinds);
void admit_free(struct admit *a); /* NULL is accepted */

/* Implements apply_admit; `ctx` is the struct admit. */
bool admit_manifest(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                    const struct json **ret);

/* Prefixes each diagnostic with FILE:LINE:COLUMN of the manifest. */
void admit_places(struct arena *a, const struct manifest *m, struct diags *diags);
