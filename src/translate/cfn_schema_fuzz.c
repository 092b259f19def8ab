/*
 * Any bytes as a resource type schema: what can be read is translated in both modes, printed as tables, built as schemas that
 * keep Terraform's rules, and put through a pack. Patterns in it are compiled.
 */
#include "cfn/regex.h"
#include "schema/schema_check.h"
#include "translate/pack_write.h"
#include "translate/report.h"
#include "translate/table.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20, MAX_TEXT = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts if Terraform would refuse the generated type; only names, which come from the input, may be invalid. */
static bool check_node(void *ctx, const struct cc_node *node)
{
    (void)ctx;
    if (node->kind == CC_OBJECT && node->type->n != node->n_children)
        abort();
    if ((node->element != NULL) != (node->kind == CC_LIST || node->kind == CC_SET || node->kind == CC_MAP))
        abort();
    if (node->by_default && !type_eq(node->by_default->type, node->type))
        abort();
    return true;
}

static void translate(struct arena *a, const struct cfn_schema *cfn, enum cfn_mode mode)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct schema_builder *b = schema_builder_new(a);
    const struct cc_type *t = cc_translate(a, cfn, mode);
    if (t->root)
        cc_node_walk(t->root, check_node, NULL);
    for (enum cc_table table = CC_TABLE_RESOURCES; table <= CC_TABLE_TYPES; table++)
        cc_table_rows(&out, table, t);
    cc_report_type(&out, t);
    cc_schema_add(b, t);
    const struct provider_schema *s = schema_builder_end(b);
    if (t->has_resource && s->resources.n != 1)
        abort();
}

static void pack(struct arena *a, struct str text)
{
    struct buf file BUF_AUTO = BUF_INIT(LIMIT), lock BUF_AUTO = BUF_INIT(LIMIT);
    const struct cfn_source input = {.name = STR("fuzz"), .text = text};
    const struct cc_pack_options options = {.source = STR("fuzz")};
    struct cc_pack_made made;
    struct diags diags;
    diags_init(&diags, a);
    (void)cc_pack_make(&input, 1, &options, &file, &lock, &made, &diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    if (size > MAX_TEXT)
        return 0;
    /* The first line alone as a pattern: if the check accepts it, the matcher compiles it or refuses it for its size. */
    struct str rest = text, pattern = str_cut(&rest, '\n');
    const struct cfn_regex *regex = cfn_regex_compile(a, pattern, &diags);
    if (regex)
        (void)cfn_regex_match(regex, STR("some text"));
    const struct cfn_schema *cfn = cfn_schema_parse(a, text, "fuzz", &diags);
    if (!cfn)
        return 0;
    translate(a, cfn, CFN_MODE_STRICT);
    translate(a, cfn, CFN_MODE_DEFAULT);
    pack(a, text);
    return 0;
}
