/* Which links an example shows, with a schema and without. */
#include "links/mine.h"

#include "links/markdown.h"
#include "links/testing_links.h"

static const char types[] =
    "\"x_net\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"arn\":{\"type\":"
    "\"string\","
    "\"computed\":true},\"roots\":{\"type\":[\"list\",[\"object\",{\"id\":\"string\"}]],\"computed\":true},\"labels\":{\"type\":["
    "\"map\",\"string\"],\"computed\":true}}}},"
    "\"x_app\":{\"version\":0,\"block\":{\"attributes\":{\"net_id\":{\"type\":\"string\",\"optional\":true},\"net_ids\":{"
    "\"type\":["
    "\"set\",\"string\"],\"optional\":true},\"policy\":{\"type\":\"string\",\"optional\":true},\"env\":{\"type\":[\"map\","
    "\"string\"],"
    "\"optional\":true},\"out\":{\"type\":\"string\",\"computed\":true},\"conf\":{\"nested_type\":{\"nesting_mode\":\"single\","
    "\"attributes\":{\"net\":{\"type\":\"string\",\"optional\":true}}},\"optional\":true}},\"block_types\":{\"one\":{"
    "\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"net\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"rule\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"net\":{\"type\":\"string\",\"optional\":true}}}}}}}";

/* Rows as "PATH>TARGET.ATTRIBUTE*COUNT", "~" before those that are a part. */
static const struct {
    const char *body, *with_schema, *without;
} cases[] = {
    {"net_id = x_net.a.id", "net_id>x_net.id*1", "net_id>x_net.id*1"},
    {"net_id = \"${x_net.a.id}\"", "net_id>x_net.id*1", "net_id>x_net.id*1"},
    {"net_id = x_net.a[0].id", "net_id>x_net.id*1", "net_id>x_net.id*1"},
    {"net_id = x_net.a[\"k\"].id", "net_id>x_net.id*1", "net_id>x_net.id*1"},
    {"net_id = x_net.a.roots[0].id", "net_id>x_net.roots[].id*1", "net_id>x_net.roots[].id*1"},
    {"net_id = x_net.a.labels[\"k\"]", "net_id>x_net.labels{}*1", "net_id>x_net.labels{}*1"},
    {"net_id = x_net.a", "", ""},
    {"net_id = x_net.a.gone", "", "net_id>x_net.gone*1"},
    {"net_id = y_other.a.id", "", "net_id>y_other.id*1"},
    {"net_id = data.x_net.a.id", "", ""},
    {"net_id = var.net_id", "", ""},
    {"net_id = module.x_net.id", "", ""},
    {"net_id = local.x_net.id", "", ""},
    {"net_id = f(x_net.a.id).b", "", ""},
    {"out = x_net.a.id", "", "out>x_net.id*1"},
    {"nothing = x_net.a.id", "", "nothing>x_net.id*1"},
    {"net_ids = [x_net.a.id, x_net.b.id]", "net_ids[]>x_net.id*2", "net_ids[]>x_net.id*2"},
    {"net_ids = x_net.a[*].id", "net_ids[]>x_net.id*1", "net_ids[]>x_net.id*1"},
    {"net_ids = [\"${x_net.a.*.id}\"]", "net_ids[]>x_net.id*1", "net_ids[]>x_net.id*1"},
    {"net_ids = concat([x_net.a.id], toset(x_net.b.*.id))", "net_ids[]>x_net.id*2", "net_ids[]>x_net.id*2"},
    {"net_ids = [for n in x_net.a : n.id]", "net_ids[]>x_net.id*1", "net_ids[]>x_net.id*1"},
    {"net_ids = [for k, n in values(x_net.a) : n.id if k]", "net_ids[]>x_net.id*1", "net_ids[]>x_net.id*1"},
    {"net_ids = [for x_net in var.nets : x_net.a.id]", "", ""},
    {"net_ids = [for k in var.keys : x_net.a[k].id]", "net_ids[]>x_net.id*1", "net_ids[]>x_net.id*1"},
    {"net_id = length(x_net.a.id) > 0 ? x_net.a.id : null", "net_id>x_net.id*1", "net_id>x_net.id*1"},
    {"net_id = x_net.a.id == \"\" ? 1 : 2", "", ""},
    {"net_id = md5(x_net.a.id)", "", ""},
    {"policy = \"${x_net.a.arn}/*\"", "~policy>x_net.arn*1", "~policy>x_net.arn*1"},
    {"policy = <<EOT\n{\"a\": \"${x_net.a.arn}\"}\nEOT\n", "~policy>x_net.arn*1", "~policy>x_net.arn*1"},
    {"policy = jsonencode({a = [x_net.a.arn], b = {c = \"${x_net.a.id}\"}})", "~policy>x_net.arn*1 ~policy>x_net.id*1",
     "~policy>x_net.arn*1 ~policy>x_net.id*1"},
    {"policy = format(\"%s\", x_net.a.arn)", "~policy>x_net.arn*1", "~policy>x_net.arn*1"},
    {"policy = \"%{ if x }${x_net.a.arn}%{ endif }.\"", "~policy>x_net.arn*1", "~policy>x_net.arn*1"},
    {"env = {A = x_net.a.id, \"b.c\" = x_net.a.id}", "env{}>x_net.id*2", "env.A>x_net.id*1 env{}>x_net.id*1"},
    {"env = {(k) = x_net.a.id}", "env{}>x_net.id*1", "env{}>x_net.id*1"},
    {"env = {for k, v in x_net.a : k => v.id}", "env{}>x_net.id*1", "env{}>x_net.id*1"},
    {"conf = {net = x_net.a.id}", "conf.net>x_net.id*1", "conf.net>x_net.id*1"},
    {"one {\n net = x_net.a.id\n}", "one.net>x_net.id*1", "one.net>x_net.id*1"},
    {"rule {\n net = x_net.a.id\n}\nrule {\n net = x_net.b.id\n}", "rule[].net>x_net.id*2", "rule.net>x_net.id*2"},
    {"dynamic \"rule\" {\n for_each = x_net.a\n content {\n net = rule.value.id\n }\n}", "rule[].net>x_net.id*1",
     "rule.net>x_net.id*1"},
    {"dynamic \"rule\" {\n for_each = x_net.a\n iterator = i\n content {\n net = i.value.id\n }\n}", "rule[].net>x_net.id*1",
     "rule.net>x_net.id*1"},
    {"dynamic \"rule\" {\n for_each = var.x\n content {\n net = x_net.a.id\n }\n}", "rule[].net>x_net.id*1",
     "rule.net>x_net.id*1"},
    {"for_each = x_net.a\nnet_id = each.value.id", "net_id>x_net.id*1", "net_id>x_net.id*1"},
    {"for_each = x_net.a\nnet_id = each.key", "", ""},
    {"count = x_net.a.id\ndepends_on = [x_net.a.id]\nprovider = x_net.a.id", "", ""},
    {"lifecycle {\n replace_triggered_by = [x_net.a.id]\n}\nprovisioner \"x\" {\n a = x_net.a.id\n}", "", ""},
    {"net_id = x_net.a[x_net.b.id].id", "net_id>x_net.id*1", "net_id>x_net.id*1"},
};

