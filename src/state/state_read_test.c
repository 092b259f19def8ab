/* Reading and writing together. The files in testdata were recorded from real programs, or made from their source code. */
#include "state/state_read.h"

#include "base/testing_table.h"
#include "state/state_write.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define TESTDATA TERRANE_SOURCE "/src/state/testdata/"

static struct str load(struct arena *a, const char *name)
{
    struct diags diags;
    struct str text = STR_EMPTY;
    diags_init(&diags, a);
    assert_true(file_read(a, arena_printf(a, TESTDATA "%s", name).p, TABLE_MAX_FILE, &diags, &text));
    return text;
}

static struct state *read_text(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    struct state *s = state_read(a, text, "f", &diags);
    if (!s)
        print_error("%s\n", diags.v[0].detail.p);
    assert_non_null(s);
    return s;
}

static struct str written(struct arena *a, const struct state *s)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    assert_true(state_write(&out, s, &diags));
    return buf_copy(&out, a);
}

static void files_of_real_programs_come_out_with_the_same_bytes(void **state)
{
    (void)state;
    static const char *const names[] = {"terraform_builtin", "terraform_providers", "tofu_providers",
                                        "tofu_backup",       "newer_terraform",     "tofu_instance_providers"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct str text = load(a, arena_printf(a, "%s.tfstate", names[i]).p);
        struct str out = written(a, read_text(a, text));
        assert_string_equal(out.p, text.p);
    }
}

static void any_order_in_memory_is_written_in_one_order(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = load(a, "terraform_builtin.tfstate");
    struct state *s = read_text(a, text);
    for (size_t i = 0; i < s->n_resources / 2; i++) {
        struct state_resource swap = s->resources[i];
        s->resources[i] = s->resources[s->n_resources - 1 - i];
        s->resources[s->n_resources - 1 - i] = swap;
    }
    for (size_t i = 0; i < s->n_resources; i++) {
        struct state_resource *r = &s->resources[i];
        for (size_t k = 0; k < r->n / 2; k++) {
            struct state_instance swap = r->instances[k];
            r->instances[k] = r->instances[r->n - 1 - k];
            r->instances[r->n - 1 - k] = swap;
        }
    }
    assert_string_equal(written(a, s).p, text.p);
}

static void version_3_is_brought_to_version_4(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = read_text(a, load(a, "version3.tfstate"));
    assert_int_equal(s->read_version, 3);
    struct str expected = load(a, "version3_as_4.tfstate");
    assert_string_equal(written(a, s).p, expected.p);
    /* Reading and writing that file does not change it. */
    assert_string_equal(written(a, read_text(a, expected)).p, expected.p);
}

static void parts_of_an_instance_are_understood(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = read_text(a, load(a, "tofu_providers.tfstate"));
    struct state_address x = {.mode = STATE_MANAGED, .type = STR("modern_identity"), .name = STR("i")};
    x.key = (struct state_key){.kind = STATE_KEY_STRING, .text = STR("b")};
    const struct state_instance *object = state_find(s, &x);
    assert_non_null(object);
    assert_true(object->has_identity_version && object->identity_last);
    assert_true(str_eqz(json_text(json_get(object->identity, "name"), STR_EMPTY), "b"));
    x = (struct state_address){.mode = STATE_MANAGED, .type = STR("modern_faulty"), .name = STR("tainted")};
    assert_true(state_find(s, &x)->tainted);
    x = (struct state_address){.mode = STATE_MANAGED, .type = STR("legacy_timeouts"), .name = STR("private")};
    assert_true(str_starts(state_find(s, &x)->private_bytes, STR("{\"e2bfb730-")));
    x = (struct state_address){.mode = STATE_MANAGED, .type = STR("modern_private"), .name = STR("p")};
    assert_int_equal(state_find(s, &x)->n_dependencies, 2);
    assert_true(str_eqz(state_find(s, &x)->dependencies[0], "legacy_network.net"));
}

static void null_attributes_stay_null_and_mean_no_object(void **state)
{
    (void)state;
    static const char *const forms[] = {"\"attributes\":null", "\"attributes\":{}", "\"x\":1"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct str text =
            arena_printf(a,
                         "{\"version\":4,\"resources\":[{\"mode\":\"managed\",\"type\":\"t\",\"name\":\"n\",\"provider\":"
                         "\"provider[\\\"x\\\"]\",\"instances\":[{\"schema_version\":0,%s}]}]}",
                         forms[i]);
        const struct state *s = read_text(a, text);
        assert_int_equal(state_is_null(&s->resources[0].instances[0]), i == 0);
        assert_non_null(strstr(written(a, s).p, i == 0 ? "\"attributes\": null" : "\"attributes\": {}"));
    }
}

