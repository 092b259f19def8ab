/* Writes the JSON Schema of the configuration file, from the tables of its reader. */
#include "crossplane/config_private.h"

enum { MAX_TABLES = 16 };

struct schema_writer {
    struct json_writer w;
    const struct xp_config_table *tables[MAX_TABLES];
    size_t n;
};

static void text(struct schema_writer *s, const char *key, const char *value)
{
    json_key(&s->w, str_of(key));
    json_write_string(&s->w, str_of(value));
}

static void need(struct schema_writer *s, const struct xp_config_table *table)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->tables[i] == table)
            return;
    if (s->n < MAX_TABLES)
        s->tables[s->n++] = table;
}

static void write_ref(struct schema_writer *s, const struct xp_config_table *table)
{
    need(s, table);
    struct buf out BUF_AUTO = BUF_INIT(64);
    buf_printf(&out, "#/$defs/%s", table->name);
    json_key(&s->w, STR("$ref"));
    json_write_string(&s->w, buf_str(&out));
}

static void write_choices(struct schema_writer *s, const char *choices)
{
    if (!choices)
        return;
    json_key(&s->w, STR("enum"));
    json_begin_array(&s->w);
    for (struct str rest = str_of(choices); rest.n > 0;)
        json_write_string(&s->w, str_cut(&rest, ' '));
    json_end_array(&s->w);
}

static void write_text_or_table(struct schema_writer *s, const struct xp_config_key *k)
{
    json_key(&s->w, STR("oneOf"));
    json_begin_array(&s->w);
    json_begin_object(&s->w);
    text(s, "type", "string");
    write_choices(s, k->choices);
    json_end_object(&s->w);
    json_begin_object(&s->w);
    write_ref(s, k->table);
    json_end_object(&s->w);
    json_end_array(&s->w);
}

static void begin_map(struct schema_writer *s)
{
    text(s, "type", "object");
    json_key(&s->w, STR("additionalProperties"));
}

static void write_value(struct schema_writer *s, const struct xp_config_key *k)
{
    struct json_writer *w = &s->w;
    switch (k->value) {
    case VALUE_TEXT:
        text(s, "type", "string");
        write_choices(s, k->choices);
        break;
    case VALUE_BOOL:
        text(s, "type", "boolean");
        break;
    case VALUE_TEXTS:
        text(s, "type", "array");
        json_key(w, STR("items"));
        json_begin_object(w);
        text(s, "type", "string");
        json_end_object(w);
        break;
    case VALUE_TEXT_MAP:
        begin_map(s);
        json_begin_object(w);
        text(s, "type", "string");
        write_choices(s, k->choices);
        json_end_object(w);
        break;
    case VALUE_DURATION:
        text(s, "type", "string");
        text(s, "pattern", "^[0-9]+[smh]$");
        break;
    case VALUE_TABLE:
        write_ref(s, k->table);
        break;
    case VALUE_TABLE_MAP:
        begin_map(s);
        json_begin_object(w);
        write_ref(s, k->table);
        json_end_object(w);
        break;
    case VALUE_TEXT_OR_TABLE:
        write_text_or_table(s, k);
        break;
    case VALUE_TEXT_OR_TABLE_MAP:
        begin_map(s);
        json_begin_object(w);
        write_text_or_table(s, k);
        json_end_object(w);
        break;
    case VALUE_ANY_MAP:
        text(s, "type", "object");
        break;
    case VALUE_ANY:
        break;
    }
}

static void write_table(struct schema_writer *s, const struct xp_config_table *table)
{
    struct json_writer *w = &s->w;
    text(s, "type", "object");
    json_key(w, STR("additionalProperties"));
    json_write_bool(w, false);
    json_key(w, STR("properties"));
    json_begin_object(w);
    for (const struct xp_config_key *k = table->keys; k->name; k++) {
        json_key(w, str_of(k->name));
        json_begin_object(w);
        text(s, "description", k->help);
        write_value(s, k);
        json_end_object(w);
    }
    json_end_object(w);
}

void xp_config_write_schema(struct buf *out)
{
    struct schema_writer s = {.w = {.out = out, .indent = 2}};
    json_begin_object(&s.w);
    text(&s, "$schema", "https://json-schema.org/draft/2020-12/schema");
    text(&s, "title", "Configuration of a provider for terrane generate");
    write_table(&s, &xp_config_file_table);
    json_key(&s.w, STR("required"));
    json_begin_array(&s.w);
    json_write_string(&s.w, STR("provider"));
    json_end_array(&s.w);
    json_key(&s.w, STR("$defs"));
    json_begin_object(&s.w);
    for (size_t i = 0; i < s.n; i++) { /* grows while it is written */
        json_key(&s.w, str_of(s.tables[i]->name));
        json_begin_object(&s.w);
        write_table(&s, s.tables[i]);
        json_end_object(&s.w);
    }
    json_end_object(&s.w);
    json_end_object(&s.w);
    (void)json_finish(&s.w);
    buf_addc(out, '\n');
}
