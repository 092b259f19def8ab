#include "schema/schema.h"

#include "schema/schema_build.h"
#include "schema/testing_schema.h"

/* Checks the type, as type JSON, that the builder computes for a block written as JSON. */
static void assert_block_type(const char *block, const char *type)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(type_to_json(a, testing_block(a, block)->type).p, type);
}

#define X "{\"attributes\":{\"z\":{\"type\":\"string\",\"optional\":true}}}"
#define D "{\"attributes\":{\"z\":{\"type\":\"dynamic\",\"optional\":true}}}"
#define BLOCK(mode, block) "{\"block_types\":{\"b\":{\"nesting_mode\":\"" mode "\",\"block\":" block "}}}"
#define NESTED(mode)                                                                                                             \
    "{\"attributes\":{\"n\":{\"nested_type\":{\"nesting_mode\":\"" mode "\",\"attributes\":{\"z\":{\"type\":\"bool\"}}}}}}"

static void blocks_have_the_type_of_their_nesting(void **state)
{
    (void)state;
    assert_block_type("{}", "[\"object\",{}]");
    assert_block_type(BLOCK("single", X), "[\"object\",{\"b\":[\"object\",{\"z\":\"string\"}]}]");
    assert_block_type(BLOCK("group", X), "[\"object\",{\"b\":[\"object\",{\"z\":\"string\"}]}]");
    assert_block_type(BLOCK("list", X), "[\"object\",{\"b\":[\"list\",[\"object\",{\"z\":\"string\"}]]}]");
    assert_block_type(BLOCK("set", X), "[\"object\",{\"b\":[\"set\",[\"object\",{\"z\":\"string\"}]]}]");
    assert_block_type(BLOCK("map", X), "[\"object\",{\"b\":[\"map\",[\"object\",{\"z\":\"string\"}]]}]");
}

static void a_list_or_map_of_blocks_with_dynamic_inside_is_dynamic(void **state)
{
    (void)state;
    assert_block_type(BLOCK("list", D), "[\"object\",{\"b\":\"dynamic\"}]");
    assert_block_type(BLOCK("map", D), "[\"object\",{\"b\":\"dynamic\"}]");
    assert_block_type(BLOCK("list", BLOCK("single", D)), "[\"object\",{\"b\":\"dynamic\"}]");
    assert_block_type(BLOCK("single", D), "[\"object\",{\"b\":[\"object\",{\"z\":\"dynamic\"}]}]");
    assert_block_type(BLOCK("group", D), "[\"object\",{\"b\":[\"object\",{\"z\":\"dynamic\"}]}]");
    assert_block_type(BLOCK("single", BLOCK("list", D)), "[\"object\",{\"b\":[\"object\",{\"b\":\"dynamic\"}]}]");
}

static void nested_attributes_have_the_type_of_their_nesting(void **state)
{
    (void)state;
    assert_block_type(NESTED("single"), "[\"object\",{\"n\":[\"object\",{\"z\":\"bool\"}]}]");
    assert_block_type(NESTED("list"), "[\"object\",{\"n\":[\"list\",[\"object\",{\"z\":\"bool\"}]]}]");
    assert_block_type(NESTED("set"), "[\"object\",{\"n\":[\"set\",[\"object\",{\"z\":\"bool\"}]]}]");
    assert_block_type(NESTED("map"), "[\"object\",{\"n\":[\"map\",[\"object\",{\"z\":\"bool\"}]]}]");
}

static void attributes_and_blocks_are_merged_by_name(void **state)
{
    (void)state;
    assert_block_type(
        "{\"attributes\":{\"a\":{\"type\":\"string\"},\"c\":{\"type\":\"number\"}},"
        "\"block_types\":{\"b\":{\"nesting_mode\":\"group\",\"block\":{}},\"d\":{\"nesting_mode\":\"group\",\"block\":{}}}}",
        "[\"object\",{\"a\":\"string\",\"b\":[\"object\",{}],\"c\":\"number\",\"d\":[\"object\",{}]}]");
}