static void what_terraform_drops_is_dropped(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = read_text(
        a,
        STR("{\"version\":4,\"unknown\":1,\"check_results\":[],\"resources\":[{\"mode\":\"data\",\"each\":\"list\",\"type\":"
            "\"t\","
            "\"name\":\"n\",\"provider\":\"p\",\"new\":1,\"instances\":[{\"new\":2,\"attributes_flat\":{\"b\":\"1\",\"a\":null}},"
            "{\"index_key\":0}]}]}\n"));
    assert_string_equal(
        written(a, s).p,
        "{\"version\":4,\"terraform_version\":\"\",\"serial\":0,\"lineage\":\"\",\"outputs\":{},\"resources\":[{\"mode\":"
        "\"data\",\"type\":"
        "\"t\",\"name\":\"n\",\"provider\":\"p\",\"instances\":[{\"schema_version\":0,\"attributes_flat\":{\"a\":\"\",\"b\":"
        "\"1\"},"
        "\"sensitive_attributes\":[]},{\"index_key\":0,\"schema_version\":0,\"attributes\":{},\"sensitive_attributes\":[]}]}],"
        "\"check_results\":null}\n");
}

static void entries_of_one_resource_are_gathered(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = read_text(
        a, STR("{\"version\":4,\"resources\":["
               "{\"mode\":\"data\",\"type\":\"t\",\"name\":\"n\",\"provider\":\"p\",\"instances\":[{\"index_key\":0}]},"
               "{\"mode\":\"data\",\"type\":\"t\",\"name\":\"n\",\"provider\":\"q\",\"instances\":[{\"index_key\":1}]}]}"));
    assert_int_equal(s->n_resources, 1);
    assert_int_equal(s->resources[0].n, 2);
    assert_true(str_eqz(s->resources[0].provider, "q"));
}

static void everything_else_is_refused_with_its_place(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, TESTDATA "refused.tsv");
    for (size_t i = 0; i < table.n; i++) {
        struct diags diags;
        diags_init(&diags, a);
        assert_int_equal(table.v[i].n, 2);
        struct state *s = state_read(a, table.v[i].field[0], "f", &diags);
        bool told = diags.n == 1 && strstr(diags.v[0].detail.p, table.v[i].field[1].p) && strstr(diags.v[0].detail.p, "f:");
        if (s || !told)
            print_error("refused.tsv:%zu: %s\n", table.v[i].line, diags.n > 0 ? diags.v[0].detail.p : "accepted");
        assert_null(s);
        assert_true(told);
    }
}

static void a_state_larger_than_its_arena_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *small = arena_new(a, 20000);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(state_read(small, load(a, "terraform_builtin.tfstate"), "f", &diags));
    assert_true(diags.n == 1 && strstr(diags.v[0].detail.p, "memory"));
}

static void one_object_travels_alone(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct state_instance object;
    diags_init(&diags, a);
    struct str text =
        STR("{\"status\":\"tainted\",\"schema_version\":2,\"attributes\":{\"a\":1.50},\"sensitive_attributes\":"
            "[[{\"type\":\"get_attr\",\"value\":\"a\"},{\"type\":\"index\",\"value\":{\"value\":3,\"type\":\"number\"}},"
            "{\"type\":\"index\",\"value\":{\"value\":\"k\",\"type\":\"string\"}}]],\"identity_schema_version\":1,"
            "\"identity\":{\"i\":1},\"private\":\"bnVsbA==\"}");
    assert_true(state_read_instance(a, json_parse(a, text, "f", &diags), "f", &diags, &object));
    assert_true(object.tainted && object.n_sensitive == 1 && str_eqz(object.private_bytes, "null"));
    assert_string_equal(path_text(a, object.sensitive[0]).p, "a[3][\"k\"]");
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    struct json_writer w = {.out = &out};
    object.key = (struct state_key){.kind = STATE_KEY_INT, .number = 4};
    state_write_instance(&w, &object, false);
    assert_true(json_finish(&w));
    assert_string_equal(buf_copy(&out, a).p, text.p);
    assert_false(state_read_instance(a, json_parse(a, STR("[]"), "f", &diags), "f", &diags, &object));
}

static void content_does_not_depend_on_serial_and_lineage(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct state *s = read_text(a, load(a, "terraform_providers.tfstate"));
    struct buf x BUF_AUTO = BUF_INIT(STATE_MAX_FILE), y BUF_AUTO = BUF_INIT(STATE_MAX_FILE),
                 z BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    assert_true(state_write_content(&x, s, &diags));
    s->serial++;
    s->lineage = STR("other");
    s->terraform_version = STR("9.9.9");
    assert_true(state_write_content(&y, s, &diags));
    assert_true(str_eq(buf_str(&x), buf_str(&y)));
    s->resources[0].instances[0].tainted ^= true;
    assert_true(state_write_content(&z, s, &diags));
    assert_false(str_eq(buf_str(&x), buf_str(&z)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_real_programs_come_out_with_the_same_bytes),
        cmocka_unit_test(any_order_in_memory_is_written_in_one_order),
        cmocka_unit_test(version_3_is_brought_to_version_4),
        cmocka_unit_test(parts_of_an_instance_are_understood),
        cmocka_unit_test(null_attributes_stay_null_and_mean_no_object),
        cmocka_unit_test(what_terraform_drops_is_dropped),
        cmocka_unit_test(entries_of_one_resource_are_gathered),
        cmocka_unit_test(everything_else_is_refused_with_its_place),
        cmocka_unit_test(a_state_larger_than_its_arena_is_refused),
        cmocka_unit_test(one_object_travels_alone),
        cmocka_unit_test(content_does_not_depend_on_serial_and_lineage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
