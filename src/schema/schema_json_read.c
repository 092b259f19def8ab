/*
 * The reader: tables say which function reads which member into which field of a draft; the builder makes the final form.
 *
 * It stops at the first error. A linked list of places on the stack, from the document's section down to the attribute, gives the
 * position of the error.
 */
#include "schema/schema_build.h"
#include "schema/schema_json_private.h"

enum { MAX_LISTED = 10, MAX_PLACE_TEXT = 4 << 10 };

struct place {
    const struct place *up;
    struct str name;
};

struct reader {
    struct schema_builder *builder;
    struct arena *scratch; /* for the draft of one entry */
    const struct place *place;
    struct diags *diags;
};

struct field {
    struct str key;
    bool (*read)(struct reader *r, const struct json *j, void *at);
    size_t offset;
};

#define FIELD(name, read, owner, member) {{name, sizeof(name) - 1}, read, offsetof(owner, member)}
/* For a reader that fills more than one field of the owner. */
#define WHOLE(name, read) {{name, sizeof(name) - 1}, read, 0}

/* Errors */

static void write_place(struct buf *out, const struct place *place)
{
    if (place->up) {
        write_place(out, place->up);
        buf_addc(out, '.');
    }
    buf_add(out, place->name);
}

static bool fail(struct reader *r, const struct json *j, const char *why)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_PLACE_TEXT);
    if (r->place) {
        write_place(&text, r->place);
        buf_addz(&text, ": ");
    }
    struct str place = buf_str(&text);
    return diags_fail(r->diags, "Invalid provider schema document", STR_FMT "%s, at line %u, column %u.", STR_ARG(place), why,
                      (unsigned)j->line, (unsigned)j->column);
}

static bool expect(struct reader *r, const struct json *j, enum json_kind kind)
{
    static const char *const wanted[] = {
        [JSON_NULL] = "null is required",
        [JSON_BOOL] = "true or false is required",
        [JSON_NUMBER] = "a whole number is required",
        [JSON_STRING] = "a string is required",
        [JSON_ARRAY] = "a list is required",
        [JSON_OBJECT] = "an object is required",
    };
    return j->kind == kind || fail(r, j, wanted[kind]);
}

/* Reads each member that has a field; unknown members and nulls are skipped, because newer versions add members. */
static bool read_members(struct reader *r, const struct json *j, const struct field *fields, size_t n, void *into)
{
    if (!expect(r, j, JSON_OBJECT))
        return false;
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *member = &j->object.members[i];
        if (member->value->kind == JSON_NULL)
            continue;
        const struct field *field = NULL;
        for (size_t k = 0; k < n && !field; k++)
            if (str_eq(fields[k].key, member->key))
                field = &fields[k];
        if (!field)
            continue;
        struct place here = {.up = r->place, .name = member->key};
        r->place = &here;
        bool ok = field->read(r, member->value, (char *)into + field->offset);
        r->place = here.up;
        if (!ok)
            return false;
    }
    return true;
}
#define READ_MEMBERS(r, j, fields, into) read_members((r), (j), (fields), sizeof(fields) / sizeof *(fields), (into))

/*
 * Reads an object whose keys are names, such as those of attributes: zeroed elements of `size` bytes, which begin with the name,
 * each filled by `read`. NULL on error.
 */
static void *read_named(struct reader *r, const struct json *j, size_t size,
                        bool (*read)(struct reader *, const struct json *, void *))
{
    if (!expect(r, j, JSON_OBJECT))
        return NULL;
    char *elements = arena_alloc_n(r->scratch, size, j->object.n, alignof(max_align_t));
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *member = &j->object.members[i];
        struct place here = {.up = r->place, .name = member->key};
        r->place = &here;
        *(struct str *)(elements + i * size) = member->key;
        bool ok = read(r, member->value, elements + i * size);
        r->place = here.up;
        if (!ok)
            return NULL;
    }
    return elements;
}

/* Single fields */

static bool read_text(struct reader *r, const struct json *j, void *at)
{
    if (!expect(r, j, JSON_STRING))
        return false;
    *(struct str *)at = j->text;
    return true;
}

static bool read_flag(struct reader *r, const struct json *j, void *at)
{
    if (!expect(r, j, JSON_BOOL))
        return false;
    *(bool *)at = j->boolean;
    return true;
}

