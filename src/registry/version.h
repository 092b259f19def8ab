/*
 * Semantic versions, and version constraints as Terraform users write them: "~> 5.1, != 5.3.0".
 *
 * The rules are those of Terraform and OpenTofu for providers (stricter than for modules): no "v" in front, no wildcards, at most
 * three numbers, missing ones are 0, and pre-releases only if the constraint names them exactly.
 */
#pragma once

#include "base/diag.h"

/* The most bytes of a version, and terms of a constraint. */
enum { VERSION_MAX_BYTES = 256, VERSION_MAX_TERMS = 64 };

struct provider_version {
    uint64_t major, minor, patch; /* calendar versions have twelve digits */
    struct str prerelease, build; /* point into the parsed text */
};

bool provider_version_parse(struct str text, struct provider_version *ret); /* "1.2.3-beta1+x", "1.2"; missing numbers are 0 */
int provider_version_cmp(const struct provider_version *a,
                         const struct provider_version *b); /* by precedence: build metadata does not count */
struct str provider_version_text(struct arena *a, const struct provider_version *v); /* always three numbers */

struct version_constraint; /* all terms must hold; an empty text allows every release, but no pre-release */
/* NULL with a diagnostic on failure. Copies the text. */
const struct version_constraint *provider_version_constraint_parse(struct arena *a, struct str text, struct diags *diags);
/*
 * As Terraform writes it: terms sorted by version, then operator, without duplicates, with three numbers (two for "~> 1.2").
 * Empty: no term.
 */
struct str provider_version_constraint_text(struct arena *a, const struct version_constraint *c);
/* Pre-releases match only if the constraint names exactly that version; 0.0.0 ("no version") never matches. */
bool provider_version_allowed(const struct version_constraint *c, const struct provider_version *v);
