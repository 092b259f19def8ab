/* testdata/merge.tsv: previous manifest, manifest now, object, result. */
#include "manifests/merge.h"

#include "base/testing.h"
#include "base/testing_table.h"

static void the_table(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, TERRANE_SOURCE "/src/manifests/testdata/merge.tsv");
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        const struct json *before = str_eqz(row->field[0], "-") ? NULL : testing_json(a, row->field[0]);
        const struct json *got = merge_three_way(a, before, testing_json(a, row->field[1]), testing_json(a, row->field[2]));
        if (!json_eq(got, testing_json(a, row->field[3]))) {
            struct buf text BUF_AUTO = BUF_INIT(1 << 20);
            struct json_writer w = {.out = &text};
            json_write(&w, got);
            (void)json_finish(&w);
            fail_msg("line %zu: got " STR_FMT, row->line, STR_ARG(buf_str(&text)));
        }
    }
}

static void the_annotation(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *manifest = testing_jsonz(a, "{\"kind\":\"K\",\"apiVersion\":\"g/v1\",\"s\":[{\"b\":1,\"a\":\"<&>\"}]}");
    testing_text(merge_last_applied(a, manifest),
                 "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"s\":[{\"a\":\"\\u003c\\u0026\\u003e\",\"b\":1}]}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_table), cmocka_unit_test(the_annotation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
