/*
 * A page of documentation of one kind, in Markdown: how it is called, an example, its parameters, what it shows, its secrets, and
 * how its external name is made. And the page that lists all kinds.
 *
 * Pages are bounded: of kinds with very many fields the deeper levels are left to `kubectl explain`.
 */
#pragma once

#include "generate/generate.h"

void page_write(struct buf *out, const struct xp_kind *k, const struct xp_notes *notes, enum xp_flavour flavours);
void page_write_index(struct buf *out, const struct generate_options *options, const struct generated *done);

/* Of the kinds that configure the provider (package.h): `k` has the arguments of the provider block in forProvider. */
void page_write_config(struct buf *out, const struct xp_kind *k, enum xp_flavour flavours);
/* Where that page is. */
#define PAGE_CONFIG "providerconfigs.md"
