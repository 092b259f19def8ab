#include "value/msgpack.h"

#include "base/testing.h"
#include "table_test.h"
#include "value/json_value.h"
#include "value/testing_random.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_BYTES = 16 << 20 };

static struct str encode(struct arena *a, const struct value *v, const struct type *t)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(MAX_BYTES);
    assert_true(msgpack_encode(&out, v, t, &diags));
    return buf_copy(&out, a);
}

static const struct value *decode(struct arena *a, struct str bytes, const struct type *t, struct diags *diags)
{
    diags_init(diags, a);
    /* In memory of its own, so that a sanitizer detects reads past the end. */
    char *copy = malloc(bytes.n > 0 ? bytes.n : 1);
    assert_non_null(copy);
    if (bytes.n > 0)
        memcpy(copy, bytes.p, bytes.n);
    const struct value *v = msgpack_decode(a, (struct str){copy, bytes.n}, t, diags);
    free(copy);
    assert_int_equal(v == NULL, diags_has_errors(diags));
    return v;
}

static const char *check_encode(struct arena *a, const struct json *row)
{
    const struct type *t = notation_type(a, json_get(row, "type"));
    const struct value *v = notation_value(a, json_get(row, "value"));
    struct str hex = notation_hex(a, encode(a, v, t));
    if (!str_eq(hex, json_get(row, "hex")->text))
        return arena_printf(a, "wrong bytes " STR_FMT, STR_ARG(hex)).p;
    struct diags diags;
    const struct value *back = decode(a, notation_unhex(a, hex), t, &diags);
    if (!back)
        return "its bytes are refused";
    /* Not always the same value: a long prefix is cut, and a large integer with a double's precision becomes the integer of its
     * text. */
    const struct json *want = json_get(row, "back");
    return value_raw_eq(back, notation_value(a, want ? want : json_get(row, "value"))) ? NULL : "its bytes are another value";
}

static void values_are_encoded_as_by_terraform(void **state)
{
    (void)state;
    run_table("encode.jsonl", NULL, check_encode);
}

/* Where Terraform's decoder panics or returns a value that does not conform to the type, ours fails. */
static const char *check_decode(struct arena *a, const struct json *row)
{
    struct diags diags;
    const struct type *t = notation_type(a, json_get(row, "type"));
    const struct value *v = decode(a, notation_unhex(a, json_get(row, "hex")->text), t, &diags);
    if (json_get(row, "panic") || json_get(row, "error"))
        return v ? "accepted" : NULL;
    if (!v)
        return arena_printf(a, "refused: " STR_FMT, STR_ARG(diags.v[0].detail)).p;
    return value_raw_eq(v, notation_value(a, json_get(row, "value"))) ? NULL : "another value";
}

static void bytes_are_decoded_as_by_terraform(void **state)
{
    (void)state;
    run_table("decode.jsonl", NULL, check_decode);
}

