/*
 * The writer. Members are written in Terraform's order and omitted when they are false, 0 or empty, like Go's `omitempty`;
 * members that are always present (version, description_kind, nesting_mode) are written directly.
 */
#include "schema/schema_json_private.h"

#define KEY(literal) {literal, sizeof(literal) - 1}

const struct schema_json_section schema_json_sections[SECTION_COUNT] = {
    [SECTION_RESOURCES] = {KEY("resource_schemas"), 0, ENTRY_SCHEMA},
    [SECTION_DATA_SOURCES] = {KEY("data_source_schemas"), 0, ENTRY_SCHEMA},
    [SECTION_EPHEMERALS] = {KEY("ephemeral_resource_schemas"), SCHEMA_JSON_EPHEMERALS, ENTRY_SCHEMA},
    [SECTION_LISTS] = {KEY("list_resource_schemas"), SCHEMA_JSON_LISTS, ENTRY_SCHEMA},
    [SECTION_FUNCTIONS] = {KEY("functions"), 0, ENTRY_FUNCTION},
    [SECTION_IDENTITIES] = {KEY("resource_identity_schemas"), SCHEMA_JSON_IDENTITIES, ENTRY_IDENTITY},
    [SECTION_ACTIONS] = {KEY("action_schemas"), SCHEMA_JSON_ACTIONS, ENTRY_ACTION},
    [SECTION_STATE_STORES] = {KEY("state_store_schemas"), SCHEMA_JSON_STATE_STORES, ENTRY_SCHEMA},
};

const struct str schema_json_nestings[NESTING_GROUP + 1] = {
    [NESTING_INVALID] = KEY("invalid"), [NESTING_SINGLE] = KEY("single"), [NESTING_LIST] = KEY("list"),
    [NESTING_SET] = KEY("set"),         [NESTING_MAP] = KEY("map"),       [NESTING_GROUP] = KEY("group"),
};

const struct str schema_json_texts[TEXT_MARKDOWN + 1] = {[TEXT_PLAIN] = KEY("plain"), [TEXT_MARKDOWN] = KEY("markdown")};

/* Which version prints which form: the last line that matches the program and whose minor version is not newer. */
static const struct {
    struct str program;
    int64_t minor;
    enum schema_json_form form;
} programs[] = {
    {KEY("terraform"), 0, SCHEMA_JSON_TERRAFORM_1_8},
    {KEY("terraform"), 10, SCHEMA_JSON_TERRAFORM_1_10},
    {KEY("terraform"), 11, SCHEMA_JSON_TERRAFORM_1_11},
    {KEY("terraform"), 12, SCHEMA_JSON_TERRAFORM_1_12},
    {KEY("terraform"), 14, SCHEMA_JSON_TERRAFORM_1_14},
    {KEY("terraform"), 15, SCHEMA_JSON_TERRAFORM_1_15},
    {KEY("tofu"), 0, SCHEMA_JSON_TOFU_1_7},
    {KEY("tofu"), 11, SCHEMA_JSON_TOFU_1_11},
    {KEY("tofu"), 12, SCHEMA_JSON_TOFU_1_12},
};

bool schema_json_form_named(struct str name, enum schema_json_form *ret)
{
    struct str program = str_cut(&name, '-');
    struct str major = str_cut(&name, '.');
    struct str minor_text = str_cut(&name, '.');
    int64_t minor;
    if (!str_eq(major, STR("1")) || !str_to_i64(minor_text, &minor) || minor < 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (str_eq(programs[i].program, program) && programs[i].minor <= minor) {
            *ret = programs[i].form;
            found = true;
        }
    }
    return found;
}

/* Pieces */

static void write_text(struct json_writer *w, struct str key, struct str text)
{
    if (text.n == 0)
        return;
    json_key(w, key);
    json_write_string(w, text);
}

static void write_flag(struct json_writer *w, struct str key, bool flag)
{
    if (!flag)
        return;
    json_key(w, key);
    json_write_raw(w, STR("true"));
}

static void write_count(struct json_writer *w, struct str key, int64_t count)
{
    if (count == 0)
        return;
    json_key(w, key);
    json_write_int(w, count);
}

static void write_type(struct json_writer *w, struct str key, const struct type *t)
{
    json_key(w, key);
    type_write_json(w, t);
}

static void write_description(struct json_writer *w, struct str description, enum schema_text kind)
{
    write_text(w, STR("description"), description);
    json_key(w, STR("description_kind"));
    json_write_string(w, schema_json_texts[kind]);
}

