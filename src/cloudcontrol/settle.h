/*
 * What the service returned, brought into the form in which Terraform knew it, so that a refresh shows what changed and nothing
 * else.
 *
 * Where both mean the same (compare.h), the prior value stays: order of arrays, wording of JSON texts and times, an empty list
 * that the service left out. Where they differ, unordered arrays keep the order of before for what was there before: elements
 * pair by equality, those that changed by their Key, what is new comes last, in order. An ordered array keeps
 * the service's order.
 *
 * Also from before: what the service never gives back (write-only), what it has no notion of (id, timeouts); and a value that is
 * the attribute's default, which services tend to leave out. A default of the schema stands for a property that is absent. An
 * object that the service left out stays if there is nothing in it that has to be returned; but an empty one only if nothing
 * appeared beside it: {allow = {}} that became {block = {}} did change.
 */
#pragma once

#include "cloudcontrol/node.h"

/* `prior` and `read` are known objects of root's type; `prior` may be NULL: nothing was before. */
const struct value *cc_settle(struct arena *a, const struct cc_node *root, const struct value *prior, const struct value *read);

/* Without anything from before, for data sources and lists: unordered arrays in a fixed order, and nothing else changed. */
const struct value *cc_settle_new(struct arena *a, const struct cc_node *root, const struct value *read);
