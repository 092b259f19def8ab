/*
 * Any JSON as {"schema": BLOCK, "change": CHANGE, "value": OBJECT, "sensitive": S}: writing it must never crash, and the coloured
 * text must be the plain one plus escape sequences.
 */
#include "render/plan_text.h"

#include "schema/schema_json.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20, MAX_TEXT = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct schema_block *read_schema(struct arena *a, const struct json *block)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct json_writer w = {.out = &text};
    buf_addz(&text,
             "{\"format_version\":\"1.0\",\"provider_schemas\":{\"p\":{\"resource_schemas\":{\"t\":{\"version\":0,\"block\":");
    json_write(&w, block);
    if (!json_finish(&w))
        return NULL;
    buf_addz(&text, "}}}}}");
    struct diags diags;
    diags_init(&diags, a);
    const struct json *document = json_parse(a, buf_str(&text), "schema", &diags);
    const struct provider_schema *s = document ? schema_read_document(a, document, STR_EMPTY, NULL, &diags) : NULL;
    const struct schema *schema = s ? map_get(&s->resources, STR("t")) : NULL;
    return schema ? schema->block : NULL;
}

static void write_all(struct buf *out, const struct json *row, const struct schema_block *schema, bool colour)
{
    struct text_style style = {.colour = colour, .width = TEXT_DEFAULT_WIDTH};
    struct text_object object = {.address = STR("t.it"), .type = STR("t"), .name = STR("it"), .schema = schema};
    struct text_change change = {.object = object, .action = ACTION_UPDATE, .change = json_get(row, "change")};
    plan_text(out, &change, 1, TEXT_PLAN_NORMAL, &style);
    object_text(out, &object, json_get(row, "value"), json_get(row, "sensitive"), &style);
}

/* The plain text must have no escape characters: those in values are written as \x1b. */
static void check(struct str plain, struct str coloured)
{
    size_t at = 0;
    for (size_t i = 0; i < coloured.n; i++) {
        if (coloured.p[i] == '\033')
            i = str_find(coloured, 'm', i);
        else if (at >= plain.n || coloured.p[i] != plain.p[at++])
            abort();
    }
    if (at != plain.n)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *row = json_parse(a, (struct str){(const char *)data, size}, "fuzz", &diags);
    const struct json *block = json_get(row, "schema");
    const struct schema_block *schema = block ? read_schema(a, block) : NULL;
    if (!schema)
        return 0;
    struct buf plain BUF_AUTO = BUF_INIT(MAX_TEXT), coloured BUF_AUTO = BUF_INIT(2 * MAX_TEXT);
    write_all(&plain, row, schema, false);
    write_all(&coloured, row, schema, true);
    if (buf_ok(&plain) && buf_ok(&coloured))
        check(buf_str(&plain), buf_str(&coloured));
    return 0;
}
