/*
 * Values that do not fit: which side gets the error, its words, and what is kept.
 */
#include "protocol/codec_fixture.h"
#include "protocol/proto_wire.h"

/* Diagnostics */

static void a_path_is_cut_before_a_set_element(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_CONFIGURE);
    struct diags said;
    diags_init(&said, f.arena);
    struct path disk = path_attr(f.arena, PATH_ROOT, STR("disk"));
    struct path element = path_element(f.arena, disk, value_bool(f.arena, true));
    diags_fail_at(&said, path_attr(f.arena, element, STR("value")), "s", "d");
    diags_fail_at(&said, path_element(f.arena, PATH_ROOT, value_bool(f.arena, true)), "s", "d");
    assert_true(coding_write_response(&f.coding, NULL, &said, &f.bytes));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), NULL));
    assert_int_equal(f.diags.n, 2);
    assert_true(path_eq(f.diags.v[0].path, disk));
    assert_int_equal(f.diags.v[1].path.n, 0);
    end(&f);
}

static void a_severity_that_is_none_is_an_error(void **state)
{
    (void)state;
    static const char *const severities[] = {"", "\x08\x01", "\x08\x02", "\x08\x09"};
    static const enum diag_severity expected[] = {DIAG_ERROR, DIAG_ERROR, DIAG_WARNING, DIAG_ERROR};
    struct fixture f;
    begin(&f, 5, RPC_CONFIGURE);
    for (size_t i = 0; i < 4; i++)
        proto_add_bytes(&f.bytes, 1, str_of(severities[i]));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), NULL));
    assert_int_equal(f.diags.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(f.diags.v[i].severity, expected[i]);
    end(&f);
}

static void text_that_is_not_utf8_is_mended_not_sent(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_CONFIGURE);
    struct diags said;
    diags_init(&said, f.arena);
    diags_fail(&said, "bad \xff byte", "caf\xc3");
    assert_true(coding_write_response(&f.coding, NULL, &said, &f.bytes));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), NULL));
    assert_true(str_eqz(f.diags.v[0].summary, "bad \xef\xbf\xbd byte"));
    assert_true(str_eqz(f.diags.v[0].detail, "caf\xef\xbf\xbd"));
    end(&f);
}

/* Blame */

static void must_begin_and_end(struct str text, const char *start, const char *finish)
{
    if (!str_starts(text, str_of(start)) || !str_ends(text, str_of(finish)))
        fail_msg("expected: %s ... %s\nfound: " STR_FMT, start, finish, STR_ARG(text));
}

static void must_say(const struct diags *d, const char *summary, const char *detail)
{
    if (d->n < 1 || !str_eqz(d->v[d->n - 1].summary, summary) || !str_eqz(d->v[d->n - 1].detail, detail))
        fail_msg("expected:\n%s\n%s\nfound:\n%s\n%s", summary, detail, d->n > 0 ? d->v[d->n - 1].summary.p : "(nothing)",
                 d->n > 0 ? d->v[d->n - 1].detail.p : "");
}

/* {region: 1 as an array}: not a string. */
static const struct str unfit = {"\x81\xa6region\x90", 9};

static void an_answer_that_does_not_fit_is_the_providers_fault(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_READ_DATA);
    f.coding.type_name = STR("test_data");
    struct buf value BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&value, 1, unfit);
    proto_add_bytes(&f.bytes, 1, buf_str(&value));
    struct read_data_response r;
    assert_false(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_true(str_eqz(f.diags.v[0].summary, "Invalid answer from provider"));
    must_begin_and_end(
        f.diags.v[0].detail,
        "provider \"test\" answered ReadDataSource for test_data with a state that does not fit its own schema: region: ",
        "string is required. This is a bug in the provider.");
    end(&f);
}

