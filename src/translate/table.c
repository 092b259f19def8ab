#include "translate/table.h"

#include "base/vec.h"
#include "translate/translate_private.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *header;
} tables[] = {
    [CC_TABLE_RESOURCES] =
        {"resources",
         "#tf_type\tcf_type\tpath\tkind\telement\tcustom\tconf\tdefault\tvalidators\tmodifiers\two\tdesc\tcf_name\n"},
    [CC_TABLE_SINGULAR] = {"singular", "#tf_type\tcf_type\tpath\tkind\telement\tcustom\tconf\tdesc\tcf_name\n"},
    [CC_TABLE_TYPES] =
        {"types", "#cf_type\ttf_type\tresource\tsingular\tplural\tlist\tprimary_identifier\tcreate_min\tupdate_min\tdelete_min\t"
                  "immutable\tsuppression\tidentity\tglobal\twrite_only\tpinned\tdesc\n"},
};

bool cc_table_named(struct str name, enum cc_table *ret)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (str_eqz(name, tables[i].name)) {
            *ret = (enum cc_table)i;
            return true;
        }
    return false;
}

void cc_table_header(struct buf *out, enum cc_table table)
{
    buf_addz(out, tables[table].header);
}

/* --- JSON in cells --- */

static void put_string(struct buf *out, struct str s)
{
    struct json_writer w = {.out = out};
    json_write_string(&w, s);
    (void)json_finish(&w);
}

/* Like C's %f without trailing zeros. The tables have six digits, so nothing is lost. */
static void put_float(struct buf *out, double d)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%f", d);
    while (n > 0 && text[n - 1] == '0')
        n--;
    if (n > 0 && text[n - 1] == '.')
        n--;
    buf_add(out, (struct str){text, (size_t)n});
}

static void put_number(struct buf *out, struct number number)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    int64_t i;
    if (number_to_i64(number, &i))
        buf_printf(out, "%lld", (long long)i);
    else
        put_float(out, strtod(number_text(a, number).p, NULL));
}

static void put_json(struct buf *out, const struct json *j)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct json_writer w = {.out = out};
    json_write(&w, json_sorted(a, j));
    (void)json_finish(&w);
}

/* --- cells --- */

static void put_cell(struct buf *out, struct str text)
{
    buf_add(out, text.n > 0 ? text : STR("-"));
    buf_addc(out, '\t');
}

static void put_description(struct buf *out, struct str text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (text.n == 0 || EVP_Digest(text.p, text.n, digest, &n, EVP_sha1(), NULL) != 1) {
        buf_addz(out, "-");
        return;
    }
    for (size_t i = 0; i < 4; i++)
        buf_printf(out, "%02x", digest[i]);
}

static const char *kind_word(const struct cc_node *node)
{
    static const char *const plain[] = {
        [CC_BOOL] = "Bool", [CC_INT64] = "Int64", [CC_FLOAT64] = "Float64", [CC_STRING] = "String",
        [CC_LIST] = "List", [CC_SET] = "Set",     [CC_MAP] = "Map",         [CC_OBJECT] = "SingleNested",
    };
    static const char *const nested[] = {[CC_LIST] = "ListNested", [CC_SET] = "SetNested", [CC_MAP] = "MapNested"};
    return node->element && node->element->kind == CC_OBJECT ? nested[node->kind] : plain[node->kind];
}

static void put_element(struct buf *out, const struct cc_node *element)
{
    static const char *const words[] = {
        [CC_BOOL] = "bool", [CC_INT64] = "int64", [CC_FLOAT64] = "float64", [CC_STRING] = "string",
        [CC_LIST] = "list", [CC_SET] = "set",     [CC_MAP] = "map",         [CC_OBJECT] = "object",
    };
    static const char *const texts[] = {[CC_TEXT_PLAIN] = "string", [CC_TEXT_RFC3339] = "rfc3339", [CC_TEXT_JSON] = "json"};
    buf_addz(out, element->kind == CC_STRING ? texts[element->text] : words[element->kind]);
    if (element->element) {
        buf_addc(out, '(');
        put_element(out, element->element);
        buf_addc(out, ')');
    }
}

