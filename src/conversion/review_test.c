/* ConversionReview: answers, failures, and invalid requests. */
#include "conversion/review.h"

#include "base/testing.h"
#include "conversion/testing_conversion.h"
#include "managed/edit.h"

#define HEAD "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\",\"request\":{\"uid\":\"u1\","
#define OLD                                                                                                                      \
    "{\"apiVersion\":\"db.shop.example.org/"                                                                                     \
    "v1beta1\",\"kind\":\"Table\",\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"one\":[{\"a\":\"x\"}]}}}"
#define NEW                                                                                                                      \
    "{\"apiVersion\":\"db.shop.example.org/"                                                                                     \
    "v1beta2\",\"kind\":\"Table\",\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"one\":{\"a\":\"x\"}}}}"

static const struct json *answer_to(struct arena *a, struct kinds *kinds, const char *request)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    assert_int_equal(conversion_review(kinds, a, str_of(request), &diags, &text), REVIEW_ANSWERED);
    testing_no_errors(&diags);
    const struct json *j = testing_json(a, arena_str(a, buf_str(&text)));
    testing_text(json_text(json_get(j, "kind"), STR_EMPTY), "ConversionReview");
    testing_text(json_text(json_get(json_get(j, "response"), "uid"), STR_EMPTY), "u1");
    return json_get(j, "response");
}

static void all_or_none(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kinds *kinds = testing_shop(a);
    const struct json *r =
        answer_to(a, kinds, HEAD "\"desiredAPIVersion\":\"db.shop.example.org/v1beta2\",\"objects\":[" OLD "," NEW "]}}");
    testing_text(managed_text(managed_at(r, "result", "status", NULL)), "Success");
    assert_true(json_eq(json_get(r, "convertedObjects"), testing_jsonz(a, "[" NEW "," NEW "]")));
    r = answer_to(a, kinds, HEAD "\"desiredAPIVersion\":\"db.shop.example.org/v1beta1\",\"objects\":[" OLD "," NEW "]}}");
    assert_true(json_eq(json_get(r, "convertedObjects"), testing_jsonz(a, "[" OLD "," OLD "]")));
    static const char *const refused[][2] = {
        {HEAD "\"desiredAPIVersion\":\"other.example.org/v1beta1\",\"objects\":[" OLD "]}}",
         "Table of db.shop.example.org/v1beta1 \"t\": the API group cannot be changed to other.example.org"},
        {HEAD "\"desiredAPIVersion\":\"db.shop.example.org/v1beta1\",\"objects\":[" OLD
              ",{\"apiVersion\":\"db.shop.example.org/v1\",\"kind\":\"Chair\"}]}}",
         "Chair of db.shop.example.org/v1 \"\": this kind is not served here"},
        {HEAD "\"desiredAPIVersion\":\"db.shop.example.org/v1beta1\",\"objects\":[7]}}",
         " of  \"\": the API group cannot be changed to db.shop.example.org"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        r = answer_to(a, kinds, refused[i][0]);
        assert_null(json_get(r, "convertedObjects"));
        testing_text(managed_text(managed_at(r, "result", "status", NULL)), "Failure");
        testing_text(managed_text(managed_at(r, "result", "message", NULL)), refused[i][1]);
    }
    kinds_free(kinds);
}

static void what_is_not_a_review(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "7",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1beta1\",\"kind\":\"ConversionReview\"}",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\"}",
        HEAD "\"objects\":[]}}",
        HEAD "\"desiredAPIVersion\":\"a/b\",\"objects\":{}}}",
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\",\"request\":{\"desiredAPIVersion\":\"a/b\"}}",
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kinds *kinds = testing_shop(a);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct buf text BUF_AUTO = BUF_INIT(1 << 20);
        assert_int_equal(conversion_review(kinds, a, str_of(texts[i]), &diags, &text), REVIEW_BAD);
        assert_int_equal(diags.n_errors, 1);
    }
    kinds_free(kinds);
}

static void an_answer_that_is_too_large(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kinds *kinds = testing_shop(a);
    struct diags diags;
    diags_init(&diags, a);
    struct buf text BUF_AUTO = BUF_INIT(240);
    const char *request = HEAD "\"desiredAPIVersion\":\"db.shop.example.org/v1beta2\",\"objects\":[" OLD "," OLD "," OLD "]}}";
    assert_int_equal(conversion_review(kinds, a, str_of(request), &diags, &text), REVIEW_ANSWERED);
    const struct json *j = testing_json(a, arena_str(a, buf_str(&text)));
    testing_text(managed_text(managed_at(j, "response", "result", "status", NULL)), "Failure");
    kinds_free(kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_or_none),
        cmocka_unit_test(what_is_not_a_review),
        cmocka_unit_test(an_answer_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
