/*
 * Fields that older versions of a kind's API have under another name, as the configuration says (`renamed`). Objects are in the
 * newest version's shape here: what may stand once is an object.
 */
#pragma once

#include "base/vec.h"
#include "crossplane/model.h"

/* Members of the annotation CONVERSION_KEPT (shapes.h). */
struct conversion_keep {
    VEC(struct json_member) list;
};

/*
 * The object with the newest names. What has both names already stays as it is, and so does what has something else in its way.
 * `keep`: what was renamed, to be known on the way back; NULL: nobody asks.
 */
const struct json *renames_to_newest(struct arena *a, const struct xp_kind *model, const struct json *object,
                                     struct conversion_keep *keep);
/* Back: what `kept` says was renamed. Objects on the way that the newest version does not have were lists in older ones. */
const struct json *renames_to_older(struct arena *a, const struct xp_kind *model, const struct json *object,
                                    const struct json *kept);
