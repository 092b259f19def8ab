/*
 * Converts objects between the versions of a kind's API.
 *
 * The versions that Upjet's providers serve mostly differ in one thing: a block that can occur only once is a list in older
 * versions, and in the newest version the element of that list. (Among the 272 kinds of azurerm and azuread with two versions,
 * none differs in anything else; tests/scenario/conversion_shapes checks that.) The fields of the kind's model mark these blocks:
 * shape.singleton. Renamed fields (in some kinds of aws) come from the configuration: renames.h.
 */
#pragma once

#include "crossplane/model.h"

/*
 * A list that the one element cannot represent (empty, or several elements) is kept in this annotation while the object has the
 * newest version: {"spec.forProvider.rule": [...]}. On the way back it is restored if the element was not changed meanwhile.
 */
#define CONVERSION_KEPT "terrane/kept-lists"
enum { CONVERSION_MAX_KEPT = 128 << 10 }; /* bytes; more is not kept. Kubernetes allows 256 KiB of annotations */

enum conversion_misfits {
    MISFITS_KEPT, /* in the annotation; of several elements the first is used. Nothing is refused: an object that cannot be
                     converted would make listing all objects of its kind fail */
    MISFITS_STAY, /* several elements stay a list, for validation to reject; an empty list is dropped */
};

/*
 * Returns the object in another version of its kind; `model` is that of the newest one. Everything is in `a`, and shares
 * unchanged parts with `object`. Malformed parts stay as they are.
 */
const struct json *conversion_object(struct arena *a, const struct xp_kind *model, const struct json *object, struct str version,
                                     enum conversion_misfits misfits);
