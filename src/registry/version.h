/*
 * Semantic versions and the constraints Terraform users write: "~> 5.1, != 5.3.0".
 *
 * The rules are those Terraform and OpenTofu apply to providers (which are stricter than those for modules): no "v" in front,
 * no wildcards, at most three numbers, missing ones are 0, and pre-releases only when they are asked for by name.
 */
#pragma once

#include "base/diag.h"

/* Bytes of one version, terms of one constraint. */
enum { VERSION_MAX_BYTES = 256, VERSION_MAX_TERMS = 64 };

struct provider_version {
    uint64_t major, minor, patch; /* calendar versions have twelve digits */
    struct str prerelease, build; /* of the text that was parsed */
};

bool provider_version_parse(struct str text, struct provider_version *ret); /* "1.2.3-beta1+x", "1.2"; missing numbers are 0 */
int provider_version_cmp(const struct provider_version *a,
                         const struct provider_version *b); /* by precedence: build metadata does not count */
struct str provider_version_text(struct arena *a, const struct provider_version *v); /* always three numbers */

struct version_constraint; /* a conjunction; an empty text allows every release, no pre-release */
/* NULL after a diagnostic. Copies what it keeps. */
const struct version_constraint *provider_version_constraint_parse(struct arena *a, struct str text, struct diags *diags);
/* As Terraform writes it: terms by version, then operator, each once, three numbers (two for "~> 1.2"). Empty: no term. */
struct str provider_version_constraint_text(struct arena *a, const struct version_constraint *c);
/* Pre-releases match only when the constraint names exactly that version; 0.0.0 ("no version") never matches. */
bool provider_version_allowed(const struct version_constraint *c, const struct provider_version *v);