static void broken_schemas_have_a_type_too(void **state)
{
    (void)state;
    assert_block_type("{\"attributes\":{\"a\":{}}}", "[\"object\",{\"a\":\"dynamic\"}]");
    assert_block_type(BLOCK("invalid", X), "[\"object\",{\"b\":[\"object\",{\"z\":\"string\"}]}]");
    assert_block_type(
        "{\"attributes\":{\"b\":{\"type\":\"bool\"}},\"block_types\":{\"b\":{\"nesting_mode\":\"list\",\"block\":{}}}}",
        "[\"object\",{\"b\":\"bool\"}]");
}

static void values_have_no_optional_marks_but_the_attribute_keeps_them(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *type = "[\"list\",[\"object\",{\"p\":[\"object\",{\"q\":\"bool\"},[\"q\"]]},[\"p\"]]]";
    const struct schema_block *b =
        testing_block(a, arena_printf(a, "{\"attributes\":{\"a\":{\"type\":%s,\"optional\":true}}}", type).p);
    const struct schema_attr *attr = schema_block_attr(b, STR("a"));
    assert_string_equal(type_to_json(a, attr->type).p, type);
    assert_string_equal(type_to_json(a, attr->value_type).p, "[\"list\",[\"object\",{\"p\":[\"object\",{\"q\":\"bool\"}]}]]");
    assert_string_equal(type_to_json(a, b->type).p,
                        "[\"object\",{\"a\":[\"list\",[\"object\",{\"p\":[\"object\",{\"q\":\"bool\"}]}]]}]");
}

static void names_are_found_and_others_are_not(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *b =
        testing_block(a, "{\"attributes\":{\"bb\":{\"type\":\"bool\"},\"a\":{\"type\":\"bool\"},\"c\":{\"nested_type\":"
                         "{\"nesting_mode\":\"single\",\"attributes\":{\"in\":{\"type\":\"bool\"}}}}},"
                         "\"block_types\":{\"x\":{\"nesting_mode\":\"list\",\"block\":{}}}}");
    assert_int_equal(b->n_attrs, 3);
    for (size_t i = 0; i < b->n_attrs; i++)
        assert_ptr_equal(schema_block_attr(b, b->attrs[i].name), &b->attrs[i]);
    assert_true(str_eqz(b->attrs[0].name, "a") && str_eqz(b->attrs[2].name, "c"));
    assert_null(schema_block_attr(b, STR("")));
    assert_null(schema_block_attr(b, STR("aa")));
    assert_null(schema_block_attr(b, STR("x")));
    assert_ptr_equal(schema_block_block(b, STR("x")), &b->blocks[0]);
    assert_null(schema_block_block(b, STR("a")));
    assert_non_null(schema_object_attr(b->attrs[2].nested, STR("in")));
    assert_null(schema_object_attr(b->attrs[2].nested, STR("out")));
}

static void an_empty_block_has_empty_collections_and_null_attributes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *b = testing_block(
        a, "{\"attributes\":{\"a\":{\"type\":\"string\"},\"n\":{\"nested_type\":{\"nesting_mode\":\"list\",\"attributes\":{}}}},"
           "\"block_types\":{\"single\":{\"nesting_mode\":\"single\",\"block\":" X
           "},\"group\":{\"nesting_mode\":\"group\",\"block\":" X "},"
           "\"list\":{\"nesting_mode\":\"list\",\"block\":" X "},\"set\":{\"nesting_mode\":\"set\",\"block\":" X "},"
           "\"map\":{\"nesting_mode\":\"map\",\"block\":" X "},\"tuple\":{\"nesting_mode\":\"list\",\"block\":" D "},"
           "\"object\":{\"nesting_mode\":\"map\",\"block\":" D "}}}");
    const struct value *v = schema_empty_value(a, b);
    assert_int_equal(v->state, VALUE_KNOWN);
    assert_true(type_conforms(v->type, b->type));
    const struct value *attr = value_get(v, STR("a")), *nested = value_get(v, STR("n"));
    assert_true(value_is_null(attr) && attr->type->kind == TYPE_STRING);
    assert_true(value_is_null(nested) && nested->type->kind == TYPE_LIST);
    assert_true(value_is_null(value_get(v, STR("single"))));
    const struct value *group = value_get(v, STR("group"));
    assert_int_equal(group->state, VALUE_KNOWN);
    assert_true(value_is_null(value_get(group, STR("z"))));
    static const struct {
        const char *name;
        enum type_kind kind;
    } empty[] = {{"list", TYPE_LIST}, {"set", TYPE_SET}, {"map", TYPE_MAP}, {"tuple", TYPE_TUPLE}, {"object", TYPE_OBJECT}};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        const struct value *x = value_get(v, str_of(empty[i].name));
        assert_int_equal(x->state, VALUE_KNOWN);
        assert_int_equal(x->type->kind, empty[i].kind);
        assert_int_equal(x->n, 0);
    }
}

