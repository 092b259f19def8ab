#include "aws/xml.h"

#include "base/buf.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void texts_are_found_by_place(void **state)
{
    (void)state;
    static const struct {
        const char *xml, *place, *text;
    } cases[] = {
        {"<a><b>x</b></a>", "a/b", "x"},
        {"<?xml version=\"1.0\"?>\n<!-- c -->\n<a xmlns=\"u\">\n <b i='>'>x</b>\n</a>\n", "a/b", "x"},
        {"<a><b>1</b><b>2</b></a>", "a/b", "1"},
        {"<a><x><b>no</b></x><b>yes</b></a>", "a/b", "yes"},
        {"<R><Error><Code>E</Code></Error></R>", "*/Error/Code", "E"},
        {"<n:a><m:b>x</m:b></n:a>", "a/b", "x"},
        {"<a><b/><c>x</c></a>", "a/b", ""},
        {"<a><b>1 &lt; 2 &amp;&#x26;&#233; &quot;&apos;&gt;</b></a>", "a/b", "1 < 2 &&\xc3\xa9 \"'>"},
        {"<a><b>1<![CDATA[<&>]]>2<!-- - -->3<c>no</c>4</b></a>", "a/b", "1<&>234"},
        {"\xef\xbb\xbf<a>x</a >", "a", "x"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str text;
        if (!aws_xml_text(a, str_of(cases[i].xml), cases[i].place, &text))
            fail_msg("not found: %s in %s", cases[i].place, cases[i].xml);
        assert_string_equal(text.p, cases[i].text);
    }
}

static void what_is_not_well_formed_has_no_text(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "x",
        "<a><b>x</b>",
        "<a><b>x</a></b>",
        "<a><b>x</b></a>trailing",
        "<a><b>x</b></a><a/>",
        "<a><b>&unknown;</b></a>",
        "<a><b>&#0;</b></a>",
        "<a><b>&#xd800;</b></a>",
        "<a><b>&#99999999999;</b></a>",
        "<a><b>&lt</b></a>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a><b>&x;</b></a>",
        "<a><b>x</b></a",
        "<a><b>x</b><!-- </a>",
        "<a><b>x</b><c d=\"></c></a>",
        "<a><b>x</b><></a>",
        "<a><b>x</b><![CDATA[</a>",
        "<a><c>x</c></a>",
        "{\"a\": 1}",
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct str text = STR("untouched");
        if (aws_xml_text(a, str_of(bad[i]), "a/b", &text))
            fail_msg("taken: %s", bad[i]);
        assert_true(str_eqz(text, "untouched"));
    }
}

static void depth_has_a_bound(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf xml BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 100000; i++)
        buf_addz(&xml, "<a>");
    struct str text;
    assert_false(aws_xml_text(a, buf_str(&xml), "a", &text));
}

static void a_tree_has_all_of_it(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *root = aws_xml_tree(
        a, STR("<?xml version=\"1.0\"?><r x='1'><s:set><item><id>a &amp; b</id></item><item><id><![CDATA[<c>]]></id></item>"
               "</s:set><e/></r>"));
    assert_non_null(root);
    const struct json *r = json_get(root, "r"), *set = json_get(r, "set");
    assert_int_equal(set->object.n, 2);
    assert_true(str_eqz(json_text(json_get(set->object.members[0].value, "id"), STR_EMPTY), "a & b"));
    assert_true(str_eqz(json_text(json_get(set->object.members[1].value, "id"), STR_EMPTY), "<c>"));
    assert_int_equal(json_get(r, "e")->kind, JSON_STRING);
    assert_null(aws_xml_tree(a, STR("<a><b></a>")));
    assert_null(aws_xml_tree(a, STR("<!DOCTYPE a><a/>")));
    assert_null(aws_xml_tree(a, STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_found_by_place),
        cmocka_unit_test(what_is_not_well_formed_has_no_text),
        cmocka_unit_test(depth_has_a_bound),
        cmocka_unit_test(a_tree_has_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