static void a_request_that_does_not_fit_is_the_callers_fault(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 5, RPC_READ_DATA);
    struct buf value BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&f.bytes, 1, STR("test_data"));
    proto_add_bytes(&value, 1, unfit);
    proto_add_bytes(&f.bytes, 2, buf_str(&value));
    struct read_data_request r;
    assert_false(coding_read_request(&f.coding, buf_str(&f.bytes), &r));
    assert_true(str_eqz(f.diags.v[0].summary, "Invalid request to provider"));
    must_begin_and_end(
        f.diags.v[0].detail,
        "the call ReadDataSource for test_data came with a config that does not fit the provider's schema: region: ",
        "string is required. This is a bug in the program that uses the provider.");
    end(&f);
}

static void a_value_of_ours_that_does_not_fit_is_not_sent(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_READ_DATA);
    struct read_data_request request = {.type_name = STR("test_data"), .config = value_bool(f.arena, true)};
    assert_false(coding_write_request(&f.coding, &request, &f.bytes));
    assert_int_equal(f.diags.n_errors, 1);
    assert_true(str_eqz(f.diags.v[0].summary, "Value does not fit the schema"));
    assert_true(
        str_starts(f.diags.v[0].detail,
                   STR("the config given to ReadDataSource for test_data does not fit the schema of provider \"test\": ")));
    end(&f);
}

static void a_response_of_ours_that_does_not_fit_says_so_in_itself(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_READ_DATA);
    f.coding.type_name = STR("test_data");
    struct read_data_response wrong = {.state = value_bool(f.arena, true), .deferred = DEFERRED_NOT}, r;
    struct diags said;
    diags_init(&said, f.arena);
    diags_warn(&said, "first", "a warning");
    assert_true(coding_write_response(&f.coding, &wrong, &said, &f.bytes));
    must_be_clean(&f);
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_null(r.state);
    assert_int_equal(f.diags.n, 2);
    assert_true(str_eqz(f.diags.v[0].summary, "first"));
    assert_true(str_eqz(f.diags.v[1].summary, "Provider produced an invalid value"));
    end(&f);
}

static void an_identity_that_does_not_fit_does_not_cost_the_state(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_APPLY);
    f.coding.type_name = STR("test_thing");
    struct apply_response response = {.new_state = testing_thing(f.arena, f.schema), .private = STR("p")}, r;
    assert_true(coding_write_response(&f.coding, &response, NULL, &f.bytes));
    struct buf value BUF_AUTO = BUF_INIT(MAX_BYTES), identity BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&value, 1, unfit);
    proto_add_bytes(&identity, 1, buf_str(&value));
    proto_add_bytes(&f.bytes, 5, buf_str(&identity));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_int_equal(f.diags.n_errors, 1);
    assert_null(r.new_identity);
    assert_true(value_raw_eq(r.new_state, response.new_state));
    assert_true(str_eqz(r.private, "p"));
    end(&f);
}

static void the_providers_own_errors_are_kept_when_its_state_does_not_fit(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_READ_DATA);
    f.coding.type_name = STR("test_data");
    struct buf value BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&value, 1, unfit);
    proto_add_bytes(&f.bytes, 1, buf_str(&value));
    proto_add_bytes(&f.bytes, 2, (struct str){"\x12\x07his own", 9});
    struct read_data_response r;
    assert_false(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_int_equal(f.diags.n, 2);
    assert_true(str_eqz(f.diags.v[1].summary, "his own"));
    end(&f);
}

static void a_type_that_the_provider_does_not_have_is_named(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 5, RPC_READ);
    struct read_request request = {.type_name = STR("test_nothing")};
    assert_false(coding_write_request(&f.coding, &request, &f.bytes));
    must_say(&f.diags, "Not in the provider", "provider \"test\" has no resource type \"test_nothing\".");
    proto_add_bytes(&f.bytes, 1, STR("test_other"));
    assert_false(coding_read_request(&f.coding, buf_str(&f.bytes), &request));
    must_say(&f.diags, "Not in the provider", "this provider has no resource type \"test_other\".");
    end(&f);
}

static void an_imported_object_of_an_unknown_type_is_the_providers_fault(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_IMPORT);
    f.coding.type_name = STR("test_thing");
    proto_add_bytes(&f.bytes, 1, (struct str){"\x0a\x03odd", 5});
    struct import_response r;
    assert_false(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_true(str_eqz(f.diags.v[0].summary, "Invalid answer from provider"));
    assert_non_null(strstr(f.diags.v[0].detail.p, "there is no resource type \"odd\""));
    end(&f);
}

