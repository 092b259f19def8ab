/*
 * Gets a translated type from a pack.
 */
#include "translate/pack_write.h"

const struct cc_type *cc_pack_type(const struct cfn_pack *pack, size_t i, enum cfn_mode mode, struct arena *a,
                                   struct diags *diags)
{
    struct str text = STR_EMPTY;
    if (!cfn_pack_text(pack, i, a, diags, &text))
        return NULL;
    struct cfn_pack_entry entry;
    cfn_pack_entry(pack, i, &entry);
    const struct cfn_schema *cfn = cfn_schema_parse(a, text, arena_str(a, entry.cf_type).p, diags);
    return cfn ? cc_translate(a, cfn, mode) : NULL;
}
