/* The first candidate, and the operations that the search uses. */
#include "import/configure.h"
#include "schema/testing_schema.h"
#include "value/json_value.h"

#define BLOCK                                                                                                                    \
    "{\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true,\"computed\":true},\"arn\":{\"type\":\"string\","            \
    "\"computed\":true},\"name\":{\"type\":\"string\",\"required\":true},\"note\":{\"type\":\"string\",\"optional\":true},"      \
    "\"old\":{\"type\":\"string\",\"optional\":true,\"deprecated\":true},\"size\":{\"type\":\"number\",\"optional\":true},"      \
    "\"key_wo\":{\"type\":\"string\",\"required\":true,\"write_only\":true},"                                                    \
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true},\"tags_all\":{\"type\":[\"map\",\"string\"],"                    \
    "\"optional\":true,\"computed\":true},\"nest\":{\"nested_type\":{\"nesting_mode\":\"list\",\"attributes\":{\"in\":"          \
    "{\"type\":\"string\",\"optional\":true},\"out\":{\"type\":\"string\",\"computed\":true}}},\"optional\":true}},"             \
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"port\":{\"type\":\"number\","             \
    "\"optional\":true},\"rid\":{\"type\":\"string\",\"computed\":true}}}},\"timeouts\":{\"nesting_mode\":\"single\","           \
    "\"block\":{\"attributes\":{\"create\":{\"type\":\"string\",\"optional\":true}}}}}}"

static const struct value *value_of(struct arena *a, const struct type *type, const char *json)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = value_from_json(a, testing_jsonz(a, json), type, PATH_ROOT, &diags);
    testing_no_errors(&diags);
    return v;
}

static void is_like(struct arena *a, const struct value *v, const char *expected)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &out};
    assert_true(value_write_json(&w, v, v->type, &diags) && json_finish(&w));
    if (!value_raw_eq(v, value_of(a, v->type, expected)))
        fail_msg(STR_FMT, STR_ARG(buf_str(&out)));
}

#define STATE                                                                                                                    \
    "{\"id\":\"i\",\"arn\":\"a\",\"name\":\"\",\"note\":\"\",\"old\":\"o\",\"size\":0,\"tags\":{\"a\":\"\"},"                    \
    "\"tags_all\":{\"a\":\"\"},\"nest\":[{\"in\":\"\",\"out\":\"x\"}],\"rule\":[{\"port\":1,\"rid\":\"r\"}],"                    \
    "\"timeouts\":{\"create\":\"1s\"}}"

static void candidates(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *block = testing_block(a, BLOCK);
    const struct value *v = value_of(a, block->type, STATE);
    is_like(a, import_candidate(a, block, v, false),
            "{\"name\":\"\",\"size\":0,\"key_wo\":\"unknown\",\"tags\":{\"a\":\"\"},\"nest\":[{}],\"rule\":[{\"port\":1}]}");
    is_like(a, import_candidate(a, block, v, true),
            "{\"name\":\"\",\"note\":\"\",\"old\":\"o\",\"size\":0,\"key_wo\":\"unknown\",\"tags\":{\"a\":\"\"},"
            "\"nest\":[{\"in\":\"\"}],\"rule\":[{\"port\":1}]}");
}

#define SECRET_BLOCK                                                                                                             \
    "{\"block_types\":{\"auth\":{\"nesting_mode\":\"list\",\"block\":{\"block_types\":{\"key\":{\"nesting_mode\":\"list\","      \
    "\"block\":{\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true},\"value\":{\"type\":\"string\",\"required\":"   \
    "true,"                                                                                                                      \
    "\"sensitive\":true}}}}}}}}}"

/* A password that is required is made up however deep it stands; without the block around it there is none. */
static void secrets_inside(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *block = testing_block(a, SECRET_BLOCK);
    const struct schema_nested_block *auth = &block->blocks[0];
    const struct value *v = value_of(a, block->type, "{\"auth\":[{\"key\":[{\"name\":\"k\"}]}]}");
    is_like(a, import_filled(a, auth, v->elements[0]), "[{\"key\":[{\"name\":\"k\",\"value\":\"Unknown-Secret-0\"}]}]");
    v = value_of(a, block->type, "{\"auth\":[{\"key\":[]}]}");
    assert_ptr_equal(import_filled(a, auth, v->elements[0]), v->elements[0]);
}

static void differences(void **state)
{
    (void)state;
    static const char *const table[][3] = {
        {"{}", "{}", ""},
        {"{\"name\":\"a\"}", "{\"name\":\"b\"}", "name "},
        {"{\"tags\":{\"a\":\"1\",\"b\":\"1\"}}", "{\"tags\":{\"b\":\"2\",\"c\":\"1\"}}", "tags[\"a\"] tags[\"b\"] tags[\"c\"] "},
        {"{\"tags\":{\"a\":\"1\"}}", "{\"tags\":{}}", "tags "},
        {"{\"tags\":{}}", "{\"tags\":null}", "tags "},
        {"{\"rule\":[{\"port\":1},{\"port\":2}]}", "{\"rule\":[{\"port\":1},{\"port\":3}]}", "rule[1].port "},
        {"{\"rule\":[{\"port\":1}]}", "{\"rule\":[]}", "rule "},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *block = testing_block(a, BLOCK);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct buf out BUF_AUTO = BUF_INIT(1 << 20);
        struct change_paths paths =
            import_differences(a, value_of(a, block->type, table[i][0]), value_of(a, block->type, table[i][1]));
        for (size_t k = 0; k < paths.n; k++) {
            path_write(&out, paths.v[k]);
            buf_addc(&out, ' ');
        }
        testing_text(buf_str(&out), table[i][2]);
    }
}

static void parts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *block = testing_block(a, BLOCK);
    const struct value *v = value_of(a, block->type, "{\"rule\":[{\"port\":1},{\"port\":2}]}");
    struct path port = path_attr(a, path_index(a, path_attr(a, PATH_ROOT, STR("rule")), 1), STR("port"));
    is_like(a, import_with(a, v, port, value_int(a, 9)), "{\"rule\":[{\"port\":1},{\"port\":9}]}");
    is_like(a, import_with(a, v, path_attr(a, PATH_ROOT, STR("gone")), value_int(a, 9)),
            "{\"rule\":[{\"port\":1},{\"port\":2}]}");
    static const char *const zeros[] = {"{\"rule\":[]}", "{\"name\":\"\"}", "{\"size\":0}"};
    for (size_t i = 0; i < 3; i++) {
        const struct value *z = value_of(a, block->type, zeros[i]);
        assert_true(import_is_zero(value_get(z, STR("rule"))) && import_is_zero(value_get(z, STR("name"))) &&
                    import_is_zero(value_get(z, STR("size"))));
    }
    assert_false(import_is_zero(value_get(v, STR("rule"))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates),
        cmocka_unit_test(secrets_inside),
        cmocka_unit_test(differences),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
