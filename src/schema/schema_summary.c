/*
 * The counts of a provider. Shared parts are counted once for each resource that uses them.
 */
#include "schema/schema_text.h"

static const struct {
    const char *key, *label;
} section_names[SECTION_COUNT] = {
    [SECTION_RESOURCES] = {"resources", "Resources"},
    [SECTION_DATA_SOURCES] = {"data_sources", "Data sources"},
    [SECTION_EPHEMERALS] = {"ephemeral_resources", "Ephemeral resources"},
    [SECTION_LISTS] = {"list_resources", "List resources"},
    [SECTION_FUNCTIONS] = {"functions", "Functions"},
    [SECTION_IDENTITIES] = {"identities", "Identities"},
    [SECTION_ACTIONS] = {"actions", "Actions"},
    [SECTION_STATE_STORES] = {"state_stores", "State stores"},
};

static void count_attrs(struct schema_summary *s, const struct schema_attr *attrs, size_t n)
{
    s->attributes += n;
    for (size_t i = 0; i < n; i++) {
        s->required += attrs[i].required;
        s->optional += attrs[i].optional;
        s->computed += attrs[i].computed;
        s->sensitive += attrs[i].sensitive;
        s->write_only += attrs[i].write_only;
        s->deprecated += attrs[i].deprecated;
        if (attrs[i].nested)
            count_attrs(s, attrs[i].nested->attrs, attrs[i].nested->n_attrs);
    }
}

static void count_block(struct schema_summary *s, const struct schema_block *b)
{
    count_attrs(s, b->attrs, b->n_attrs);
    s->blocks += b->n_blocks;
    for (size_t i = 0; i < b->n_blocks; i++)
        count_block(s, b->blocks[i].block);
}

static void keep_most(struct schema_most *most, struct str name, size_t n)
{
    if (n > most->n)
        *most = (struct schema_most){.name = name, .n = n};
}

struct schema_summary schema_summarise(const struct provider_schema *s)
{
    struct schema_summary summary = {.largest.name = STR_EMPTY, .deepest.name = STR_EMPTY};
    count_block(&summary, s->provider->block);
    for (enum schema_section section = 0; section < SECTION_COUNT; section++) {
        const struct map *map = provider_schema_section(s, section);
        summary.entries[section] = map->n;
        if (section == SECTION_FUNCTIONS || section == SECTION_IDENTITIES)
            continue;
        for (size_t i = 0; i < map->n; i++) {
            const struct schema *schema = map->entries[i].value;
            size_t before = summary.attributes;
            count_block(&summary, schema->block);
            if (section != SECTION_RESOURCES)
                continue;
            keep_most(&summary.largest, map->entries[i].key, summary.attributes - before);
            keep_most(&summary.deepest, map->entries[i].key, schema->block->levels);
        }
    }
    return summary;
}

static void text_line(struct buf *out, const struct schema_text_style *style, const char *label, size_t n)
{
    buf_printf(out, "%-22s%s%8zu%s\n", label, style->colour ? "\033[1m" : "", n, style->colour ? "\033[0m" : "");
}

static void text_most(struct buf *out, const char *label, const struct schema_most *most, const char *unit)
{
    if (most->n > 0)
        buf_printf(out, "%-22s" STR_FMT " (%zu %s%s)\n", label, STR_ARG(most->name), most->n, unit, most->n == 1 ? "" : "s");
}

void schema_summary_text(struct buf *out, const struct schema_summary *s, const struct schema_text_style *style)
{
    for (enum schema_section i = 0; i < SECTION_COUNT; i++)
        if (s->entries[i] > 0 || i == SECTION_RESOURCES || i == SECTION_DATA_SOURCES)
            text_line(out, style, section_names[i].label, s->entries[i]);
    buf_addc(out, '\n');
    text_line(out, style, "Nested blocks", s->blocks);
    text_line(out, style, "Attributes", s->attributes);
    text_line(out, style, "  required", s->required);
    text_line(out, style, "  optional", s->optional);
    text_line(out, style, "  computed", s->computed);
    text_line(out, style, "  sensitive", s->sensitive);
    text_line(out, style, "  write-only", s->write_only);
    text_line(out, style, "  deprecated", s->deprecated);
    buf_addc(out, '\n');
    text_most(out, "Largest resource", &s->largest, "attribute");
    text_most(out, "Deepest resource", &s->deepest, "level");
}

static void json_most(struct json_writer *w, const char *key, const struct schema_most *most, const char *unit)
{
    if (most->n == 0)
        return;
    json_key(w, str_of(key));
    json_begin_object(w);
    json_key(w, STR("name"));
    json_write_string(w, most->name);
    json_put_count(w, unit, most->n);
    json_end_object(w);
}

void schema_summary_json(struct json_writer *w, const struct schema_summary *s)
{
    json_begin_object(w);
    for (enum schema_section i = 0; i < SECTION_COUNT; i++)
        json_put_count(w, section_names[i].key, s->entries[i]);
    json_put_count(w, "nested_blocks", s->blocks);
    json_put_count(w, "attributes", s->attributes);
    json_put_count(w, "required", s->required);
    json_put_count(w, "optional", s->optional);
    json_put_count(w, "computed", s->computed);
    json_put_count(w, "sensitive", s->sensitive);
    json_put_count(w, "write_only", s->write_only);
    json_put_count(w, "deprecated", s->deprecated);
    json_most(w, "largest", &s->largest, "attributes");
    json_most(w, "deepest", &s->deepest, "levels");
    json_end_object(w);
}
