#include "change/testing_tables.h"

#include "base/vec.h"
#include "change/go_text_private.h"

#include <stdlib.h>

enum { MAX_TABLE = 64 << 20 };

static const struct json *parse(struct arena *a, struct str text)
{
    return testing_json(a, text);
}

const struct schema_block *testing_schema(struct arena *a, const char *text)
{
    return testing_block(a, text);
}

static struct str json_line(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TABLE);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

/* Values */

static const struct value *read_typed(struct arena *a, const struct type *t, const struct json *j);

static struct number number_of(struct arena *a, const struct json *j)
{
    struct number n;
    assert_true(number_parse(a, j->text, &n));
    return n;
}

static const struct value *read_unknown(struct arena *a, const struct type *t, const struct json *r)
{
    struct value_refinement refined = {.not_null = json_bool(json_get(r, "not_null"), false),
                                       .prefix = json_text(json_get(r, "prefix"), STR_EMPTY),
                                       .has_min = json_get(r, "min"),
                                       .has_max = json_get(r, "max"),
                                       .has_min_length = json_get(r, "min_length"),
                                       .has_max_length = json_get(r, "max_length"),
                                       .min_length = json_int(json_get(r, "min_length"), 0),
                                       .max_length = json_int(json_get(r, "max_length"), 0)};
    if (refined.has_min) {
        refined.min = number_of(a, json_get(r, "min")->array.items[0]);
        refined.min_inclusive = json_get(r, "min")->array.items[1]->boolean;
    }
    if (refined.has_max) {
        refined.max = number_of(a, json_get(r, "max")->array.items[0]);
        refined.max_inclusive = json_get(r, "max")->array.items[1]->boolean;
    }
    return value_unknown_refined(a, t, &refined);
}

static const struct value *read_open(struct arena *a, const struct json *j)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_from_json(a, json_get(j, "type"), &diags);
    assert_non_null(t);
    return read_typed(a, t, json_get(j, "value"));
}

static const struct value **read_items(struct arena *a, const struct type *t, const struct json *j)
{
    const struct value **v = arena_make_n(a, const struct value *, j->array.n);
    for (size_t i = 0; i < j->array.n; i++)
        v[i] = read_typed(a, t->kind == TYPE_TUPLE ? t->elements[i] : t->element, j->array.items[i]);
    return v;
}

static const struct value *read_map(struct arena *a, const struct type *t, const struct json *j)
{
    const struct value **v = arena_make_n(a, const struct value *, j->object.n);
    struct str *keys = arena_make_n(a, struct str, j->object.n);
    for (size_t i = 0; i < j->object.n; i++) {
        keys[i] = j->object.members[i].key;
        v[i] = read_typed(a, t->element, j->object.members[i].value);
    }
    return value_map(a, t->element, keys, v, j->object.n);
}

static const struct value *read_object(struct arena *a, const struct type *t, const struct json *j)
{
    const struct value **v = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++)
        v[i] = read_typed(a, t->attrs[i].type, json_get_str(j, t->attrs[i].name));
    return value_object(a, t, v);
}

static const struct value *read_typed(struct arena *a, const struct type *t, const struct json *j)
{
    if (json_get(j, "$unknown"))
        return read_unknown(a, t, json_get(j, "$unknown"));
    if (!j || j->kind == JSON_NULL)
        return value_null(a, t);
    switch (t->kind) {
    case TYPE_DYNAMIC:
        return read_open(a, j);
    case TYPE_STRING:
        return value_string(a, j->text);
    case TYPE_NUMBER:
        return value_number(a, number_of(a, j));
    case TYPE_BOOL:
        return value_bool(a, j->boolean);
    case TYPE_LIST:
        return value_list(a, t->element, read_items(a, t, j), j->array.n);
    case TYPE_SET:
        return value_set(a, t->element, read_items(a, t, j), j->array.n);
    case TYPE_TUPLE:
        return value_tuple(a, read_items(a, t, j), j->array.n);
    case TYPE_MAP:
        return read_map(a, t, j);
    case TYPE_OBJECT:
        return read_object(a, t, j);
    }
    return NULL;
}

static const struct value *read_block(struct arena *a, const struct schema_block *b, const struct json *j);

static const struct value *read_block_list(struct arena *a, const struct schema_nested_block *b, const struct json *j)
{
    const struct value **v = arena_make_n(a, const struct value *, j->array.n);
    for (size_t i = 0; i < j->array.n; i++)
        v[i] = read_block(a, b->block, j->array.items[i]);
    if (b->nesting == NESTING_SET)
        return value_set(a, b->block->type, v, j->array.n);
    return b->block->type->has_dynamic ? value_tuple(a, v, j->array.n) : value_list(a, b->block->type, v, j->array.n);
}