static bool read_count(struct reader *r, const struct json *j, void *at)
{
    if (!expect(r, j, JSON_NUMBER))
        return false;
    return str_to_i64(j->text, at) || fail(r, j, "a whole number of at most 64 bits is required");
}

static bool read_text_kind(struct reader *r, const struct json *j, void *at)
{
    for (enum schema_text i = 0; i <= TEXT_MARKDOWN; i++) {
        if (j->kind == JSON_STRING && str_eq(j->text, schema_json_texts[i])) {
            *(enum schema_text *)at = i;
            return true;
        }
    }
    return fail(r, j, "\"plain\" or \"markdown\" is required");
}

static bool read_nesting(struct reader *r, const struct json *j, void *at)
{
    for (enum schema_nesting i = 0; i <= NESTING_GROUP; i++) {
        if (j->kind == JSON_STRING && str_eq(j->text, schema_json_nestings[i])) {
            *(enum schema_nesting *)at = i;
            return true;
        }
    }
    return fail(r, j, "a nesting mode (\"single\", \"list\", \"set\", \"map\" or \"group\") is required");
}

static bool read_type(struct reader *r, const struct json *j, void *at)
{
    struct diags why;
    diags_init(&why, r->scratch);
    const struct type *t = type_from_json(r->scratch, j, &why);
    if (!t)
        return fail(r, j, why.n > 0 ? why.v[0].detail.p : "a type is required");
    *(const struct type **)at = t;
    return true;
}

/* Attributes and blocks */

static bool read_attr(struct reader *r, const struct json *j, void *at);
static bool read_nested_block(struct reader *r, const struct json *j, void *at);

static bool read_object_attrs(struct reader *r, const struct json *j, void *at)
{
    struct schema_object *o = at;
    o->attrs = read_named(r, j, sizeof *o->attrs, read_attr);
    o->n_attrs = o->attrs ? j->object.n : 0;
    return o->attrs;
}

static bool read_nested(struct reader *r, const struct json *j, void *at)
{
    static const struct field fields[] = {
        WHOLE("attributes", read_object_attrs),
        FIELD("nesting_mode", read_nesting, struct schema_object, nesting),
        FIELD("min_items", read_count, struct schema_object, min_items),
        FIELD("max_items", read_count, struct schema_object, max_items),
    };
    struct schema_object *o = arena_make(r->scratch, struct schema_object);
    *(const struct schema_object **)at = o;
    return READ_MEMBERS(r, j, fields, o);
}

static bool read_attr(struct reader *r, const struct json *j, void *at)
{
    static const struct field fields[] = {
        FIELD("type", read_type, struct schema_attr, type),
        FIELD("nested_type", read_nested, struct schema_attr, nested),
        FIELD("description", read_text, struct schema_attr, description),
        FIELD("description_kind", read_text_kind, struct schema_attr, description_kind),
        FIELD("deprecated", read_flag, struct schema_attr, deprecated),
        FIELD("deprecation_message", read_text, struct schema_attr, deprecation_message),
        FIELD("required", read_flag, struct schema_attr, required),
        FIELD("optional", read_flag, struct schema_attr, optional),
        FIELD("computed", read_flag, struct schema_attr, computed),
        FIELD("sensitive", read_flag, struct schema_attr, sensitive),
        FIELD("write_only", read_flag, struct schema_attr, write_only),
    };
    return READ_MEMBERS(r, j, fields, at);
}

static bool read_block_attrs(struct reader *r, const struct json *j, void *at)
{
    struct schema_block *b = at;
    b->attrs = read_named(r, j, sizeof *b->attrs, read_attr);
    b->n_attrs = b->attrs ? j->object.n : 0;
    return b->attrs;
}

static bool read_block_blocks(struct reader *r, const struct json *j, void *at)
{
    struct schema_block *b = at;
    b->blocks = read_named(r, j, sizeof *b->blocks, read_nested_block);
    b->n_blocks = b->blocks ? j->object.n : 0;
    return b->blocks;
}

static bool read_block(struct reader *r, const struct json *j, void *at)
{
    static const struct field fields[] = {
        WHOLE("attributes", read_block_attrs),
        WHOLE("block_types", read_block_blocks),
        FIELD("description", read_text, struct schema_block, description),
        FIELD("description_kind", read_text_kind, struct schema_block, description_kind),
        FIELD("deprecated", read_flag, struct schema_block, deprecated),
        FIELD("deprecation_message", read_text, struct schema_block, deprecation_message),
    };
    struct schema_block *b = arena_make(r->scratch, struct schema_block);
    *(const struct schema_block **)at = b;
    return READ_MEMBERS(r, j, fields, b);
}

