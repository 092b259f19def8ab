/*
 * Fields that have another name in older versions of a kind's API, from the configuration (`renamed`). Objects have the newest
 * version's shape here: a block that can occur only once is an object.
 */
#pragma once

#include "base/vec.h"
#include "crossplane/model.h"

/* Members of the annotation CONVERSION_KEPT (shapes.h). */
struct conversion_keep {
    VEC(struct json_member) list;
};

/*
 * Returns the object with the newest names. A field stays if the object has both names, or something else is in the new place.
 * `keep` collects what was renamed, for the way back; NULL: not wanted.
 */
const struct json *renames_to_newest(struct arena *a, const struct xp_kind *model, const struct json *object,
                                     struct conversion_keep *keep);
/* Reverts what `kept` says was renamed. Objects on the path that the newest version does not have were lists in older ones. */
const struct json *renames_to_older(struct arena *a, const struct xp_kind *model, const struct json *object,
                                    const struct json *kept);