/* The bytes that go-cty writes for such values. */
static void reference_vectors_hold(void **state)
{
    (void)state;
    static const struct {
        const char *type, *value, *hex;
    } cases[] = {
        {"\"number\"", "1", "01"},
        {"\"number\"", "-1", "ff"},
        {"\"number\"", "-33", "d0df"},
        {"\"number\"", "128", "cc80"},
        {"\"number\"", "1.5", "cb3ff8000000000000"},
        {"\"number\"", "0.1", "a3302e31"},
        {"\"number\"", "{\"$double\":\"0.1\"}", "cb3fb999999999999a"},
        {"\"number\"", "9223372036854775807", "cf7fffffffffffffff"},
        {"\"number\"", "9223372036854775808", "b339323233333732303336383534373735383038"},
        {"[\"object\",{\"id\":\"string\",\"l\":[\"list\",\"bool\"],\"n\":\"number\"}]",
         "{\"id\":{\"$unknown\":\"string\"},\"l\":{\"$list\":\"bool\",\"of\":[true]},\"n\":1.5}",
         "83a26964d40000a16c91c3a16ecb3ff8000000000000"},
        {"\"dynamic\"", "\"a\"", "92c40822737472696e6722a161"},
        {"\"dynamic\"", "{\"$null\":\"string\"}", "92c40822737472696e6722c0"},
        {"\"dynamic\"", "{\"$unknown\":\"string\"}", "92c40822737472696e6722d40000"},
        {"\"dynamic\"", "null", "c0"},
        {"\"dynamic\"", "{\"$unknown\":\"dynamic\"}", "d40000"},
        {"\"string\"", "{\"$unknown\":\"string\",\"not_null\":true}", "c7030c8101c2"},
        {"[\"set\",\"string\"]", "{\"$set\":\"string\",\"of\":[\"b\",\"a\"]}", "92a161a162"},
        {"[\"set\",\"number\"]", "{\"$set\":\"number\",\"of\":[10,9]}", "92090a"},
        {"[\"map\",\"number\"]", "{\"$map\":\"number\",\"of\":{\"b\":1,\"a\":2}}", "82a16102a16201"},
        {"[\"tuple\",[\"string\",\"number\"]]", "[\"x\",1]", "92a17801"},
        {"[\"list\",\"string\"]", "{\"$list\":\"string\",\"of\":[]}", "90"},
        {"\"string\"", "\"e\xcc\x81\"", "a2c3a9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = type_parse(a, str_of(cases[i].type), &diags);
        const struct value *v = notation_parse(a, cases[i].value);
        assert_string_equal(notation_hex(a, encode(a, v, t)).p, cases[i].hex);
        assert_true(value_raw_eq(decode(a, notation_unhex(a, str_of(cases[i].hex)), t, &diags), v));
    }
    /* Older senders write 2^63 as a float. */
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    const struct value *v = decode(a, STR("\xcb\x43\xe0\0\0\0\0\0\0"), &type_number, &diags);
    assert_true(value_raw_eq(v, notation_parse(a, "9223372036854775808")));
}

static void random_values_come_back(void **state)
{
    (void)state;
    struct random r = {.state = 20261116, .unknowns = true, .dynamics = true, .infinities = true};
    for (int i = 0; i < 2000; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        const struct type *t = random_type(&r, a, 4);
        const struct value *v = random_value(&r, a, t);
        struct str bytes = encode(a, v, t);
        const struct value *back = decode(a, bytes, t, &diags);
        assert_non_null(back);
        struct str again = encode(a, back, t);
        if (!value_raw_eq(v, back) || !str_eq(bytes, again)) {
            print_error(STR_FMT "\n" STR_FMT "\n" STR_FMT "\n", STR_ARG(type_to_json(a, t)), STR_ARG(notation_hex(a, bytes)),
                        STR_ARG(notation_hex(a, again)));
            fail();
        }
        assert_int_equal(v->wholly_known, back->wholly_known);
    }
}

static void every_cut_of_a_value_is_refused(void **state)
{
    (void)state;
    struct random r = {.state = 4711, .unknowns = true, .dynamics = true};
    for (int i = 0; i < 100; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        const struct type *t = random_type(&r, a, 3);
        struct str bytes = encode(a, random_value(&r, a, t), t);
        for (size_t n = 0; n < bytes.n; n++)
            assert_null(decode(a, str_slice(bytes, 0, n), t, &diags));
    }
}

static void bytes_after_the_value_are_ignored(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    assert_int_equal(decode(a, STR("\x07\xff\xff"), &type_number, &diags)->number.i, 7);
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    static const struct {
        struct str bytes;
        const char *text;
    } cases[] = {
        {STR("\xa1\xff"), "\ufffd"},
        {STR("\xa4\x89PNG"), "\ufffdPNG"},
        {STR("\xa5\xe2\x82x\xc3\xa9"), "\ufffd\ufffdx\u00e9"}, /* a cut character: one U+FFFD for each byte */
        {STR("\xa3\xed\xa0\x80"), "\ufffd\ufffd\ufffd"},       /* a surrogate */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct str found = decode(a, cases[i].bytes, &type_string, &diags)->string;
        assert_true(str_eq(found, str_of(cases[i].text)));
    }
}

static void errors_name_the_path(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        struct str bytes;
        const char *detail;
    } cases[] = {
        {"\"string\"", STR("\x01"), "string is required"},
        {"[\"object\",{\"tags\":[\"map\",\"string\"]}]", STR("\x81\xa4tags\x81\xa1k\x01"), "tags[\"k\"]: string is required"},
        {"[\"object\",{\"a\":[\"list\",\"bool\"]}]", STR("\x81\xa1\x61\x92\xc3\xa1x"), "a[1]: bool is required"},
        {"[\"object\",{\"a\":\"bool\"}]", STR("\x81\xa1\x62\xc3"), "b: unsupported attribute"},
        {"[\"object\",{\"a\":\"bool\",\"b\":\"bool\"}]", STR("\x81\xa1\x61\xc3"),
         "an object with 2 attributes is required (1 given)"},
        {"[\"object\",{\"a\":\"bool\",\"b\":\"bool\"}]", STR("\x82\xa1\x61\xc3\xa1\x61\xc3"), "a: this attribute is given twice"},
        {"[\"object\",{\"a\":\"bool\"}]", STR("\x80"), "an object with 1 attributes is required (0 given)"},
        {"[\"object\",{\"a\":\"bool\"}]", STR("\x81\xa1\x61"), "a: the value is cut short"},
        {"[\"object\",{\"a\":\"bool\"}]", STR("\x81\xa1\x62"), "b: unsupported attribute"},
        {"[\"tuple\",[\"bool\"]]", STR("\x90"), "a tuple of length 1 is required"},
        {"[\"list\",\"dynamic\"]", STR("\x92\x92\xc4\x06\"bool\"\xc3\x92\xc4\x08\"string\"\xa1x"),
         "all list elements must have the same type"},
        {"[\"map\",\"string\"]", STR("\x81\xa1\xff\xa1x"), "a map key is not valid UTF-8"},
        {"\"number\"", STR("\xcb\x7f\xf8\0\0\0\0\0\0"), "number is required"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = type_parse(a, str_of(cases[i].type), &diags);
        assert_null(decode(a, cases[i].bytes, t, &diags));
        assert_string_equal(diags.v[0].detail.p, cases[i].detail);
    }
}

static void lengths_that_the_bytes_cannot_hold_are_refused_without_allocating(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        struct str bytes;
    } cases[] = {
        {"[\"list\",\"string\"]", STR("\xdd\xff\xff\xff\xff")},    {"[\"set\",\"string\"]", STR("\xdd\x7f\xff\xff\xff\xc0")},
        {"[\"map\",\"string\"]", STR("\xdf\xff\xff\xff\xff\xa0")}, {"\"string\"", STR("\xdb\xff\xff\xff\xff")},
        {"\"string\"", STR("\xc6\xff\xff\xff\xff\x61")},           {"\"string\"", STR("\xc9\xff\xff\xff\xff\x0c\x80")},
        {"[\"tuple\",[\"string\"]]", STR("\xdd\xff\xff\xff\xff")}, {"\"dynamic\"", STR("\x92\xc6\xff\xff\xff\xff")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = type_parse(a, str_of(cases[i].type), &diags);
        assert_null(decode(a, cases[i].bytes, t, &diags));
        assert_true(arena_used(a) < 64 << 10);
    }
}

static void nesting_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct buf bytes BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 20000; i++) /* each is a dynamic value inside a dynamic value */
        buf_add(&bytes, STR("\x92\xc4\x09\"dynamic\""));
    buf_addc(&bytes, '\xc0');
    assert_null(decode(a, buf_str(&bytes), &type_dynamic, &diags));
    assert_string_equal(diags.v[0].detail.p, "the value is nested too deeply");
}

