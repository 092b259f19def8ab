/* Conversions between versions: there and back again, and lists that do not fit. */
#include "conversion/shapes.h"

#include "base/testing.h"
#include "conversion/testing_conversion.h"
#include "managed/edit.h"

struct world {
    struct arena *arena;
    struct kinds *kinds;
    const struct xp_kind *model;
};

static struct world begin(void)
{
    struct world w = {.arena = arena_new(NULL, 0)};
    w.kinds = testing_shop(w.arena);
    w.model = testing_table(w.kinds, w.arena);
    return w;
}

static void end(struct world *w)
{
    kinds_free(w->kinds);
    arena_free(w->arena);
}

static const struct json *object(struct world *w, const char *version, const char *rest)
{
    return testing_json(
        w->arena, arena_printf(w->arena, "{\"apiVersion\":\"db.shop.example.org/%s\",\"kind\":\"Table\",%s}", version, rest));
}

static const struct json *to(struct world *w, const struct json *o, const char *version)
{
    return conversion_object(w->arena, w->model, o, str_of(version), MISFITS_KEPT);
}

static void same(const struct json *got, const struct json *wanted)
{
    if (json_eq(got, wanted))
        return;
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer out = {.out = &text};
    json_write(&out, got);
    buf_addz(&text, "\n");
    json_write(&out, wanted);
    fail_msg("%.*s", (int)text.n, buf_str(&text).p);
}

