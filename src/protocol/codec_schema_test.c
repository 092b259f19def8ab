#include "protocol/proto_wire.h"
#include "protocol/schema_bytes.h"
#include "protocol/testing_codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX_BYTES = 4 << 20 };

struct fixture {
    struct arena *arena;
    struct diags diags;
    struct buf schema, identities;
};

static void begin(struct fixture *f)
{
    f->arena = arena_new(NULL, 0);
    diags_init(&f->diags, f->arena);
    f->schema = f->identities = BUF_INIT(MAX_BYTES);
}

static void end(struct fixture *f)
{
    buf_free(&f->schema);
    buf_free(&f->identities);
    arena_free(f->arena);
}

static const struct provider_schema *decode(struct fixture *f, int protocol)
{
    return codec_for(protocol)->decode_schema(f->arena, buf_str(&f->schema), buf_str(&f->identities), STR("test"), &f->diags);
}

static void must_say(const struct fixture *f, const char *detail)
{
    if (f->diags.n != 1 || !str_eqz(f->diags.v[0].detail, detail))
        fail_msg("expected: %s\nfound: %s", detail, f->diags.n > 0 ? f->diags.v[0].detail.p : "(nothing)");
}

static void every_feature_survives_the_wire(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct fixture f;
        begin(&f);
        const struct provider_schema *schema = testing_schema(f.arena, protocol);
        assert_true(codec_for(protocol)->encode_schema(&f.schema, schema, &f.diags));
        assert_true(codec_for(protocol)->encode_identities(&f.identities, schema, &f.diags));
        const struct provider_schema *decoded = decode(&f, protocol);
        assert_non_null(decoded);
        assert_string_equal(testing_schema_text(f.arena, decoded).p, testing_schema_text(f.arena, schema).p);
        end(&f);
    }
}

/* GetFunctions.Response.functions = 1 holds what GetProviderSchema.Response.functions = 7 does. */
static void functions_alone_are_those_of_the_schema(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct provider_schema *schema = testing_schema(f.arena, 6);
    assert_true(codec6.encode_functions(&f.identities, schema, &f.diags));
    struct str rest = buf_str(&f.identities);
    struct proto_field field;
    assert_true(proto_next(&rest, &field));
    assert_int_equal(field.number, 1);
    proto_add_bytes(&f.schema, 7, field.bytes);
    assert_false(proto_next(&rest, &field));
    buf_clear(&f.identities);
    const struct provider_schema *decoded = decode(&f, 6);
    assert_non_null(map_get(&decoded->functions, STR("join_all")));
    end(&f);
}

static void schema_bytes_are_decoded_without_a_provider(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct provider_schema *schema = testing_schema(f.arena, 5);
    assert_true(codec5.encode_schema(&f.schema, schema, &f.diags));
    struct schema_bytes bytes = {.protocol = 5, .schema = buf_str(&f.schema), .identities = STR_EMPTY};
    const struct provider_schema *decoded = schema_bytes_decode(f.arena, &bytes, &f.diags);
    assert_non_null(decoded);
    assert_int_equal(decoded->identities.n, 0);
    assert_int_equal(decoded->resources.n, 3);
    bytes.protocol = 4;
    assert_null(schema_bytes_decode(f.arena, &bytes, &f.diags));
    assert_int_equal(f.diags.n_errors, 1);
    end(&f);
}

static void equal_blocks_are_one(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_true(codec6.encode_schema(&f.schema, testing_schema(f.arena, 6), &f.diags));
    const struct provider_schema *s = decode(&f, 6);
    const struct schema *thing = map_get(&s->resources, STR("test_thing"));
    const struct schema_nested_block *disk = schema_block_block(thing->block, STR("disk"));
    const struct schema_nested_block *rule = schema_block_block(thing->block, STR("rule"));
    assert_ptr_equal(disk->block, schema_block_block(thing->block, STR("label"))->block);
    assert_ptr_equal(disk->block, schema_block_block(rule->block, STR("deeper"))->block);
    end(&f);
}

/* Attribute numbers 10 to 12 mean different things in protocol 5 and 6. */
static void write_only_is_10_in_protocol_5_and_11_in_6(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct fixture f;
        begin(&f);
        struct buf attr BUF_AUTO = BUF_INIT(MAX_BYTES), block BUF_AUTO = BUF_INIT(MAX_BYTES),
                        outer BUF_AUTO = BUF_INIT(MAX_BYTES);
        proto_add_bytes(&attr, 1, STR("a"));
        proto_add_bytes(&attr, 2, STR("\"string\""));
        buf_add(&attr, protocol == 5 ? (struct str){"\x50\x01\x5a\x02No", 6} : (struct str){"\x58\x01\x62\x02No", 6});
        proto_add_bytes(&block, 2, buf_str(&attr));
        proto_add_bytes(&outer, 2, buf_str(&block));
        proto_add_bytes(&f.schema, 1, buf_str(&outer));
        const struct provider_schema *s = decode(&f, protocol);
        assert_non_null(s);
        assert_true(s->provider->block->attrs[0].write_only);
        assert_true(str_eqz(s->provider->block->attrs[0].deprecation_message, "No"));
        end(&f);
    }
}

