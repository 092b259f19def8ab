/*
 * Input: any JSON as {"config": C, "unknown": U} for a schema that uses every feature. Reading must not crash, and what can be
 * read is passed through all rules, where an object must agree with itself.
 */
#include "base/must.h"
#include "change/change.h"
#include "schema/schema_json.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char arguments[] =
    "\"text\":{\"type\":\"string\",\"optional\":true},\"must\":{\"type\":\"number\",\"required\":true},"
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true,\"sensitive\":true},"
    "\"both\":{\"type\":[\"set\",[\"list\",\"number\"]],\"optional\":true,\"computed\":true},"
    "\"id\":{\"type\":\"string\",\"computed\":true}";
static const char open_type[] = ",\"any\":{\"type\":\"dynamic\",\"optional\":true}";
/* Not used in a set: without the attribute two elements may become equal. */
static const char write_only[] = ",\"wo\":{\"type\":\"string\",\"optional\":true,\"write_only\":true}";

static const char *nested(struct arena *a, const char *name, const char *mode, const char *more)
{
    return arena_printf(
               a, ",\"%s\":{\"optional\":true,\"computed\":true,\"nested_type\":{\"nesting_mode\":\"%s\",\"attributes\":{%s%s}}}",
               name, mode, arguments, more)
        .p;
}

static const char *block(struct arena *a, const char *name, const char *mode, const char *more, const char *most)
{
    return arena_printf(a, "\"%s\":{\"nesting_mode\":\"%s\",\"block\":{\"attributes\":{%s%s%s}}}", name, mode, arguments, more,
                        most)
        .p;
}

static const struct schema_block *schema(struct arena *a)
{
    struct str attrs =
        arena_printf(a, "%s%s%s%s%s%s", arguments, open_type, nested(a, "one", "single", write_only),
                     nested(a, "row", "list", write_only), nested(a, "bag", "set", ""), nested(a, "named", "map", write_only));
    struct str blocks =
        arena_printf(a, "%s,%s,%s,%s,%s,%s,%s", block(a, "single", "single", "", ""), block(a, "group", "group", "", ""),
                     block(a, "list", "list", write_only, ""), block(a, "set", "set", "", ""), block(a, "map", "map", "", ""),
                     block(a, "tuple", "list", open_type, write_only), block(a, "object", "map", open_type, ""));
    struct str text =
        arena_printf(a,
                     "{\"format_version\":\"1.0\",\"provider_schemas\":{\"fuzz\":{\"resource_schemas\":{\"t\":{\"version\""
                     ":0,\"block\":{\"attributes\":{" STR_FMT "},\"block_types\":{" STR_FMT "}}}}}}}",
                     STR_ARG(attrs), STR_ARG(blocks));
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, text, "schema", &diags);
    const struct provider_schema *s = j ? schema_read_document(a, j, STR_EMPTY, NULL, &diags) : NULL;
    if (!s)
        abort();
    return ((const struct schema *)map_get(&s->resources, STR("t")))->block;
}

static void go_through(struct arena *a, const struct schema_block *s, const struct value *v)
{
    struct change_issues issues = {.arena = a};
    const struct value *none = value_null(a, s->type);
    const struct value *proposed = change_proposed_new(a, s, none, v);
    (void)change_proposed_new(a, s, v, v);
    (void)change_sensitive(a, s, v);
    (void)change_ignore(a, s, v, v, (struct change_paths){NULL, 0}, true);
    must_hold(value_raw_eq(proposed, v)); /* without a prior object there is nothing to add */
    must_hold(change_write_only(a, s, v).n > 0 || change_check_plan(&issues, s, none, v, v));
    must_hold(change_check_result(&issues, s, v, v) || !v->wholly_known);
    (void)change_normalise_legacy(a, s, v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *input = json_parse(a, (struct str){(const char *)data, size}, "fuzz", &diags);
    const struct json *config = json_get(input, "config"), *unknown = json_get(input, "unknown");
    if (!config || config->kind != JSON_OBJECT || !change_config_fits(config, unknown))
        return 0;
    const struct schema_block *s = schema(a);
    const struct value *v = change_config_read(a, s, config, unknown, &diags);
    must_hold(!v == diags_has_errors(&diags));
    if (v && value_is_known(v))
        go_through(a, s, v);
    return 0;
}
