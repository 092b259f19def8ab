/*
 * Whether a manifest may become an object of its kind, and what it gets by default: the rules of its CRD, as an API server has
 * them (src/admission). CRDs are compiled when they are first needed.
 */
#pragma once

#include "controller/kinds.h"
#include "manifests/apply.h"
#include "manifests/manifest.h"

struct admit;
struct admit *admit_new(struct kinds *kinds);
void admit_free(struct admit *a); /* NULL is accepted */

/* An apply_admit function; its context is the struct admit. */
bool admit_manifest(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                    const struct json **ret);

/* Puts FILE:LINE:COLUMN of the manifest before what each diagnostic says. */
void admit_places(struct arena *a, const struct manifest *m, struct diags *diags);