static const struct value *read_block_map(struct arena *a, const struct schema_nested_block *b, const struct json *j)
{
    const struct value **v = arena_make_n(a, const struct value *, j->object.n);
    struct str *keys = arena_make_n(a, struct str, j->object.n);
    struct type_attr *attrs = arena_make_n(a, struct type_attr, j->object.n);
    for (size_t i = 0; i < j->object.n; i++) {
        keys[i] = j->object.members[i].key;
        v[i] = read_block(a, b->block, j->object.members[i].value);
        attrs[i] = (struct type_attr){.name = keys[i], .type = v[i]->type};
    }
    if (!b->block->type->has_dynamic)
        return value_map(a, b->block->type, keys, v, j->object.n);
    const struct type *t = type_object(a, attrs, j->object.n);
    const struct value **sorted = arena_make_n(a, const struct value *, j->object.n);
    for (size_t i = 0; i < j->object.n; i++)
        sorted[type_attr_find(t, keys[i])] = v[i];
    return value_object(a, t, sorted);
}

static const struct value *read_nested(struct arena *a, const struct schema_nested_block *b, const struct json *j)
{
    if (!j)
        return schema_empty_nested(a, b);
    if (json_get(j, "$unknown"))
        return read_unknown(a, b->value_type, json_get(j, "$unknown"));
    if (j->kind == JSON_NULL)
        return value_null(a, b->value_type);
    if (b->nesting == NESTING_LIST || b->nesting == NESTING_SET)
        return read_block_list(a, b, j);
    return b->nesting == NESTING_MAP ? read_block_map(a, b, j) : read_block(a, b->block, j);
}

static const struct value *read_block(struct arena *a, const struct schema_block *b, const struct json *j)
{
    if (json_get(j, "$unknown"))
        return read_unknown(a, b->type, json_get(j, "$unknown"));
    if (!j || j->kind == JSON_NULL)
        return value_null(a, b->type);
    const struct value **v = arena_make_n(a, const struct value *, b->type->n);
    for (size_t i = 0; i < b->type->n; i++) {
        struct str name = b->type->attrs[i].name;
        const struct schema_attr *attr = schema_block_attr(b, name);
        v[i] = attr ? read_typed(a, attr->value_type, json_get_str(j, name))
                    : read_nested(a, schema_block_block(b, name), json_get_str(j, name));
    }
    return value_object(a, b->type, v);
}

const struct value *testing_value(struct arena *a, const struct schema_block *schema, const char *text)
{
    return read_block(a, schema, parse(a, str_of(text)));
}

const struct value *case_value(struct table_case *c, const char *name)
{
    return read_block(c->arena, c->schema, json_get(c->row, name));
}

const char *agree_value(struct table_case *c, const struct value *got, const char *name)
{
    const struct value *want = case_value(c, name);
    if (value_raw_eq(got, want))
        return NULL;
    struct str got_text = go_text(c->arena, got, NULL), want_text = go_text(c->arena, want, NULL);
    return arena_printf(c->arena, "got  " STR_FMT "\n    want " STR_FMT, STR_ARG(got_text), STR_ARG(want_text)).p;
}

/* Paths */

struct path testing_path(struct arena *a, const struct json *steps)
{
    struct path path = PATH_ROOT;
    for (size_t i = 0; i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        if (step->kind == JSON_STRING)
            path = path_attr(a, path, step->text);
        else if (step->kind == JSON_OBJECT)
            path = path_element(a, path, NULL);
        else if (step->array.items[0]->kind == JSON_STRING)
            path = path_key(a, path, step->array.items[0]->text);
        else
            path = path_index(a, path, json_int(step->array.items[0], -1));
    }
    return path;
}

struct change_paths case_paths(struct table_case *c, const char *name)
{
    const struct json *list = json_get(c->row, name);
    size_t n = list ? list->array.n : 0;
    struct path *paths = arena_make_n(c->arena, struct path, n);
    for (size_t i = 0; i < n; i++)
        paths[i] = testing_path(c->arena, list->array.items[i]);
    return (struct change_paths){paths, n};
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The lines sorted and joined, so that two lists can be compared whatever their order. */
static struct str lines_of(struct arena *a, struct str *lines, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TABLE);
    if (n > 0)
        qsort(lines, n, sizeof *lines, by_text);
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "\n        " STR_FMT, STR_ARG(lines[i]));
    return buf_copy(&out, a);
}

const char *agree_lines(struct arena *a, struct str *got, size_t n_got, struct str *want, size_t n_want)
{
    struct str got_lines = lines_of(a, got, n_got), want_lines = lines_of(a, want, n_want);
    if (str_eq(got_lines, want_lines))
        return NULL;
    return arena_printf(a, "got" STR_FMT "\n    want" STR_FMT, STR_ARG(got_lines), STR_ARG(want_lines)).p;
}

