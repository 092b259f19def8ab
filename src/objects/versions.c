#include "objects/versions.h"

#include "conversion/shapes.h"
#include "crossplane/versions.h"

const struct json *versions_upgrade(struct kinds *kinds, const struct kind *kind, struct arena *a, const struct json *manifest)
{
    struct str version = json_text(json_get(manifest, "apiVersion"), STR_EMPTY);
    struct diags ignored; /* admission reports a kind that is not available */
    (void)str_cut(&version, '/');
    diags_init(&ignored, a);
    if (kind->role != KIND_MANAGED || !xp_version_is_older(version, kind->version))
        return manifest;
    const struct xp_kind *model = kinds_model(kinds, kind, &ignored);
    return model ? conversion_object(a, model, manifest, kind->version, MISFITS_STAY) : manifest;
}