static void an_empty_answer_is_a_provider_with_nothing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct provider_schema *s = decode(&f, 6);
    assert_non_null(s);
    assert_non_null(s->provider);
    assert_null(s->provider_meta);
    assert_int_equal(s->resources.n, 0);
    end(&f);
}

static void the_providers_error_is_the_reason_for_no_schema(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    proto_add_bytes(&f.schema, 4, (struct str){"\x08\x02\x12\x04warn", 8});
    assert_non_null(decode(&f, 6));
    assert_int_equal(f.diags.n, 1);
    proto_add_bytes(&f.schema, 4, (struct str){"\x08\x01\x12\x04oops", 8});
    assert_null(decode(&f, 6));
    assert_true(str_eqz(f.diags.v[2].summary, "oops"));
    end(&f);
}

static void add_resource(struct fixture *f, const char *type_json)
{
    struct buf attr BUF_AUTO = BUF_INIT(MAX_BYTES), block BUF_AUTO = BUF_INIT(MAX_BYTES), schema BUF_AUTO = BUF_INIT(MAX_BYTES),
                    entry BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&attr, 1, STR("size"));
    proto_add_bytes(&attr, 2, str_of(type_json));
    proto_add_bytes(&block, 2, buf_str(&attr));
    proto_add_bytes(&schema, 2, buf_str(&block));
    proto_add_bytes(&entry, 1, STR("x_thing"));
    proto_add_bytes(&entry, 2, buf_str(&schema));
    proto_add_bytes(&f->schema, 2, buf_str(&entry));
}

static void a_type_that_is_none_names_resource_and_attribute(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_resource(&f, "\"strong\"");
    assert_null(decode(&f, 5));
    assert_int_equal(f.diags.n, 1);
    assert_true(
        str_starts(f.diags.v[0].detail, STR("provider \"test\" answered with a schema that cannot be read: x_thing: the type of "
                                            "\"size\": ")));
    end(&f);
}

static void damage_is_reported_wherever_it_is(void **state)
{
    (void)state;
    static const struct str damaged[] = {
        {"\x0a", 1},                         /* the outer message */
        {"\x12\x01\x0a", 3},                 /* an entry */
        {"\x12\x05\x0a\x00\x12\x01\x12", 7}, /* a schema in an entry */
        {"\x0a\x03\x12\x01\x1a", 5},         /* a block */
        {"\x0a\x05\x12\x03\x1a\x01\x12", 7}, /* a nested block */
        {"\x0a\x05\x12\x03\x12\x01\x0a", 7}, /* an attribute */
        {"\x3a\x05\x0a\x00\x12\x01\x0a", 7}, /* a function */
        {"\x5a\x05\x0a\x00\x12\x01\x0a", 7}, /* an action */
        {"\x32\x01\x08", 3},                 /* the capabilities */
        {"\x22\x01\x08", 3},                 /* a diagnostic */
    };
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        for (int protocol = 5; protocol <= 6; protocol++) {
            struct fixture f;
            begin(&f);
            buf_add(&f.schema, damaged[i]);
            if (decode(&f, protocol))
                fail_msg("case %zu was accepted", i);
            assert_int_equal(f.diags.n_errors, 1);
            assert_true(str_eqz(f.diags.v[0].summary, "Invalid answer from provider"));
            end(&f);
        }
    }
}

static void what_protocol_5_cannot_express_is_refused_not_dropped(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct provider_schema schema = *testing_schema(f.arena, 6);
    struct map none;
    map_init(&none, f.arena);
    assert_false(codec5.encode_schema(&f.schema, &schema, &f.diags));
    must_say(&f, "the provider has a state store, which protocol 5 cannot express. Serve it as protocol 6.");
    schema.state_stores = none;
    diags_init(&f.diags, f.arena);
    assert_false(codec5.encode_schema(&f.schema, &schema, &f.diags));
    must_say(&f, "test_thing has nested attributes, which protocol 5 cannot express. Serve it as protocol 6.");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_feature_survives_the_wire),
        cmocka_unit_test(functions_alone_are_those_of_the_schema),
        cmocka_unit_test(schema_bytes_are_decoded_without_a_provider),
        cmocka_unit_test(equal_blocks_are_one),
        cmocka_unit_test(write_only_is_10_in_protocol_5_and_11_in_6),
        cmocka_unit_test(an_empty_answer_is_a_provider_with_nothing),
        cmocka_unit_test(the_providers_error_is_the_reason_for_no_schema),
        cmocka_unit_test(a_type_that_is_none_names_resource_and_attribute),
        cmocka_unit_test(damage_is_reported_wherever_it_is),
        cmocka_unit_test(what_protocol_5_cannot_express_is_refused_not_dropped),
    };
    return cmocka_run_group_tests_name("codec_schema", tests, NULL, NULL);
}