static bool read_nested_block(struct reader *r, const struct json *j, void *at)
{
    static const struct field fields[] = {
        FIELD("nesting_mode", read_nesting, struct schema_nested_block, nesting),
        FIELD("block", read_block, struct schema_nested_block, block),
        FIELD("min_items", read_count, struct schema_nested_block, min_items),
        FIELD("max_items", read_count, struct schema_nested_block, max_items),
    };
    return READ_MEMBERS(r, j, fields, at);
}

/* Entries of the sections: each returns the final form, or NULL */

static const void *read_schema(struct reader *r, const struct json *j)
{
    static const struct field fields[] = {
        FIELD("version", read_count, struct schema, version),
        FIELD("block", read_block, struct schema, block),
    };
    struct schema draft = {0};
    if (!READ_MEMBERS(r, j, fields, &draft))
        return NULL;
    return schema_build(r->builder, draft.version, draft.block, r->place->name, r->diags);
}

static bool read_identity_attr(struct reader *r, const struct json *j, void *at)
{
    static const struct field fields[] = {
        FIELD("type", read_type, struct schema_identity_attr, type),
        FIELD("description", read_text, struct schema_identity_attr, description),
        FIELD("required_for_import", read_flag, struct schema_identity_attr, required_for_import),
        FIELD("optional_for_import", read_flag, struct schema_identity_attr, optional_for_import),
    };
    return READ_MEMBERS(r, j, fields, at);
}

static bool read_identity_attrs(struct reader *r, const struct json *j, void *at)
{
    struct schema_identity *identity = at;
    identity->attrs = read_named(r, j, sizeof *identity->attrs, read_identity_attr);
    identity->n_attrs = identity->attrs ? j->object.n : 0;
    return identity->attrs;
}

static const void *read_identity(struct reader *r, const struct json *j)
{
    static const struct field fields[] = {
        FIELD("version", read_count, struct schema_identity, version),
        WHOLE("attributes", read_identity_attrs),
    };
    struct schema_identity draft = {0};
    return READ_MEMBERS(r, j, fields, &draft) ? schema_build_identity(r->builder, &draft) : NULL;
}

static bool read_parameter(struct reader *r, const struct json *j, void *at)
{
    static const struct field fields[] = {
        FIELD("name", read_text, struct schema_parameter, name),
        FIELD("description", read_text, struct schema_parameter, description),
        FIELD("is_nullable", read_flag, struct schema_parameter, allow_null),
        FIELD("type", read_type, struct schema_parameter, type),
    };
    return READ_MEMBERS(r, j, fields, at);
}

static bool read_parameters(struct reader *r, const struct json *j, void *at)
{
    if (!expect(r, j, JSON_ARRAY))
        return false;
    struct schema_function *f = at;
    struct schema_parameter *parameters = arena_make_n(r->scratch, struct schema_parameter, j->array.n);
    for (size_t i = 0; i < j->array.n; i++)
        if (!read_parameter(r, j->array.items[i], &parameters[i]))
            return false;
    f->parameters = parameters;
    f->n_parameters = j->array.n;
    return true;
}

static bool read_variadic(struct reader *r, const struct json *j, void *at)
{
    struct schema_parameter *parameter = arena_make(r->scratch, struct schema_parameter);
    *(const struct schema_parameter **)at = parameter;
    return read_parameter(r, j, parameter);
}

static const void *read_function(struct reader *r, const struct json *j)
{
    static const struct field fields[] = {
        FIELD("description", read_text, struct schema_function, description),
        FIELD("summary", read_text, struct schema_function, summary),
        FIELD("deprecation_message", read_text, struct schema_function, deprecation_message),
        FIELD("return_type", read_type, struct schema_function, return_type),
        WHOLE("parameters", read_parameters),
        FIELD("variadic_parameter", read_variadic, struct schema_function, variadic),
    };
    struct schema_function draft = {0};
    return READ_MEMBERS(r, j, fields, &draft) ? schema_build_function(r->builder, &draft) : NULL;
}

static const void *read_entry(struct reader *r, enum schema_json_entry entry, const struct json *j)
{
    switch (entry) {
    case ENTRY_SCHEMA:
    case ENTRY_ACTION:
        return read_schema(r, j);
    case ENTRY_FUNCTION:
        return read_function(r, j);
    case ENTRY_IDENTITY:
        return read_identity(r, j);
    }
    return NULL;
}

