/*
 * Mines links from documentation: the example code on a provider's pages shows which attribute an argument usually refers to.
 *
 *     resource "aws_instance" "web" {
 *       subnet_id = aws_subnet.a.id            aws_instance subnet_id -> aws_subnet.id
 *       user_data = "x=${aws_eip.b.public_ip}" aws_instance user_data -> aws_eip.public_ip part
 *     }
 *
 * References are found inside lists, objects, conditionals, functions that return their arguments, `for`, `dynamic` and
 * `for_each`. Data sources, variables, modules and values computed from an attribute do not count.
 */
#pragma once

#include "hcl/hcl.h"
#include "links/rows.h"
#include "schema/schema.h"

struct link_mine {
    struct arena *arena;
    const struct provider_schema *schema; /* NULL: none */
    struct link_rows rows;
    size_t n_pages, n_examples;
    size_t n_broken;  /* examples that are not valid HCL */
    size_t n_dropped; /* links where the schema lacks one end; each occurrence counts */
    struct map seen;  /* private */
};

/* With a schema, only links whose two ends exist in it count, and paths are written as in the schema. */
void link_mine_init(struct link_mine *m, struct arena *a, const struct provider_schema *schema);

/* Mines all examples of a page. A broken example only adds a diagnostic to `broken`. */
void link_mine_page(struct link_mine *m, struct str page, const char *source, struct diags *broken);
