/*
 * A cache in front of a slow store: remembers what lists, watches and own writes have shown, and reads from memory. It is meant
 * for one process that lists all kinds, watches them, and reads them again and again.
 *
 * - Objects of mirrored kinds are kept as text from the first list without a kind on, and updated by the watch that was opened
 *   without a kind. A missing object is looked up below, except for kinds that are `believed`.
 * - Secrets are kept from the moment they are read, and only those; the watch delivers their changes, too.
 * - Own writes are visible at once. After a conflict the object counts as unknown, so the next read goes below.
 * - An update that changes nothing is not sent.
 *
 * Reads may be stale, as for every client that watches; a write based on a stale read gets a conflict.
 */
#pragma once

#include "store/store.h"

struct mirror_kind {
    struct str group, kind;
    bool shared;   /* only objects for which `keeps` returns true are kept; the others, and lists but of `own`, are read below */
    bool believed; /* an object that is not in the mirror does not exist; creating it may still return STORE_EXISTS */
};

struct mirror_options {
    struct store *below; /* owned by the mirror, which closes it */
    const struct mirror_kind *kinds;
    size_t n_kinds;
    /*
     * The namespace `records` has Secrets that only this process writes, named with one of `prefixes` followed by the uid of an
     * object of a mirrored kind. An object that was first seen without `finalizer` has none.
     */
    struct str records, finalizer;
    const struct str *prefixes;
    size_t n_prefixes;
    bool (*keeps)(void *ctx, const struct json *object); /* NULL: all */
    void *ctx;
};

struct store *store_mirror(const struct mirror_options *options);
/* Call this when another process may have written our records: they are read below again. */
void store_mirror_doubt_records(struct store *mirror);
/* The same for everything, until the next list without a kind: no watch tells any more what others write. */
void store_mirror_doubt_all(struct store *mirror);
/* How many objects are kept, and their bytes. */
struct mirror_size {
    size_t objects, bytes;
};
struct mirror_size store_mirror_size(struct store *mirror);