static bool read_section(struct reader *r, enum schema_json_entry entry, const struct json *j, struct map *into)
{
    if (!expect(r, j, JSON_OBJECT))
        return false;
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *member = &j->object.members[i];
        struct place here = {.up = r->place, .name = member->key};
        r->place = &here;
        const void *final = read_entry(r, entry, member->value);
        r->place = here.up;
        arena_reset(r->scratch);
        if (!final)
            return false;
        map_put(into, schema_build_text(r->builder, member->key), (void *) final);
    }
    return true;
}

static bool read_provider_block(struct reader *r, const struct json *j, struct provider_schema *s)
{
    const struct schema *schema = read_schema(r, j);
    if (schema)
        s->provider = schema;
    return schema;
}

static bool read_provider(struct reader *r, const struct json *j)
{
    struct provider_schema *s = schema_builder_schema(r->builder);
    if (!expect(r, j, JSON_OBJECT))
        return false;
    struct place here = {.name = STR("provider")};
    r->place = &here;
    const struct json *block = json_get(j, "provider");
    bool ok = !block || block->kind == JSON_NULL || read_provider_block(r, block, s);
    for (enum schema_section i = 0; i < SECTION_COUNT && ok; i++) {
        here.name = schema_json_sections[i].key;
        const struct json *section = json_get_str(j, here.name);
        if (section && section->kind != JSON_NULL)
            ok = read_section(r, schema_json_sections[i].entry, section, provider_schema_fill(s, i));
    }
    r->place = NULL;
    return ok;
}

/* Which provider */

/* True when `address` equals `full` or its last parts. */
static bool address_matches(struct str full, struct str address)
{
    return str_ends(full, address) && (full.n == address.n || full.p[full.n - address.n - 1] == '/');
}

static const struct json_member *not_one(struct diags *diags, const struct json *providers, const char *summary,
                                         struct str address)
{
    struct buf names BUF_AUTO = BUF_INIT(MAX_PLACE_TEXT);
    for (size_t i = 0; i < providers->object.n && i < MAX_LISTED; i++) {
        buf_addz(&names, "\n  ");
        buf_add(&names, providers->object.members[i].key);
    }
    struct str list = buf_str(&names);
    diags_fail(diags, summary, "%s" STR_FMT "%sThe document holds %zu provider(s):" STR_FMT, address.n > 0 ? "\"" : "",
               STR_ARG(address), address.n > 0 ? "\" was asked for. " : "", providers->object.n, STR_ARG(list));
    return NULL;
}

static const struct json_member *choose(const struct json *document, struct str address, struct diags *diags)
{
    struct reader r = {.diags = diags};
    struct str version = json_text(json_get(document, "format_version"), STR_EMPTY);
    if (!str_starts(version, STR("1.")) && !str_starts(version, STR("0."))) {
        fail(&r, document, "this is not what `terraform providers schema -json` prints (\"format_version\" must be 1.x)");
        return NULL;
    }
    const struct json *providers = json_get(document, "provider_schemas");
    if (!providers || providers->kind != JSON_OBJECT) {
        fail(&r, providers ? providers : document, "\"provider_schemas\" must be an object");
        return NULL;
    }
    size_t found = 0, n_found = 0;
    for (size_t i = 0; i < providers->object.n; i++)
        if (address.n == 0 || address_matches(providers->object.members[i].key, address)) {
            found = i;
            n_found++;
        }
    if (n_found != 1)
        return not_one(diags, providers, n_found == 0 ? "No such provider in the schema document" : "More than one provider fits",
                       address);
    return &providers->object.members[found];
}

const struct provider_schema *schema_read_document(struct arena *a, const struct json *document, struct str address,
                                                   struct str *ret_address, struct diags *diags)
{
    const struct json_member *provider = choose(document, address, diags);
    if (!provider)
        return NULL;
    struct reader r = {.builder = schema_builder_new(a), .scratch = arena_new(a, 0), .diags = diags};
    bool ok = read_provider(&r, provider->value);
    arena_free(r.scratch);
    const struct provider_schema *s = schema_builder_end(r.builder);
    if (!ok)
        return NULL;
    if (ret_address)
        *ret_address = arena_str(a, provider->key);
    return s;
}