static const char *mined(const char *body, const struct provider_schema *schema)
{
    struct link_mine m;
    struct diags broken;
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    diags_init(&broken, testing_arena);
    link_mine_init(&m, testing_arena, schema);
    link_mine_page(&m, arena_printf(testing_arena, "```terraform\nresource \"x_app\" \"x\" {\n%s\n}\n```\n", body), "page.md",
                   &broken);
    testing_no_errors(&broken);
    link_rows_sort(&m.rows);
    for (size_t i = 0; i < m.rows.n; i++) {
        const struct link_row *r = &m.rows.v[i];
        assert_true(str_eqz(r->type, "x_app"));
        buf_printf(&out, "%s%s" STR_FMT ">" STR_FMT "." STR_FMT "*%u", i > 0 ? " " : "", r->kind == LINK_PART ? "~" : "",
                   STR_ARG(r->path), STR_ARG(r->target), STR_ARG(r->attribute), r->count);
    }
    return buf_copy(&out, testing_arena).p;
}

static void examples(void **state)
{
    (void)state;
    const struct provider_schema *schema = testing_schema(testing_arena, types);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *with = mined(cases[i].body, schema), *without = mined(cases[i].body, NULL);
        if (strcmp(with, cases[i].with_schema) != 0)
            fail_msg("%s\nwith a schema: %s", cases[i].body, with);
        if (strcmp(without, cases[i].without) != 0)
            fail_msg("%s\nwithout: %s", cases[i].body, without);
    }
}

