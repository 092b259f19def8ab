/*
 * A store over another one that is far away: what lists, watches and own writes have shown is remembered, and read from memory.
 * For one process that lists all kinds, watches them, and reads them again and again.
 *
 * - Objects of kinds that are mirrored are kept as text from the first list without a kind on, and follow the watch that was
 * opened without one. What is not there is asked for below, but for kinds that say so (`believed`).
 * - Secrets are kept from the moment they are read, and only those: their changes come with the watch, too.
 * - Own writes are seen at once. A conflict makes an object unknown, so that it is read below next time.
 * - An update that changes nothing is not sent.
 *
 * What is read may be older than what is below, as with every client that watches; who writes by it is told so by a conflict.
 */
#pragma once

#include "store/store.h"

struct mirror_kind {
    struct str group, kind;
    bool shared;   /* of these only those are kept that `keeps` says; the others, and lists, are read below */
    bool believed; /* one that is not in the mirror does not exist: who creates it after all is told STORE_EXISTS */
};

struct mirror_options {
    struct store *below; /* the mirror's from now on, and closed with it */
    const struct mirror_kind *kinds;
    size_t n_kinds;
    /*
     * Secrets that only this process writes, in a namespace of their own: those that begin with one of `prefixes` and go on with
     * the uid of an object of a mirrored kind. An object that was first seen without `finalizer` has none.
     */
    struct str records, finalizer;
    const struct str *prefixes;
    size_t n_prefixes;
    bool (*keeps)(void *ctx, const struct json *object); /* NULL: all */
    void *ctx;
};

struct store *store_mirror(const struct mirror_options *options);
/* Another process may have written records of ours: they are read below again. */
void store_mirror_doubt_records(struct store *mirror);
/* Bytes of objects that are kept, and how many. */
struct mirror_size {
    size_t objects, bytes;
};
struct mirror_size store_mirror_size(struct store *mirror);
