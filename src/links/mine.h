/*
 * Links from documentation: the example code of a provider's pages shows which attribute an argument is meant to be given.
 *
 *     resource "aws_instance" "web" {
 *       subnet_id = aws_subnet.a.id            aws_instance subnet_id -> aws_subnet.id
 *       user_data = "x=${aws_eip.b.public_ip}" aws_instance user_data -> aws_eip.public_ip part
 *     }
 *
 * Seen through: lists, objects, conditions, functions that hand their arguments on, `for`, `dynamic` and `for_each`. Not counted:
 * data sources, variables, modules, and values that are computed from the attribute.
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
    size_t n_broken;  /* examples that are no HCL */
    size_t n_dropped; /* links of which the schema does not have both ends, each as often as it was seen */
    struct map seen;  /* private */
};

/* With a schema, only links whose ends it has are counted, and paths are written as it has them. */
void link_mine_init(struct link_mine *m, struct arena *a, const struct provider_schema *schema);

/* The examples of a page. A broken one is a diagnostic in `broken` and nothing else. */
void link_mine_page(struct link_mine *m, struct str page, const char *source, struct diags *broken);