static void a_broken_message_is_an_error_that_names_the_call(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_READ);
    struct read_response r;
    assert_false(coding_read_response(&f.coding, (struct str){"\x0a\x7f", 2}, &r));
    must_say(&f.diags, "Invalid answer from provider",
             "provider \"test\" answered ReadResource with a message that cannot be read: cut off or not protobuf, at "
             "ReadResource.Response. This is a bug in the provider.");
    struct read_request request;
    assert_false(coding_read_request(&f.coding, (struct str){"\x0a\x7f", 2}, &request));
    assert_true(str_eqz(f.diags.v[1].summary, "Invalid request to provider"));
    end(&f);
}

/* Functions */

static void arguments_must_match_the_parameters(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_CALL_FUNCTION);
    const struct value *text = value_string(f.arena, STR("x")), *bad[] = {text, text};
    struct call_function_request request = {.name = STR("join_all"), .arguments = bad, .n_arguments = 2};
    assert_false(coding_write_request(&f.coding, &request, &f.bytes));
    assert_true(str_starts(f.diags.v[0].detail, STR("the argument 2 given to CallFunction for join_all does not fit")));
    const struct value *missing[] = {NULL};
    request = (struct call_function_request){.name = STR("join_all"), .arguments = missing, .n_arguments = 1};
    assert_false(coding_write_request(&f.coding, &request, &f.bytes));
    assert_non_null(strstr(f.diags.v[1].detail.p, "an argument has no value"));
    end(&f);
}

static void an_error_of_a_function_has_its_argument(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_CALL_FUNCTION);
    f.coding.type_name = STR("join_all");
    struct call_function_response response = {
        .has_error = true, .error = STR("no"), .error_argument = 0, .result = value_string(f.arena, STR("x"))};
    struct call_function_response r;
    assert_true(coding_write_response(&f.coding, &response, NULL, &f.bytes));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_true(r.has_error && str_eqz(r.error, "no"));
    assert_int_equal(r.error_argument, 0);
    assert_null(r.result);
    buf_clear(&f.bytes);
    response.error_argument = -1;
    assert_true(coding_write_response(&f.coding, &response, NULL, &f.bytes));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_int_equal(r.error_argument, -1);
    end(&f);
}

static void what_is_wrong_with_a_function_call_is_its_error(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_CALL_FUNCTION);
    struct call_function_response r;
    diags_fail(&f.diags, "s", "cannot be read");
    assert_true(coding_write_response(&f.coding, NULL, &f.diags, &f.bytes));
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_true(r.has_error && str_eqz(r.error, "cannot be read"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_cut_before_a_set_element),
        cmocka_unit_test(a_severity_that_is_none_is_an_error),
        cmocka_unit_test(text_that_is_not_utf8_is_mended_not_sent),
        cmocka_unit_test(an_answer_that_does_not_fit_is_the_providers_fault),
        cmocka_unit_test(a_request_that_does_not_fit_is_the_callers_fault),
        cmocka_unit_test(a_value_of_ours_that_does_not_fit_is_not_sent),
        cmocka_unit_test(a_response_of_ours_that_does_not_fit_says_so_in_itself),
        cmocka_unit_test(an_identity_that_does_not_fit_does_not_cost_the_state),
        cmocka_unit_test(the_providers_own_errors_are_kept_when_its_state_does_not_fit),
        cmocka_unit_test(a_type_that_the_provider_does_not_have_is_named),
        cmocka_unit_test(an_imported_object_of_an_unknown_type_is_the_providers_fault),
        cmocka_unit_test(a_broken_message_is_an_error_that_names_the_call),
        cmocka_unit_test(arguments_must_match_the_parameters),
        cmocka_unit_test(an_error_of_a_function_has_its_argument),
        cmocka_unit_test(what_is_wrong_with_a_function_call_is_its_error),
    };
    return cmocka_run_group_tests_name("codec_errors", tests, NULL, NULL);
}