/* Attributes and blocks */

static void write_attrs(struct json_writer *w, const struct schema_attr *attrs, size_t n, enum schema_json_form form);

static void write_nested(struct json_writer *w, const struct schema_object *o, enum schema_json_form form)
{
    if (!(form & SCHEMA_JSON_NESTED_DEPRECATION))
        form &= ~(unsigned)SCHEMA_JSON_DEPRECATION;
    json_key(w, STR("nested_type"));
    json_begin_object(w);
    write_attrs(w, o->attrs, o->n_attrs, form);
    json_key(w, STR("nesting_mode"));
    json_write_string(w, schema_json_nestings[o->nesting]);
    json_end_object(w);
}

static void write_attr(struct json_writer *w, const struct schema_attr *attr, enum schema_json_form form)
{
    json_begin_object(w);
    if (attr->type)
        write_type(w, STR("type"), attr->type);
    if (attr->nested)
        write_nested(w, attr->nested, form);
    write_description(w, attr->description, attr->description_kind);
    write_flag(w, STR("deprecated"), attr->deprecated);
    if (form & SCHEMA_JSON_DEPRECATION)
        write_text(w, STR("deprecation_message"), attr->deprecation_message);
    write_flag(w, STR("required"), attr->required);
    write_flag(w, STR("optional"), attr->optional);
    write_flag(w, STR("computed"), attr->computed);
    write_flag(w, STR("sensitive"), attr->sensitive);
    write_flag(w, STR("write_only"), attr->write_only && (form & SCHEMA_JSON_WRITE_ONLY));
    json_end_object(w);
}

static void write_attrs(struct json_writer *w, const struct schema_attr *attrs, size_t n, enum schema_json_form form)
{
    if (n == 0)
        return;
    json_key(w, STR("attributes"));
    json_begin_object(w);
    for (size_t i = 0; i < n; i++) {
        json_key(w, attrs[i].name);
        write_attr(w, &attrs[i], form);
    }
    json_end_object(w);
}

static void write_block(struct json_writer *w, const struct schema_block *b, enum schema_json_form form);

static void write_nested_block(struct json_writer *w, const struct schema_nested_block *b, enum schema_json_form form)
{
    json_begin_object(w);
    json_key(w, STR("nesting_mode"));
    json_write_string(w, schema_json_nestings[b->nesting]);
    json_key(w, STR("block"));
    write_block(w, b->block, form);
    write_count(w, STR("min_items"), b->min_items);
    write_count(w, STR("max_items"), b->max_items);
    json_end_object(w);
}

static void write_block(struct json_writer *w, const struct schema_block *b, enum schema_json_form form)
{
    json_begin_object(w);
    write_attrs(w, b->attrs, b->n_attrs, form);
    if (b->n_blocks > 0) {
        json_key(w, STR("block_types"));
        json_begin_object(w);
        for (size_t i = 0; i < b->n_blocks; i++) {
            json_key(w, b->blocks[i].name);
            write_nested_block(w, &b->blocks[i], form);
        }
        json_end_object(w);
    }
    write_description(w, b->description, b->description_kind);
    write_flag(w, STR("deprecated"), b->deprecated);
    if (form & SCHEMA_JSON_DEPRECATION)
        write_text(w, STR("deprecation_message"), b->deprecation_message);
    json_end_object(w);
}

/* Entries of the sections */

static void write_version(struct json_writer *w, int64_t version)
{
    json_key(w, STR("version"));
    json_write_int(w, version);
}

static void write_schema(struct json_writer *w, const struct schema *s, bool version, enum schema_json_form form)
{
    json_begin_object(w);
    if (version)
        write_version(w, s->version);
    json_key(w, STR("block"));
    write_block(w, s->block, form);
    json_end_object(w);
}

static void write_identity(struct json_writer *w, const struct schema_identity *identity)
{
    json_begin_object(w);
    write_version(w, identity->version);
    if (identity->n_attrs > 0) {
        json_key(w, STR("attributes"));
        json_begin_object(w);
        for (size_t i = 0; i < identity->n_attrs; i++) {
            const struct schema_identity_attr *attr = &identity->attrs[i];
            json_key(w, attr->name);
            json_begin_object(w);
            if (attr->type)
                write_type(w, STR("type"), attr->type);
            write_text(w, STR("description"), attr->description);
            write_flag(w, STR("required_for_import"), attr->required_for_import);
            write_flag(w, STR("optional_for_import"), attr->optional_for_import);
            json_end_object(w);
        }
        json_end_object(w);
    }
    json_end_object(w);
}