static void equal_parts_are_one(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *b = testing_block(
        a, "{\"attributes\":{\"a\":{\"type\":[\"list\",\"string\"],\"description\":\"same words\"},"
           "\"b\":{\"type\":[\"list\",\"string\"],\"description\":\"same words\"}},"
           "\"block_types\":{\"x\":{\"nesting_mode\":\"list\",\"block\":" X "},\"y\":{\"nesting_mode\":\"set\",\"block\":" X "},"
           "\"z\":{\"nesting_mode\":\"list\",\"block\":{\"deprecated\":true,\"attributes\":{\"z\":{\"type\":\"string\","
           "\"optional\":true}}}}}}");
    assert_ptr_equal(b->attrs[0].type, b->attrs[1].type);
    assert_ptr_equal(b->attrs[0].description.p, b->attrs[1].description.p);
    assert_ptr_equal(b->blocks[0].block, b->blocks[1].block);
    assert_ptr_not_equal(b->blocks[0].block, b->blocks[2].block);
    assert_ptr_equal(b->blocks[0].block->attrs, b->blocks[2].block->attrs);
    assert_ptr_equal(b->blocks[0].block->type, b->blocks[2].block->type);
    assert_ptr_equal(b->attrs[0].value_type, b->attrs[0].type);
}

static void of_duplicate_names_the_last_one_counts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct schema_builder *builder = schema_builder_new(a);
    struct schema_attr attrs[] = {
        {.name = STR("b"), .type = &type_string},
        {.name = STR("a"), .type = &type_string, .computed = true},
        {.name = STR("b"), .type = &type_bool, .optional = true},
        {.name = STR("a"), .type = &type_number, .required = true},
    };
    struct schema_block draft = {.attrs = attrs, .n_attrs = 4};
    const struct schema *s = schema_build(builder, 3, &draft, STR("test"), &diags);
    testing_no_errors(&diags);
    assert_int_equal(s->version, 3);
    assert_int_equal(s->block->n_attrs, 2);
    assert_true(str_eqz(s->block->attrs[0].name, "a") && s->block->attrs[0].required && !s->block->attrs[0].computed);
    assert_ptr_equal(s->block->attrs[1].type, &type_bool);
    assert_string_equal(type_to_json(a, s->type).p, "[\"object\",{\"a\":\"number\",\"b\":\"bool\"}]");
    schema_builder_end(builder);
}

static void nothing_of_a_draft_is_kept(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct schema_builder *builder = schema_builder_new(a);
    char name[] = "name", type[] = "[\"set\",\"number\"]", words[] = "words";
    struct schema_attr attr = {.name = {name, 4}, .description = {words, 5}};
    attr.type = schema_build_type(builder, str_of(type), &diags);
    const struct schema *s = schema_build(builder, 0, &(struct schema_block){.attrs = &attr, .n_attrs = 1}, STR("test"), &diags);
    const struct type *again = schema_build_type(builder, STR("[\"set\",\"number\"]"), &diags);
    memset(name, 'x', 4);
    memset(words, 'x', 5);
    memset(type, 'x', sizeof type - 1);
    memset(&attr, 0, sizeof attr);
    schema_builder_end(builder);
    testing_no_errors(&diags);
    assert_true(str_eqz(s->block->attrs[0].name, "name") && str_eqz(s->block->attrs[0].description, "words"));
    assert_ptr_equal(s->block->attrs[0].type, again);
    assert_string_equal(type_to_json(a, again).p, "[\"set\",\"number\"]");
}