static const char *custom_word(const struct cc_node *node)
{
    return node->kind != CC_STRING || node->text == CC_TEXT_PLAIN ? "-" : node->text == CC_TEXT_JSON ? "json" : "rfc3339";
}

static const char *conf_word(const struct cc_node *node)
{
    return node->required ? "R" : node->optional ? (node->computed ? "OC" : "O") : "C";
}

static void put_shape(struct buf *out, const struct cc_node *node)
{
    cc_node_write_path(out, node);
    buf_printf(out, "\t%s\t", kind_word(node));
    if (node->element && node->element->kind != CC_OBJECT)
        put_element(out, node->element);
    else
        buf_addc(out, '-');
    buf_printf(out, "\t%s\t", custom_word(node));
}

static enum cc_default default_of(const struct cc_node *node)
{
    return node->refused_default != CC_DEFAULT_NONE ? node->refused_default : node->default_kind;
}

/* The default as written in the schema, if it is valid for the type. */
static void put_default(struct buf *out, const struct cc_node *node)
{
    if (default_of(node) != CC_DEFAULT_STATIC)
        buf_addc(out, '-');
    else if (node->kind == CC_BOOL)
        buf_addz(out, node->by_default->boolean ? "true" : "false");
    else if (node->kind == CC_INT64 || node->kind == CC_FLOAT64)
        put_number(out, node->by_default->number);
    else if (node->kind == CC_STRING)
        put_string(out, node->by_default->string);
    else
        put_json(out, node->default_json);
    buf_addc(out, '\t');
}

static void put_validators(struct buf *out, const struct cc_validator *v, size_t n);

static void put_bounds(struct buf *out, const struct cc_validator *v)
{
    switch (v->kind) {
    case CC_V_AT_LEAST:
    case CC_V_AT_MOST:
    case CC_V_BETWEEN:
        if (v->kind != CC_V_AT_MOST) {
            buf_addc(out, ',');
            put_number(out, v->min);
        }
        if (v->kind != CC_V_AT_LEAST) {
            buf_addc(out, ',');
            put_number(out, v->max);
        }
        break;
    default:
        if (v->kind != CC_V_LENGTH_AT_MOST && v->kind != CC_V_SIZE_AT_MOST)
            buf_printf(out, ",%lld", (long long)v->min_size);
        if (v->kind != CC_V_LENGTH_AT_LEAST && v->kind != CC_V_SIZE_AT_LEAST)
            buf_printf(out, ",%lld", (long long)v->max_size);
        break;
    }
}

/* A value of an enum: numbers in their shortest form. */
static void put_value(struct buf *out, const struct json *j)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct number number;
    if (j->kind == JSON_NUMBER && number_parse(a, j->text, &number))
        put_number(out, number);
    else
        put_json(out, j);
}

static void put_validator(struct buf *out, const struct cc_validator *v)
{
    buf_printf(out, "[\"%s\"", cc_validator_name(v->kind));
    switch (v->kind) {
    case CC_V_ONE_OF:
        for (size_t i = 0; i < v->values->array.n; i++) {
            buf_addc(out, ',');
            put_value(out, v->values->array.items[i]);
        }
        break;
    case CC_V_REGEX:
        buf_addc(out, ',');
        put_string(out, v->pattern);
        break;
    case CC_V_STRINGS:
    case CC_V_INT64S:
        buf_addc(out, ',');
        put_validators(out, v->elements, v->n_elements);
        break;
    case CC_V_UNIQUE:
    case CC_V_NOT_NULL:
        break;
    default:
        put_bounds(out, v);
        break;
    }
    buf_addc(out, ']');
}

static void put_validators(struct buf *out, const struct cc_validator *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_addc(out, ',');
        put_validator(out, &v[i]);
    }
}