static void an_arena_that_is_full_ends_decoding(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *small ARENA_AUTO = arena_new(NULL, 64 << 10);
    struct diags diags;
    struct buf bytes BUF_AUTO = BUF_INIT(MAX_BYTES);
    buf_add(&bytes, STR("\xdd\x00\x01\x00\x00"));
    for (int i = 0; i < 65536; i++)
        buf_add(&bytes, STR("\xa1x"));
    const struct type *t = type_list(a, &type_string);
    assert_int_equal(decode(a, buf_str(&bytes), t, &diags)->n, 65536);
    diags_init(&diags, a);
    assert_null(msgpack_decode(small, buf_str(&bytes), t, &diags));
    assert_true(str_ends(diags.v[0].detail, STR("the value is too large")));
}

static void what_does_not_conform_is_not_encoded(void **state)
{
    (void)state;
    static const struct {
        const char *type, *value, *detail;
    } cases[] = {
        {"\"string\"", "1", "string required, but have number"},
        {"\"string\"", "{\"$unknown\":\"number\"}", "string required, but have number"},
        {"[\"object\",{\"a\":\"string\"}]", "{\"b\":\"x\"}", "object required, but have object"},
        {"[\"object\",{\"a\":[\"list\",\"string\"]}]", "{\"a\":{\"$list\":\"bool\",\"of\":[true]}}",
         "a[0]: string required, but have bool"},
        {"[\"tuple\",[\"string\"]]", "[\"a\",\"b\"]", "tuple required, but have tuple"},
        {"[\"list\",\"string\"]", "{\"$set\":\"string\",\"of\":[]}", "list of string required, but have set of string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        struct buf out BUF_AUTO = BUF_INIT(MAX_BYTES);
        const struct type *t = type_parse(a, str_of(cases[i].type), &diags);
        assert_false(msgpack_encode(&out, notation_parse(a, cases[i].value), t, &diags));
        assert_string_equal(diags.v[0].detail.p, cases[i].detail);
    }
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct buf small BUF_AUTO = BUF_INIT(3);
    assert_false(msgpack_encode(&small, notation_parse(a, "\"long\""), &type_string, &diags));
    assert_true(diags_has_errors(&diags));
}

static void unknown_kinds_of_refinement_are_skipped(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    /* {99: [1, {"k": 2.5}, nil, ext, -1], 1: false} */
    struct str bytes = STR("\xc7\x19\x0c\x82\x63\x95\x01\x81\xa1k\xcb\x40\x04\0\0\0\0\0\0\xc0\xd4\x05\x00\xd1\xff\xff\x01\xc2");
    const struct value *v = decode(a, bytes, &type_string, &diags);
    assert_non_null(v);
    assert_true(v->refinement && v->refinement->not_null);
}

/* python3-msgpack reads what we write: the same data as our JSON of the same value. */
static FILE *start_peer(void)
{
    /* The system's own python has Debian's packages; the first one on PATH may be another. */
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < 2; i++) {
        FILE *probe = popen(arena_printf(a, "%s -c 'import msgpack' 2>/dev/null", pythons[i]).p, "w");
        if (probe && pclose(probe) == 0)
            return popen(arena_printf(a, "%s '%s/src/value/testdata/msgpack_peer.py'", pythons[i], TERRANE_SOURCE).p, "w");
    }
    return NULL;
}

