#include "jsonrpc/params.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

struct all {
    struct str text;
    bool flag;
    int64_t count;
    const struct json *object, *array;
};

static bool read_all(struct arena *a, const char *params, struct all *all, struct rpc_request *request)
{
    struct diags diags;
    diags_init(&diags, a);
    *request = (struct rpc_request){.arena = a};
    request->message.params = json_parse(a, str_of(params), "test", &diags);
    assert_non_null(request->message.params);
    const struct rpc_param table[] = {
        {"text", PARAM_TEXT, true, &all->text},     {"flag", PARAM_BOOL, false, &all->flag},
        {"count", PARAM_COUNT, false, &all->count}, {"object", PARAM_OBJECT, false, &all->object},
        {"array", PARAM_ARRAY, false, &all->array},
    };
    return PARAMS_READ(request, table);
}

static void each_kind_is_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_request request;
    struct all all = {0};
    assert_true(read_all(a, "{\"array\":[1],\"object\":{\"a\":1},\"count\":7,\"flag\":true,\"text\":\"t\"}", &all, &request));
    assert_true(str_eqz(all.text, "t") && all.flag && all.count == 7);
    assert_true(all.object->object.n == 1 && all.array->array.n == 1);
    assert_int_equal(request.error.code, 0);
}

static void null_is_absent(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_request request;
    struct all all = {.flag = true, .count = 3};
    assert_true(read_all(a, "{\"text\":\"\",\"flag\":null,\"count\":null,\"object\":null,\"other\":null}", &all, &request));
    assert_true(all.flag && all.count == 3 && !all.object && !all.array);
    assert_false(read_all(a, "{\"text\":null}", &all, &request));
}

static const struct {
    const char *params, *message;
} wrong[] = {
    {"[]", "params: an object is required"},
    {"null", "params: an object is required"},
    {"\"text\"", "params: an object is required"},
    {"{}", "text: required, but missing"},
    {"{\"text\":1}", "text: a string is required"},
    {"{\"text\":\"\",\"flag\":\"true\"}", "flag: true or false is required"},
    {"{\"text\":\"\",\"flag\":1}", "flag: true or false is required"},
    {"{\"text\":\"\",\"count\":-1}", "count: a whole number, 0 or greater is required"},
    {"{\"text\":\"\",\"count\":1.5}", "count: a whole number, 0 or greater is required"},
    {"{\"text\":\"\",\"count\":99999999999999999999}", "count: a whole number, 0 or greater is required"},
    {"{\"text\":\"\",\"count\":\"1\"}", "count: a whole number, 0 or greater is required"},
    {"{\"text\":\"\",\"object\":[]}", "object: an object is required"},
    {"{\"text\":\"\",\"array\":{}}", "array: an array is required"},
    {"{\"text\":\"\",\"tekst\":1}", "tekst: this method has no such parameter"},
};

static void the_error_names_the_member(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct rpc_request request;
        struct all all = {0};
        assert_false(read_all(a, wrong[i].params, &all, &request));
        assert_int_equal(request.error.code, RPC_WRONG_PARAMS);
        assert_string_equal(request.error.message.p, wrong[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_read),
        cmocka_unit_test(null_is_absent),
        cmocka_unit_test(the_error_names_the_member),
    };
    return cmocka_run_group_tests_name("jsonrpc/params", tests, NULL, NULL);
}