const char *agree_paths(struct table_case *c, struct change_paths got, const char *name)
{
    struct change_paths want = case_paths(c, name);
    struct str *got_lines = arena_make_n(c->arena, struct str, got.n), *want_lines = arena_make_n(c->arena, struct str, want.n);
    for (size_t i = 0; i < got.n; i++)
        got_lines[i] = change_path_go_text(c->arena, got.v[i]);
    for (size_t i = 0; i < want.n; i++)
        want_lines[i] = change_path_go_text(c->arena, want.v[i]);
    return agree_lines(c->arena, got_lines, got.n, want_lines, want.n);
}

const char *agree_issues(struct table_case *c, const struct change_issues *got, const char *name)
{
    const struct json *list = json_get(c->row, name);
    struct str *got_lines = arena_make_n(c->arena, struct str, got->n);
    struct str *want_lines = arena_make_n(c->arena, struct str, list->array.n);
    for (size_t i = 0; i < got->n; i++)
        got_lines[i] = change_issue_text(c->arena, change_path_go_text(c->arena, got->v[i].path), &got->v[i]);
    for (size_t i = 0; i < list->array.n; i++) {
        const struct json *issue = list->array.items[i];
        struct change_issue want = {.path = testing_path(c->arena, json_get(issue, "path")),
                                    .text = json_text(json_get(issue, "text"), STR_EMPTY)};
        want_lines[i] = change_issue_text(c->arena, change_path_go_text(c->arena, want.path), &want);
    }
    return agree_lines(c->arena, got_lines, got->n, want_lines, list->array.n);
}

/* Diagnostics */

static struct str line_of(struct arena *a, bool warning, struct str summary, struct str detail, struct str path)
{
    return arena_printf(a, "%s" STR_FMT " | " STR_FMT " | " STR_FMT, warning ? "warning " : "", STR_ARG(path), STR_ARG(summary),
                        STR_ARG(detail));
}

static struct str steps_text(struct arena *a, const struct json *steps)
{
    struct str out = STR_EMPTY;
    for (size_t i = 0; steps && i < steps->array.n; i++)
        out = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(out), STR_ARG(steps->array.items[i]->text));
    return out;
}

static struct str path_steps_text(struct arena *a, struct path path)
{
    struct str out = STR_EMPTY;
    for (size_t i = 0; i < path.n; i++) {
        const struct path_step *step = &path.steps[i];
        struct str name = step->kind == PATH_INDEX ? arena_printf(a, "%lld", (long long)step->index) : step->name;
        out = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(out), STR_ARG(name));
    }
    return out;
}

/* Core reports where something else was defined by file and line, which is removed here. */
static struct str without_position(struct str detail)
{
    struct str mark = STR(" at ");
    for (size_t i = 0; i + mark.n <= detail.n; i++)
        if (str_eq(str_slice(detail, i, i + mark.n), mark))
            return str_slice(detail, 0, i);
    return detail;
}

static struct str want_line(struct arena *a, const struct json *d)
{
    return line_of(a, json_get(d, "severity"), json_text(json_get(d, "summary"), STR_EMPTY),
                   without_position(json_text(json_get(d, "detail"), STR_EMPTY)), steps_text(a, json_get(d, "path")));
}

const char *agree_diagnostics(struct table_case *c, const struct diags *got)
{
    const struct json *want = json_get(c->row, "diagnostics");
    size_t n_want = want ? want->array.n : 0;
    struct str *got_lines = arena_make_n(c->arena, struct str, got->n);
    struct str *want_lines = arena_make_n(c->arena, struct str, n_want);
    for (size_t i = 0; i < got->n; i++)
        got_lines[i] = line_of(c->arena, got->v[i].severity == DIAG_WARNING, got->v[i].summary,
                               without_position(got->v[i].detail), path_steps_text(c->arena, got->v[i].path));
    for (size_t i = 0; i < n_want; i++)
        want_lines[i] = want_line(c->arena, want->array.items[i]);
    return agree_lines(c->arena, got_lines, got->n, want_lines, n_want);
}

/* Running */

void run_rule(const char *file, const char *rule, check_case_fn *check)
{
    struct arena *table ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, table);
    struct str rest = STR_EMPTY;
    if (!file_read(table, arena_printf(table, "%s%s", TABLE_FOLDER, file).p, MAX_TABLE, &diags, &rest))
        fail_msg("%s", testing_said(&diags));
    size_t line = 0, checked = 0, failed = 0;
    while (rest.n > 0) {
        struct str text = str_cut(&rest, '\n');
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct json *row = parse(a, text);
        line++;
        if (!str_eqz(json_text(json_get(row, "rule"), STR_EMPTY), rule))
            continue;
        struct table_case c = {a, row, testing_schema(a, json_line(a, json_get(row, "schema")).p)};
        const char *problem = check(&c);
        checked++;
        if (problem && ++failed < 20)
            print_error("%s line %zu: %s\n    " STR_FMT "\n", file, line, problem, STR_ARG(text));
    }
    assert_true(checked > 0);
    assert_int_equal(failed, 0);
}