static const char page[] = "# A page\n"
                           "\n"
                           "```hcl\n"
                           "resource \"x_app\" \"a\" {\n"
                           "  net_id = x_net.a.id\n"
                           "}\n"
                           "data \"x_app\" \"b\" {\n"
                           "  net_id = x_net.a.id\n"
                           "}\n"
                           "```\n"
                           "\n"
                           "```shell\n"
                           "resource \"x_app\" \"c\" {\n"
                           "```\n"
                           "\n"
                           "* in a list:\n"
                           "\n"
                           "    ```terraform\n"
                           "    resource \"x_app\" \"d\" {\n"
                           "      net_id = ...\n"
                           "    }\n"
                           "    ```\n"
                           "\n"
                           "~~~~ {.hcl}\n"
                           "resource \"x_app\" \"e\" {\n"
                           "  policy = <<EOT\n"
                           "```\n"
                           "${x_net.a.id}\n"
                           "EOT\n"
                           "}\n"
                           "~~~~\n"
                           "```tf\n"
                           "resource \"x_app\" \"f\" {\n"
                           "  env = { a = x_net.a.gone }\n"
                           "}\n";

static void pages(void **state)
{
    (void)state;
    struct link_mine m;
    struct diags broken;
    diags_init(&broken, testing_arena);
    link_mine_init(&m, testing_arena, testing_schema(testing_arena, types));
    link_mine_page(&m, STR(page), "page.md", &broken);
    assert_int_equal(m.n_pages, 1);
    assert_int_equal(m.n_examples, 4);
    assert_int_equal(m.n_broken, 1);
    assert_int_equal(m.n_dropped, 1);
    assert_int_equal(m.rows.n, 2);
    assert_int_equal(broken.n, 1);
    assert_non_null(strstr(broken.v[0].detail.p, "page.md:20:16: "));
}

static void fences(void **state)
{
    (void)state;
    static const struct {
        const char *page, *blocks;
    } table[] = {
        {"```hcl\na\n```\n", "hcl:2:a\n|"},
        {"```hcl\na", "hcl:2:a|"},
        {"```\n```\n", ":2:|"},
        {"```hcl\n```\n```tf\nb\n```", "hcl:2:|tf:4:b\n|"},
        {"````hcl\n```\nx\n```\n````\n", "hcl:2:```\nx\n```\n|"},
        {"```hcl\n~~~\n```\n", "hcl:2:~~~\n|"},
        {"```a``` b\n``\n", ""},
        {"``` hcl title=\"x\"\ny\n  ```  \nz", "hcl:2:y\n|"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct markdown m = markdown_of(str_of(table[i].page));
        struct markdown_code code;
        struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
        while (markdown_next(&m, &code))
            buf_printf(&out, STR_FMT ":%u:" STR_FMT "|", STR_ARG(code.language), code.line, STR_ARG(code.text));
        if (!str_eqz(buf_str(&out), table[i].blocks))
            fail_msg("%s: " STR_FMT, table[i].page, STR_ARG(buf_str(&out)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples),
        cmocka_unit_test(pages),
        cmocka_unit_test(fences),
    };
    return cmocka_run_group_tests(tests, testing_begin, testing_end);
}
