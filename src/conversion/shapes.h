/*
 * The versions of a kind's API, and its objects from one to another.
 *
 * What differs between the versions that Upjet's providers serve is mostly this: in the older ones a block that may stand once is
 * a list, in the newest it is the element of that list. (Of 272 kinds of azurerm and azuread that have two versions there is none
 * where anything else differs; tests/scenario/conversion_shapes looks.) Fields of the kind's model say where that is:
 * shape.singleton. What has another name besides (some kinds of aws) the configuration says: renames.h.
 */
#pragma once

#include "crossplane/model.h"

/*
 * What a list has that its one element cannot say (none, or several) is kept in this annotation while the object is of the newest
 * version: {"spec.forProvider.rule": [...]}. Going back, it is taken up where the element was not changed meanwhile.
 */
#define CONVERSION_KEPT "terrane/kept-lists"
enum { CONVERSION_MAX_KEPT = 128 << 10 }; /* bytes; what is more is not kept. Kubernetes takes 256 KiB of annotations */

enum conversion_misfits {
    MISFITS_KEPT, /* by the annotation; of several elements the first is taken. Nothing is refused: an object that cannot be
                   * converted would make the list of all of its kind fail */
    MISFITS_STAY, /* several elements stay a list, for validation to refuse; of none nothing stays */
};

/*
 * The object in another version of its kind; `model` is of the newest one. All in `a`, shared with `object` where nothing
 * changed. Whatever is not as it should be stays as it is.
 */
const struct json *conversion_object(struct arena *a, const struct xp_kind *model, const struct json *object, struct str version,
                                     enum conversion_misfits misfits);
