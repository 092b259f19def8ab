/* Tables and ages in kubectl's style. */
#include "objects/table.h"

#include "base/testing.h"

static void ages(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {-5, "0s"},       {0, "0s"},        {119, "119s"},       {120, "2m"},       {200, "3m20s"},
        {599, "9m59s"},   {600, "10m"},     {10799, "179m"},     {10800, "3h"},     {18720, "5h12m"},
        {28800, "8h"},    {172799, "47h"},  {172800, "2d"},      {183600, "2d3h"},  {691200, "8d"},
        {7516800, "87d"}, {63072000, "2y"}, {95558400, "3y11d"}, {252288000, "8y"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    int64_t now = INT64_C(1800000000) * NS_PER_S;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        testing_text(table_age(a, now - cases[i].seconds * NS_PER_S, now), cases[i].text);
    testing_text(table_age(a, 0, now), "<unknown>");
}

static void columns(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    struct table t;
    table_begin(&t, a, 0);
    table_add(&t, (struct str[]){STR("NAME"), STR("READY"), STR("MESSAGE")}, 3);
    table_add(&t, (struct str[]){STR("größe"), STR("True"), STR("two\nlines \x1b[31m")}, 3);
    table_add(&t, (struct str[]){STR("b"), STR_EMPTY, STR("as long as it is")}, 3);
    table_write(&out, &t, 0);
    testing_text(buf_str(&out), "NAME    READY   MESSAGE\n"
                                "größe   True    two lines \\x1b[31m\n"
                                "b               as long as it is\n");
    buf_clear(&out);
    table_write(&out, &t, 7);
    testing_text(buf_str(&out), "NAME    READY   MESSAGE\n"
                                "größe   True    two lin...\n"
                                "b               as long...\n");
}

/* The widest column shrinks first, but never the names, and no column below its header. */
static void narrow(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    struct table t;
    table_begin(&t, a, 50);
    table_add(&t, (struct str[]){STR("NAME"), STR("EXTERNAL-NAME"), STR("AGE")}, 3);
    table_add(&t, (struct str[]){STR("topic.sns/a-rather-long-name"), STR("arn:aws:sns:us-east-1:123:a"), STR("2d")}, 3);
    table_write(&out, &t, 0);
    testing_text(buf_str(&out), "NAME                           EXTERNAL-NAME   AGE\n"
                                "topic.sns/a-rather-long-name   arn:aws:sn...   2d\n");
    buf_clear(&out);
    table_go_on(&t, a); /* as with --watch */
    table_add(&t, (struct str[]){STR("b"), STR("arn:aws:sns:us-east-1:123:b"), STR("1s")}, 3);
    table_write(&out, &t, 0);
    testing_text(buf_str(&out), "b                              arn:aws:sn...   1s\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ages), cmocka_unit_test(columns), cmocka_unit_test(narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