/* old, new: converting back must give the old one. */
static const char *const pairs[][2] = {
    {"\"spec\":{\"forProvider\":{\"name\":\"n\"}}", "\"spec\":{\"forProvider\":{\"name\":\"n\"}}"},
    {"\"spec\":{\"forProvider\":{\"one\":[{\"a\":\"x\"}]}}", "\"spec\":{\"forProvider\":{\"one\":{\"a\":\"x\"}}}"},
    {"\"spec\":{\"forProvider\":{\"one\":[{\"deep\":[{\"b\":\"y\"}]}]},\"initProvider\":{\"one\":[{\"a\":\"i\"}]}},"
     "\"status\":{\"atProvider\":{\"one\":[{\"a\":\"s\",\"deep\":[{}]}],\"id\":\"1\"},\"conditions\":[{\"type\":\"Ready\"}]}",
     "\"spec\":{\"forProvider\":{\"one\":{\"deep\":{\"b\":\"y\"}}},\"initProvider\":{\"one\":{\"a\":\"i\"}}},"
     "\"status\":{\"atProvider\":{\"one\":{\"a\":\"s\",\"deep\":{}},\"id\":\"1\"},\"conditions\":[{\"type\":\"Ready\"}]}"},
    {"\"spec\":{\"forProvider\":{\"many\":[{\"inner\":[{\"d\":\"1\"}]},{\"c\":\"z\"},{\"inner\":[{}]}]}}",
     "\"spec\":{\"forProvider\":{\"many\":[{\"inner\":{\"d\":\"1\"}},{\"c\":\"z\"},{\"inner\":{}}]}}"},
    /* a user's own value that only looks like such a block */
    {"\"spec\":{\"forProvider\":{\"any\":{\"one\":[{\"a\":1}]}},\"one\":[1]}",
     "\"spec\":{\"forProvider\":{\"any\":{\"one\":[{\"a\":1}]}},\"one\":[1]}"},
    /* malformed values stay as they are */
    {"\"spec\":{\"forProvider\":7},\"status\":[]", "\"spec\":{\"forProvider\":7},\"status\":[]"},
    {"\"spec\":{\"forProvider\":{\"one\":\"text\",\"many\":{}}}", "\"spec\":{\"forProvider\":{\"one\":\"text\",\"many\":{}}}"},
    {"\"spec\":{\"forProvider\":{\"one\":null}}", "\"spec\":{\"forProvider\":{\"one\":null}}"},
    /* renamed fields: at the top, in an object that still exists, in one that no longer does */
    {"\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"title\":\"n\"},\"initProvider\":{\"name\":\"i\"}}",
     "\"metadata\":{\"name\":\"t\",\"annotations\":{\"terrane/kept-lists\":\"{\\\"spec.forProvider.title\\\":true}\"}},"
     "\"spec\":{\"forProvider\":{\"name\":\"n\"},\"initProvider\":{\"name\":\"i\"}}"},
    {"\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"one\":[{\"a\":\"x\",\"d\":\"y\"}]}}",
     "\"metadata\":{\"name\":\"t\",\"annotations\":{\"terrane/kept-lists\":\"{\\\"spec.forProvider.one.d\\\":true}\"}},"
     "\"spec\":{\"forProvider\":{\"one\":{\"a\":\"x\",\"deep\":{\"b\":\"y\"}}}}"},
    {"\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"gone\":[{\"a\":\"x\",\"z\":1}]}}",
     "\"metadata\":{\"name\":\"t\",\"annotations\":{\"terrane/kept-lists\":\"{\\\"spec.forProvider.gone.a\\\":true}\"}},"
     "\"spec\":{\"forProvider\":{\"gone\":[{\"z\":1}],\"one\":{\"a\":\"x\"}}}"},
    {"\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"gone\":[{\"a\":\"x\"}]}}",
     "\"metadata\":{\"name\":\"t\",\"annotations\":{\"terrane/kept-lists\":\"{\\\"spec.forProvider.gone.a\\\":true}\"}},"
     "\"spec\":{\"forProvider\":{\"one\":{\"a\":\"x\"}}}"},
    /* both names, something in the way, several elements: nothing is moved */
    {"\"spec\":{\"forProvider\":{\"title\":\"n\",\"name\":\"m\"}}",
     "\"spec\":{\"forProvider\":{\"title\":\"n\",\"name\":\"m\"}}"},
    {"\"spec\":{\"forProvider\":{\"gone\":[{\"a\":\"x\"}],\"one\":7}}",
     "\"spec\":{\"forProvider\":{\"gone\":[{\"a\":\"x\"}],\"one\":7}}"},
    {"\"spec\":{\"forProvider\":{\"gone\":[{\"a\":\"x\"},{\"a\":\"y\"}]}}",
     "\"spec\":{\"forProvider\":{\"gone\":[{\"a\":\"x\"},{\"a\":\"y\"}]}}"},
    /* lists that do not fit */
    {"\"metadata\":{\"name\":\"t\"},\"spec\":{\"forProvider\":{\"one\":[]}}",
     "\"metadata\":{\"name\":\"t\",\"annotations\":{\"terrane/kept-lists\":\"{\\\"spec.forProvider.one\\\":[]}\"}},"
     "\"spec\":{\"forProvider\":{}}"},
    {"\"metadata\":{\"annotations\":{\"mine\":\"x\"}},\"spec\":{\"forProvider\":{\"many\":[{},{\"inner\":[{\"d\":\"1\"},{\"d\":"
     "\"2\"}]}]}}",
     "\"metadata\":{\"annotations\":{\"mine\":\"x\",\"terrane/kept-lists\":"
     "\"{\\\"spec.forProvider.many[1].inner\\\":[{\\\"d\\\":\\\"1\\\"},{\\\"d\\\":\\\"2\\\"}]}\"}},"
     "\"spec\":{\"forProvider\":{\"many\":[{},{\"inner\":{\"d\":\"1\"}}]}}"},
    {"\"metadata\":{},\"spec\":{\"forProvider\":{\"one\":[{\"deep\":[{\"b\":\"1\"},{\"b\":\"2\"}]},{\"a\":\"2\"}]}}",
     "\"metadata\":{\"annotations\":{\"terrane/"
     "kept-lists\":\"{\\\"spec.forProvider.one\\\":[{\\\"deep\\\":[{\\\"b\\\":\\\"1\\\"},"
     "{\\\"b\\\":\\\"2\\\"}]},{\\\"a\\\":\\\"2\\\"}]}\"}},\"spec\":{\"forProvider\":{\"one\":{\"deep\":{\"b\":\"1\"}}}}"},
};

static void there_and_back(void **state)
{
    (void)state;
    struct world w = begin();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct json *old = object(&w, "v1beta1", pairs[i][0]), *new = object(&w, "v1beta2", pairs[i][1]);
        same(to(&w, old, "v1beta2"), new);
        bool empty_metadata = strstr(pairs[i][0], "\"metadata\":{}") != NULL;
        const struct json *back = to(&w, new, "v1beta1");
        same(empty_metadata ? managed_put(w.arena, back, json_make_object(w.arena, NULL, 0), "metadata", NULL) : back, old);
        same(to(&w, back, "v1beta2"), new);
        same(to(&w, old, "v1beta1"), old);
        same(to(&w, new, "v1beta2"), new);
        same(to(&w, old, "v1alpha1"), object(&w, "v1alpha1", pairs[i][0])); /* the two old versions have the same shape */
    }
    end(&w);
}