static void final_parts_may_be_used_in_drafts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct schema_builder *builder = schema_builder_new(a);
    struct schema_attr attr = {.name = STR("a"), .type = &type_string, .optional = true};
    const struct schema_block *inner = schema_build_block(builder, &(struct schema_block){.attrs = &attr, .n_attrs = 1});
    struct schema_nested_block nested = {.name = STR("b"), .nesting = NESTING_LIST, .block = inner};
    struct schema_block draft = {.blocks = &nested, .n_blocks = 1, .attrs = inner->attrs, .n_attrs = inner->n_attrs};
    const struct schema *s = schema_build(builder, 0, &draft, STR("test"), &diags);
    testing_no_errors(&diags);
    assert_ptr_equal(s->block->blocks[0].block, inner);
    assert_ptr_equal(s->block->attrs, inner->attrs);
    assert_int_equal(s->block->levels, 2);
    schema_builder_end(builder);
}

/* The builder must count the depth both of nested drafts and of final parts in a draft. */
static const struct schema *build_deep(struct schema_builder *builder, struct arena *a, int levels, bool final,
                                       struct diags *diags)
{
    const struct schema_block *block = arena_make(a, struct schema_block);
    for (int i = 1; i < levels; i++) {
        struct schema_nested_block *nested = arena_make(a, struct schema_nested_block);
        *nested = (struct schema_nested_block){.name = STR("b"), .nesting = NESTING_LIST, .block = block};
        struct schema_block *outer = arena_make(a, struct schema_block);
        *outer = (struct schema_block){.blocks = nested, .n_blocks = 1};
        block = final ? schema_build_block(builder, outer) : outer;
    }
    return schema_build(builder, 0, block, STR("\"deep\""), diags);
}

static void too_many_levels_are_an_error_that_names_the_resource(void **state)
{
    (void)state;
    for (int final = 0; final < 2; final++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        struct schema_builder *builder = schema_builder_new(a);
        const struct schema *s = build_deep(builder, a, SCHEMA_MAX_DEPTH, final, &diags);
        testing_no_errors(&diags);
        assert_int_equal(s->block->levels, SCHEMA_MAX_DEPTH);
        assert_null(build_deep(builder, a, SCHEMA_MAX_DEPTH + 1, final, &diags));
        assert_non_null(strstr(testing_said(&diags), "\"deep\""));
        assert_non_null(build_deep(builder, a, 2, final, &diags));
        assert_int_equal(diags.n, 1);
        schema_builder_end(builder);
    }
}

static void a_full_arena_is_an_error(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 64 << 10);
    struct arena *own ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, own);
    struct schema_builder *builder = schema_builder_new(a);
    enum { N = 2000 };
    struct schema_attr *attrs = arena_make_n(own, struct schema_attr, N);
    for (size_t i = 0; i < N; i++)
        attrs[i] = (struct schema_attr){.name = arena_printf(own, "name%zu", i), .type = &type_string};
    assert_null(schema_build(builder, 0, &(struct schema_block){.attrs = attrs, .n_attrs = N}, STR("big"), &diags));
    assert_non_null(strstr(testing_said(&diags), "memory limit"));
    schema_builder_end(builder);
}

static void a_new_schema_is_empty_but_whole(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s = schema_builder_end(schema_builder_new(a));
    assert_non_null(s->provider->block);
    assert_int_equal(s->provider->type->n, 0);
    assert_null(s->provider_meta);
    for (enum schema_section i = 0; i < SECTION_COUNT; i++)
        assert_int_equal(provider_schema_section(s, i)->n, 0);
    assert_int_equal(schema_empty_value(a, s->provider->block)->n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_type_of_their_nesting),
        cmocka_unit_test(a_list_or_map_of_blocks_with_dynamic_inside_is_dynamic),
        cmocka_unit_test(nested_attributes_have_the_type_of_their_nesting),
        cmocka_unit_test(attributes_and_blocks_are_merged_by_name),
        cmocka_unit_test(broken_schemas_have_a_type_too),
        cmocka_unit_test(values_have_no_optional_marks_but_the_attribute_keeps_them),
        cmocka_unit_test(names_are_found_and_others_are_not),
        cmocka_unit_test(an_empty_block_has_empty_collections_and_null_attributes),
        cmocka_unit_test(equal_parts_are_one),
        cmocka_unit_test(of_duplicate_names_the_last_one_counts),
        cmocka_unit_test(nothing_of_a_draft_is_kept),
        cmocka_unit_test(final_parts_may_be_used_in_drafts),
        cmocka_unit_test(too_many_levels_are_an_error_that_names_the_resource),
        cmocka_unit_test(a_full_arena_is_an_error),
        cmocka_unit_test(a_new_schema_is_empty_but_whole),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