struct named_value {
    struct str name;
    const struct json *value;
};

static int by_its_name(const void *a, const void *b)
{
    return str_cmp(((const struct named_value *)a)->name, ((const struct named_value *)b)->name);
}

/* All given members with Terraform's names, even if the type lacks them; anything but a bool, string or object is null. */
static void put_partial(struct buf *out, const struct json *given)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    size_t n = given->object.n;
    struct named_value *members = arena_make_n(a, struct named_value, n);
    for (size_t i = 0; i < n; i++)
        members[i] = (struct named_value){cfn_snake(a, given->object.members[i].key), given->object.members[i].value};
    qsort(members, n, sizeof members[0], by_its_name);
    buf_addc(out, '{');
    for (size_t i = 0; i < n; i++) {
        const struct json *value = members[i].value;
        if (i > 0)
            buf_addc(out, ',');
        put_string(out, members[i].name);
        buf_addc(out, ':');
        if (value->kind == JSON_OBJECT)
            put_partial(out, value);
        else if (value->kind == JSON_BOOL || value->kind == JSON_STRING)
            put_json(out, value);
        else
            buf_addz(out, "null");
    }
    buf_addc(out, '}');
}

/* For these, awscc ignores the order. */
static bool is_array_of_arrays(const struct cc_node *node)
{
    const struct cc_node *element = node->element;
    return element && (element->kind == CC_LIST || (element->kind == CC_OBJECT && element->cut));
}

static void put_modifiers(struct buf *out, const struct cc_node *node)
{
    size_t start = out->n;
    if (node->order == CC_MULTISET && !is_array_of_arrays(node))
        buf_addz(out, ",[\"Multiset\"]");
    if (default_of(node) == CC_DEFAULT_FILL && node->kind == CC_OBJECT) {
        buf_addz(out, ",[\"StaticPartialObject\",");
        put_partial(out, node->default_json);
        buf_addc(out, ']');
    } else if (default_of(node) == CC_DEFAULT_FILL) {
        buf_addz(out, ",[\"EmptyNestedObject\"]");
    }
    if (node->use_state_for_unknown)
        buf_addz(out, ",[\"UseStateForUnknown\"]");
    if (node->replace != CC_REPLACE_NO && !node->starred_create_only)
        buf_addz(out, node->replace == CC_REPLACE_ALWAYS ? ",[\"RequiresReplace\"]" : ",[\"RequiresReplaceIfConfigured\"]");
    if (out->n == start) {
        buf_addc(out, '-');
    } else if (buf_ok(out)) {
        out->p[start] = '[';
        buf_addc(out, ']');
    }
    buf_addc(out, '\t');
}

/* --- rows --- */

struct table_rows {
    struct buf *out;
    const struct cc_type *type;
    enum cc_table table;
};

static void put_row_end(struct buf *out, const struct cc_node *node)
{
    put_description(out, node->description);
    buf_addc(out, '\t');
    buf_add(out, node->cf_name.n > 0 ? node->cf_name : STR("-"));
    buf_addc(out, '\n');
}

static void put_resource_row(struct buf *out, const struct cc_node *node)
{
    put_shape(out, node);
    buf_printf(out, "%s\t", conf_word(node));
    put_default(out, node);
    if (node->n_validators > 0) {
        buf_addc(out, '[');
        put_validators(out, node->validators, node->n_validators);
        buf_addz(out, "]\t");
    } else {
        buf_addz(out, "-\t");
    }
    put_modifiers(out, node);
    buf_addz(out, node->write_only && !node->starred_write_only ? "W\t" : "-\t");
    put_row_end(out, node);
}

static void put_singular_row(struct buf *out, const struct cc_node *node)
{
    put_shape(out, node);
    buf_printf(out, "%s\t", node->role == CC_ROLE_ID ? "R" : "C");
    put_row_end(out, node);
}