static void an_element_that_changed_is_not_what_was_kept(void **state)
{
    (void)state;
    struct world w = begin();
    const struct json *new =
        to(&w, object(&w, "v1beta1", "\"spec\":{\"forProvider\":{\"one\":[{\"a\":\"1\"},{\"a\":\"2\"}]}}"), "v1beta2");
    new = managed_put(w.arena, new, json_make_string(w.arena, STR("3")), "spec", "forProvider", "one", "a", NULL);
    same(managed_at(to(&w, new, "v1beta1"), "spec", NULL), testing_jsonz(w.arena, "{\"forProvider\":{\"one\":[{\"a\":\"3\"}]}}"));
    assert_null(managed_at(to(&w, new, "v1beta1"), "metadata", "annotations", NULL));
    new = to(&w, object(&w, "v1beta1", "\"spec\":{\"forProvider\":{\"one\":[]}}"), "v1beta2");
    new = managed_put(w.arena, new, testing_jsonz(w.arena, "{\"a\":\"3\"}"), "spec", "forProvider", "one", NULL);
    same(managed_at(to(&w, new, "v1beta1"), "spec", NULL), testing_jsonz(w.arena, "{\"forProvider\":{\"one\":[{\"a\":\"3\"}]}}"));
    end(&w);
}

static void manifests_are_not_annotated(void **state)
{
    (void)state;
    struct world w = begin();
    const struct json *manifest = object(&w, "v1beta1", "\"spec\":{\"forProvider\":{\"title\":\"n\",\"one\":[{\"d\":\"y\"}]}}");
    same(conversion_object(w.arena, w.model, manifest, STR("v1beta2"), MISFITS_STAY),
         object(&w, "v1beta2", "\"spec\":{\"forProvider\":{\"name\":\"n\",\"one\":{\"deep\":{\"b\":\"y\"}}}}"));
    end(&w);
}

/* A value that was changed under the new name appears under the old one. */
static void a_renamed_field_may_change(void **state)
{
    (void)state;
    struct world w = begin();
    const struct json *new = to(&w, object(&w, "v1beta1", "\"spec\":{\"forProvider\":{\"title\":\"n\"}}"), "v1beta2");
    new = managed_put(w.arena, new, json_make_string(w.arena, STR("m")), "spec", "forProvider", "name", NULL);
    same(to(&w, new, "v1beta1"), object(&w, "v1beta1", "\"metadata\":{},\"spec\":{\"forProvider\":{\"title\":\"m\"}}"));
    new = managed_put(w.arena, new, NULL, "spec", "forProvider", "name", NULL);
    same(json_get(to(&w, new, "v1beta1"), "spec"), testing_jsonz(w.arena, "{\"forProvider\":{}}"));
    end(&w);
}

static void annotations_of_others(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "{",
                                        "[]",
                                        "7",
                                        "{\\\"spec.forProvider.one\\\":7}",
                                        "{\\\"spec.forProvider.one\\\":[7,8]}",
                                        "{\\\"spec.forProvider.one\\\":[{\\\"a\\\":\\\"1\\\"}]}"};
    struct world w = begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *rest = arena_printf(w.arena,
                                        "\"metadata\":{\"annotations\":{\"terrane/kept-lists\":\"%s\"}},"
                                        "\"spec\":{\"forProvider\":{\"one\":{\"a\":\"x\"}}}",
                                        texts[i])
                               .p;
        const struct json *old = to(&w, object(&w, "v1beta2", rest), "v1beta1");
        same(json_get(old, "spec"), testing_jsonz(w.arena, "{\"forProvider\":{\"one\":[{\"a\":\"x\"}]}}"));
    }
    end(&w);
}

static void what_is_too_much_is_not_kept(void **state)
{
    (void)state;
    struct world w = begin();
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    buf_addz(&text, "\"spec\":{\"forProvider\":{\"one\":[{\"a\":\"first\"},{\"a\":\"");
    for (size_t i = 0; i < CONVERSION_MAX_KEPT; i++)
        buf_addc(&text, 'x');
    buf_addz(&text, "\"}]}}");
    buf_addc(&text, 0);
    const struct json *new = to(&w, object(&w, "v1beta1", buf_str(&text).p), "v1beta2");
    assert_null(json_get(new, "metadata"));
    same(json_get(new, "spec"), testing_jsonz(w.arena, "{\"forProvider\":{\"one\":{\"a\":\"first\"}}}"));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(an_element_that_changed_is_not_what_was_kept),
        cmocka_unit_test(manifests_are_not_annotated),
        cmocka_unit_test(a_renamed_field_may_change),
        cmocka_unit_test(annotations_of_others),
        cmocka_unit_test(what_is_too_much_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
