/* Rows: reading, order, and conversion to rules. */
#include "links/rows.h"

#include "links/testing_links.h"

static struct link_rows read_rows(const char *text)
{
    struct link_rows rows = {.arena = testing_arena};
    struct diags diags;
    diags_init(&diags, testing_arena);
    (void)link_rows_read(&rows, str_of(text), "t.tsv", &diags);
    testing_no_errors(&diags);
    return rows;
}

static struct link_table to_table(const struct link_rows *rows)
{
    struct link_table t;
    struct diags diags;
    links_init(&t, testing_arena);
    diags_init(&diags, testing_arena);
    (void)link_rows_to_table(rows, &t, &diags);
    testing_no_errors(&diags);
    return t;
}

static void order(void **state)
{
    (void)state;
    struct link_rows rows = read_rows("#source_type\tpath\ttarget_type\ttarget_attribute\tcount\tkind\n"
                                      "x_b\tp\tx_c\tid\t1\twhole\n"
                                      "x_a\tp\tx_c\tarn\t9\tpart\n"
                                      "\n"
                                      "x_a\tp\tx_d\tid\t2\twhole\r\n"
                                      "x_a\tp\tx_c\tid\t2\twhole\n"
                                      "x_a\tp\tx_e\tid\t10\twhole\n");
    assert_int_equal(rows.n, 5);
    link_rows_sort(&rows);
    struct link_table t = to_table(&rows);
    assert_string_equal(testing_written(testing_arena, &t).p, "x_a p -> x_e.id\nx_a p -> x_c.id\nx_a p -> x_d.id\n"
                                                              "x_a p -> x_c.arn part\nx_b p -> x_c.id\n");
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    link_rows_write(&out, &rows);
    struct link_rows again = read_rows(buf_copy(&out, testing_arena).p);
    struct buf twice BUF_AUTO = BUF_INIT(TESTING_MAX);
    link_rows_write(&twice, &again);
    assert_true(str_eq(buf_str(&out), buf_str(&twice)));
}

static void mistakes(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "x_a\tp\tx_c\tid\t1\n",         "x_a\tp\tx_c\tid\t1\twhole\tmore\n", "x_a\tp\tx_c\tid\tone\twhole\n",
        "x_a\tp\tx_c\tid\t-1\twhole\n", "x_a\tp\tx_c\tid\t1\thalf\n",        "x_a p x_c id 1 whole\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct link_rows rows = {.arena = testing_arena};
        struct diags diags;
        diags_init(&diags, testing_arena);
        assert_false(link_rows_read(&rows, arena_printf(testing_arena, "# a comment\n%s", wrong[i]), "t.tsv", &diags));
        assert_non_null(strstr(diags.v[0].detail.p, "t.tsv:2: "));
    }
    struct link_rows rows = read_rows("x_a\tp..q\tx_c\tid\t1\twhole\n");
    struct link_table t;
    struct diags diags;
    links_init(&t, testing_arena);
    diags_init(&diags, testing_arena);
    assert_false(link_rows_to_table(&rows, &t, &diags));
}

static void telling_them_from_a_table(void **state)
{
    (void)state;
    assert_true(link_rows_are(STR("#source_type\tpath\n\nx_a\tp\tx_c\tid\t1\twhole\n")));
    assert_false(link_rows_are(STR("# c\nx_a\tp\t->\tx_c.id\n")));
    assert_false(link_rows_are(STR("x_a p -> x_c.id\n")));
    assert_false(link_rows_are(STR("")));
}

/* A link seen in enough types, always with the same target, becomes a rule for all types. */
static void generalising(void **state)
{
    (void)state;
    struct link_rows rows = read_rows("x_a\tvpc_id\tx_vpc\tid\t1\twhole\n"
                                      "x_b\tnet[].vpc_id\tx_vpc\tid\t1\twhole\n"
                                      "x_c\tvpc_id\tx_vpc\tarn\t1\twhole\n"
                                      "x_a\tname\tx_n\tid\t1\twhole\n"
                                      "x_b\tname\tx_n\tid\t1\twhole\n"
                                      "x_c\tname\tx_m\tid\t1\twhole\n"
                                      "x_a\tsubnets[]\tx_subnet\tid\t1\twhole\n"
                                      "x_a\tmore.subnets[]\tx_subnet\tid\t1\twhole\n"
                                      "x_a\tmost.subnets[]\tx_subnet\tid\t1\twhole\n"
                                      "x_a\tpolicy\tx_p\tarn\t1\tpart\n"
                                      "x_b\tpolicy\tx_p\tarn\t1\tpart\n"
                                      "x_c\tpolicy\tx_p\tarn\t1\tpart\n"
                                      "y_a\tvpc_id\ty_vpc\tid\t1\twhole\n");
    struct link_table t;
    links_init(&t, testing_arena);
    assert_int_equal(link_rows_generalise(&rows, 3, &t), 1);
    assert_string_equal(testing_written(testing_arena, &t).p, "x_* **.vpc_id -> x_vpc.id\n");
    assert_int_equal(link_rows_generalise(&rows, 3, &t), 0);
    links_init(&t, testing_arena);
    assert_int_equal(link_rows_generalise(&rows, 1, &t), 3);
    assert_string_equal(testing_written(testing_arena, &t).p,
                        "x_* **.subnets -> x_subnet.id\nx_* **.vpc_id -> x_vpc.id\ny_* **.vpc_id -> y_vpc.id\n");
    rows.n = 0;
    assert_int_equal(link_rows_generalise(&rows, 1, &t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(telling_them_from_a_table),
        cmocka_unit_test(generalising),
    };
    return cmocka_run_group_tests(tests, testing_begin, testing_end);
}
