/*
 * Writes the documentation page of a kind, in Markdown: its names, an example, parameters, status, secrets, and how its external
 * name is made. Also writes the index of all kinds.
 *
 * Pages are limited in size: for kinds with very many fields they refer to `kubectl explain` for the deeper levels.
 */
#pragma once

#include "generate/generate.h"

void page_write(struct buf *out, const struct xp_kind *k, const struct xp_notes *notes, enum xp_flavour flavours);
void page_write_index(struct buf *out, const struct generate_options *options, const struct generated *done);

/* The page of the kinds that configure the provider (package.h): `k` has the provider block's arguments in forProvider. */
void page_write_config(struct buf *out, const struct xp_kind *k, enum xp_flavour flavours);
/* The file name of that page. */
#define PAGE_CONFIG "providerconfigs.md"