static bool put_row(void *ctx, const struct cc_node *node)
{
    struct table_rows *r = ctx;
    if (node->role == CC_ROLE_TIMEOUTS)
        return false;
    if (node->name.n == 0)
        return true;
    put_cell(r->out, r->type->tf_type);
    put_cell(r->out, r->type->cf_type);
    if (r->table == CC_TABLE_RESOURCES)
        put_resource_row(r->out, node);
    else
        put_singular_row(r->out, node);
    return true;
}

static void put_minutes(struct buf *out, bool there, int64_t minutes)
{
    if (there)
        buf_printf(out, "%lld\t", (long long)minutes);
    else
        buf_addz(out, "-\t");
}

static const char *yes(bool there, bool b)
{
    return !there ? "-\t" : b ? "y\t" : "n\t";
}

static void put_joined(struct buf *out, struct str text, char separator, bool first)
{
    if (!first)
        buf_addc(out, separator);
    buf_add(out, text);
}

static void put_identifiers(struct buf *out, const struct cc_type *t, bool identity)
{
    static const struct str prefix = {"/properties/", 12};
    for (size_t i = 0; i < t->n_identifiers; i++) {
        struct str pointer = t->identifiers[i].pointer;
        if (str_starts(pointer, prefix))
            pointer = str_slice(pointer, prefix.n, pointer.n);
        put_joined(out, identity ? t->identifiers[i].identity_name : pointer, '|', i == 0);
    }
    buf_addz(out, t->n_identifiers > 0 ? "\t" : "-\t");
}

static void put_type_row(struct buf *out, const struct cc_type *t)
{
    put_cell(out, t->cf_type);
    put_cell(out, t->tf_type);
    buf_addz(out, yes(true, t->has_resource));
    buf_addz(out, yes(true, t->has_singular));
    put_cell(out, t->has_plural ? t->plural : STR_EMPTY);
    buf_addz(out, yes(true, t->has_list));
    put_identifiers(out, t, false);
    put_minutes(out, t->has_resource, t->create_minutes);
    put_minutes(out, t->has_resource && !t->immutable, t->update_minutes);
    put_minutes(out, t->has_resource, t->delete_minutes);
    buf_addz(out, yes(t->has_resource, t->immutable));
    put_cell(out, t->suppression);
    if (t->has_resource)
        put_identifiers(out, t, true);
    else
        buf_addz(out, "-\t");
    buf_addz(out, yes(t->has_resource, t->global));
    size_t n_write_only = t->has_resource ? t->cfn->write_only.n : 0;
    for (size_t i = 0; i < n_write_only; i++)
        put_joined(out, t->cfn->write_only.v[i], ',', i == 0);
    buf_addz(out, n_write_only > 0 ? "\t" : "-\t");
    buf_addz(out, yes(true, awscc_decision(&t->cfn->name).pinned));
    put_description(out, t->has_resource ? t->cfn->description : STR_EMPTY);
    buf_addc(out, '\n');
}

void cc_table_rows(struct buf *out, enum cc_table table, const struct cc_type *t)
{
    struct table_rows rows = {out, t, table};
    if (table == CC_TABLE_TYPES)
        put_type_row(out, t);
    else if (table == CC_TABLE_RESOURCES ? t->has_resource : t->has_singular)
        cc_node_walk(t->root, put_row, &rows);
}

void cc_table_sort(struct buf *rows)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    VEC(struct str) lines = {0};
    for (struct str rest = buf_str(rows); rest.n > 0;)
        *VEC_PUSH(a, &lines) = str_cut(&rest, '\n');
    if (lines.v)
        qsort(lines.v, lines.n, sizeof lines.v[0], str_cmp_qsort);
    struct buf sorted = BUF_INIT(rows->max);
    for (size_t i = 0; i < lines.n; i++) {
        buf_add(&sorted, lines.v[i]);
        buf_addc(&sorted, '\n');
    }
    buf_free(rows);
    *rows = sorted;
}