static void another_implementation_reads_the_same_data(void **state)
{
    (void)state;
    FILE *peer = start_peer();
    if (!peer)
        testing_skip("tool:python3-msgpack", "it is not installed");
    struct random r = {.state = 31337};
    for (int i = 0; i < 500; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = random_type(&r, a, 4);
        const struct value *v = random_value(&r, a, t);
        struct buf json BUF_AUTO = BUF_INIT(MAX_BYTES);
        struct json_writer w = {.out = &json};
        assert_true(value_write_json(&w, v, t, &diags) && json_finish(&w));
        (void)fprintf(peer, STR_FMT "\t" STR_FMT "\n", STR_ARG(notation_hex(a, encode(a, v, t))), STR_ARG(buf_str(&json)));
    }
    assert_int_equal(pclose(peer), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_vectors_hold),
        cmocka_unit_test(values_are_encoded_as_by_terraform),
        cmocka_unit_test(bytes_are_decoded_as_by_terraform),
        cmocka_unit_test(random_values_come_back),
        cmocka_unit_test(every_cut_of_a_value_is_refused),
        cmocka_unit_test(bytes_after_the_value_are_ignored),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(errors_name_the_path),
        cmocka_unit_test(lengths_that_the_bytes_cannot_hold_are_refused_without_allocating),
        cmocka_unit_test(nesting_beyond_the_limit_is_refused),
        cmocka_unit_test(an_arena_that_is_full_ends_decoding),
        cmocka_unit_test(what_does_not_conform_is_not_encoded),
        cmocka_unit_test(unknown_kinds_of_refinement_are_skipped),
        cmocka_unit_test(another_implementation_reads_the_same_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