/* OpenTofu writes the outermost object type itself and drops its optional marks; nested types are written by go-cty. */
static void write_function_type(struct json_writer *w, struct str key, const struct type *t, enum schema_json_form form)
{
    if (!t)
        return;
    if (t->kind != TYPE_OBJECT || !(form & SCHEMA_JSON_TOFU_FUNCTIONS))
        return write_type(w, key, t);
    json_key(w, key);
    json_begin_array(w);
    json_write_string(w, STR("object"));
    json_begin_object(w);
    for (size_t i = 0; i < t->n; i++)
        write_type(w, t->attrs[i].name, t->attrs[i].type);
    json_end_object(w);
    json_end_array(w);
}

static void write_function_text(struct json_writer *w, struct str key, struct str text, enum schema_json_form form)
{
    if (text.n > 0 || (form & SCHEMA_JSON_TOFU_FUNCTIONS)) {
        json_key(w, key);
        json_write_string(w, text);
    }
}

static void write_parameter(struct json_writer *w, const struct schema_parameter *p, enum schema_json_form form)
{
    json_begin_object(w);
    write_function_text(w, STR("name"), p->name, form);
    write_function_text(w, STR("description"), p->description, form);
    if (form & SCHEMA_JSON_TOFU_FUNCTIONS)
        write_function_type(w, STR("type"), p->type, form);
    write_flag(w, STR("is_nullable"), p->allow_null);
    if (!(form & SCHEMA_JSON_TOFU_FUNCTIONS))
        write_function_type(w, STR("type"), p->type, form);
    json_end_object(w);
}

static void write_function(struct json_writer *w, const struct schema_function *f, enum schema_json_form form)
{
    json_begin_object(w);
    write_function_text(w, STR("description"), f->description, form);
    write_function_text(w, STR("summary"), f->summary, form);
    if (form & SCHEMA_JSON_FUNCTION_DEPRECATION)
        write_text(w, STR("deprecation_message"), f->deprecation_message);
    write_function_type(w, STR("return_type"), f->return_type, form);
    if (f->n_parameters > 0) {
        json_key(w, STR("parameters"));
        json_begin_array(w);
        for (size_t i = 0; i < f->n_parameters; i++)
            write_parameter(w, &f->parameters[i], form);
        json_end_array(w);
    }
    if (f->variadic) {
        json_key(w, STR("variadic_parameter"));
        write_parameter(w, f->variadic, form);
    }
    json_end_object(w);
}

static void write_entry(struct json_writer *w, enum schema_json_entry entry, const void *what, enum schema_json_form form)
{
    switch (entry) {
    case ENTRY_SCHEMA:
        return write_schema(w, what, true, form);
    case ENTRY_ACTION:
        return write_schema(w, what, false, form);
    case ENTRY_FUNCTION:
        return write_function(w, what, form);
    case ENTRY_IDENTITY:
        return write_identity(w, what);
    }
}

static void write_section(struct json_writer *w, enum schema_section section, const struct map *map, struct str only,
                          enum schema_json_form form)
{
    const struct schema_json_section *how = &schema_json_sections[section];
    if (map->n == 0 || (form & how->needs) != how->needs || (only.n > 0 && !map_get(map, only)))
        return;
    json_key(w, how->key);
    json_begin_object(w);
    for (size_t i = 0; i < map->n && !w->failed; i++) {
        if (only.n > 0 && !str_eq(map->entries[i].key, only))
            continue;
        json_key(w, map->entries[i].key);
        write_entry(w, how->entry, map->entries[i].value, form);
    }
    json_end_object(w);
}

void schema_write_provider(struct json_writer *w, const struct provider_schema *s, struct str only, enum schema_json_form form)
{
    json_begin_object(w);
    if (only.n == 0) {
        json_key(w, STR("provider"));
        write_schema(w, s->provider, true, form);
    }
    for (enum schema_section i = 0; i < SECTION_COUNT; i++)
        write_section(w, i, provider_schema_section(s, i), only, form);
    json_end_object(w);
}

void schema_write_document(struct json_writer *w, struct str address, const struct provider_schema *s, struct str only,
                           enum schema_json_form form)
{
    json_begin_object(w);
    json_key(w, STR("format_version"));
    json_write_string(w, STR(SCHEMA_JSON_VERSION));
    json_key(w, STR("provider_schemas"));
    json_begin_object(w);
    json_key(w, address);
    schema_write_provider(w, s, only, form);
    json_end_object(w);
    json_end_object(w);
}
