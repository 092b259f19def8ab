/* Difficult texts, and the layout. tests/scenario/hcl_terraform checks random values with terraform. */
#include "hcl/write.h"

#include "base/testing.h"
#include "hcl/from_value.h"
#include "hcl/testing_dump.h"
#include "schema/testing_schema.h"
#include "value/json_value.h"

static struct str written(struct arena *a, const struct hcl_body *body)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    hcl_write(&out, body);
    assert_true(buf_ok(&out));
    return buf_copy(&out, a);
}

/* An argument x with this text; what is written must be read as the same text. */
static struct str argument(struct arena *a, struct str text)
{
    struct hcl_from from = {.arena = a};
    const struct value *v = value_string(a, text);
    struct hcl_attr attr = {.name = STR("x"), .value = hcl_from_value(&from, PATH_ROOT, v)};
    struct hcl_body body = {.attrs = &attr, .n_attrs = 1};
    struct str out = written(a, &body);
    struct diags diags;
    diags_init(&diags, a);
    const struct hcl_body *read = hcl_parse(a, out, "written", 1, &diags);
    testing_no_errors(&diags);
    struct buf was BUF_AUTO = BUF_INIT(TESTING_MAX), is BUF_AUTO = BUF_INIT(TESTING_MAX);
    dump_body(&was, &body);
    dump_body(&is, read);
    testing_text(buf_str(&is), buf_copy(&was, a).p);
    return out;
}

static void texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"", "x = \"\"\n"},
        {"plain", "x = \"plain\"\n"},
        {"say \"hi\" \\", "x = \"say \\\"hi\\\" \\\\\"\n"},
        {"${a}", "x = \"$${a}\"\n"},
        {"$${a}", "x = \"$$${a}\"\n"},
        {"%{if}", "x = \"%%{if}\"\n"},
        {"100% $5 $ %", "x = \"100% $5 $ %\"\n"},
        {"tab\tend", "x = \"tab\\tend\"\n"},
        {"\x01\x7f", "x = \"\\u0001\\u007f\"\n"},
        {"\xe2\x80\xa8", "x = \"\\u2028\"\n"},
        {"\xf0\x9f\xa4\xb7", "x = \"\xf0\x9f\xa4\xb7\"\n"},
        /* A single line, and lines that a heredoc would change, are written in quotes. */
        {"one line\n", "x = \"one line\\n\"\n"},
        {"a\nb", "x = \"a\\nb\"\n"},
        {"a\r\nb\n", "x = \"a\\r\\nb\\n\"\n"},
        {"a\n\x01\n", "x = \"a\\n\\u0001\\n\"\n"},
        {"a\nb\n", "x = <<-EOT\n  a\n  b\nEOT\n"},
        {"a\n\n\tb\\ \"c\"\n", "x = <<-EOT\n  a\n\n  \tb\\ \"c\"\nEOT\n"},
        {"a\n  EOT\n", "x = <<-EOT2\n  a\n    EOT\nEOT2\n"},
        {"${a}\n%{b}\n", "x = <<-EOT\n  $${a}\n  %%{b}\nEOT\n"},
        /* Not indented if reading it would give another text. */
        {"\n\n", "x = <<EOT\n\n\nEOT\n"},
        {"  a\n b\n", "x = <<EOT\n  a\n b\nEOT\n"},
        {"a\n \nb\n", "x = <<EOT\na\n \nb\nEOT\n"},
        {"a\n\xcc\x81z\n", "x = <<EOT\na\n\xcc\x81z\nEOT\n"},
        /* JSON that jsonencode() would not reproduce byte for byte is written as a string. */
        {"{}", "x = jsonencode({})\n"},
        {"{\"a\":[1,null]}", "x = jsonencode({\n  a = [1, null]\n})\n"},
        {"{\"for\":\"${b}\"}", "x = jsonencode({\n  \"for\" = \"$${b}\"\n})\n"},
        {"{\"b\":1,\"a\":2}", "x = \"{\\\"b\\\":1,\\\"a\\\":2}\"\n"},
        {"{\"a\": 1}", "x = \"{\\\"a\\\": 1}\"\n"},
        {"{\"a\":1.0}", "x = \"{\\\"a\\\":1.0}\"\n"},
        {"[\"<\"]", "x = \"[\\\"<\\\"]\"\n"},
        {"[\"\\u003c\"]", "x = jsonencode([\"<\"])\n"},
        {"{\"a\":1,\"a\":1}", "x = \"{\\\"a\\\":1,\\\"a\\\":1}\"\n"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        testing_text(argument(a, str_of(table[i].text)), table[i].expected);
}

#define SCHEMA                                                                                                                   \
    "{\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true},\"size\":{\"type\":\"number\",\"optional\":true},"        \
    "\"gone\":{\"type\":\"string\",\"optional\":true},\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true},"               \
    "\"zones\":{\"type\":[\"set\",\"string\"],\"optional\":true},"                                                               \
    "\"user_data\":{\"type\":\"string\",\"optional\":true},"                                                                     \
    "\"shape\":{\"type\":[\"object\",{\"a\":\"bool\",\"b\":\"string\"}],\"optional\":true},"                                     \
    "\"ports\":{\"nested_type\":{\"nesting_mode\":\"list\",\"attributes\":{\"from\":{\"type\":\"number\",\"optional\":true},"    \
    "\"to\":{\"type\":\"number\",\"optional\":true}}},\"optional\":true}},"                                                      \
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"port\":{\"type\":\"number\","             \
    "\"optional\":true}}}},\"by\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"k\":{\"type\":\"bool\","                \
    "\"optional\":true}}}}}}"

#define VALUE                                                                                                                    \
    "{\"name\":\"web\",\"size\":-1.5,\"gone\":null,\"tags\":{\"for\":\"x\",\"a b\":\"y\",\"Name\":null},"                        \
    "\"zones\":[\"a\",\"b\"],\"user_data\":\"#!/bin/sh\\ntrue\\n\",\"shape\":{\"a\":true,\"b\":null},"                           \
    "\"ports\":[{\"from\":1,\"to\":null}],\"rule\":[{\"port\":1},{\"port\":null}],\"by\":{\"x\":{\"k\":false}}}"

static struct hcl_body object(struct arena *a, bool no_functions)
{
    struct hcl_from from = {.arena = a, .no_functions = no_functions};
    const struct schema_block *schema = testing_block(a, SCHEMA);
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = value_from_json(a, testing_jsonz(a, VALUE), schema->type, PATH_ROOT, &diags);
    testing_no_errors(&diags);
    return hcl_from_object(&from, schema, PATH_ROOT, v);
}

static void layout(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str labels[] = {STR("t"), STR("web")};
    struct hcl_block block = {.type = STR("resource"), .labels = labels, .n_labels = 2, .body = object(a, false)};
    block.comment = STR("Two\nlines");
    testing_text(written(a, &(struct hcl_body){.blocks = &block, .n_blocks = 1}), "# Two\n"
                                                                                  "# lines\n"
                                                                                  "resource \"t\" \"web\" {\n"
                                                                                  "  name  = \"web\"\n"
                                                                                  "  size  = -1.5\n"
                                                                                  "  zones = [\"a\", \"b\"]\n"
                                                                                  "\n"
                                                                                  "  ports = [\n"
                                                                                  "    {\n"
                                                                                  "      from = 1\n"
                                                                                  "    },\n"
                                                                                  "  ]\n"
                                                                                  "\n"
                                                                                  "  shape = {\n"
                                                                                  "    a = true\n"
                                                                                  "    b = null\n"
                                                                                  "  }\n"
                                                                                  "\n"
                                                                                  "  tags = {\n"
                                                                                  "    Name  = null\n"
                                                                                  "    \"a b\" = \"y\"\n"
                                                                                  "    \"for\" = \"x\"\n"
                                                                                  "  }\n"
                                                                                  "\n"
                                                                                  "  user_data = <<-EOT\n"
                                                                                  "    #!/bin/sh\n"
                                                                                  "    true\n"
                                                                                  "  EOT\n"
                                                                                  "\n"
                                                                                  "  by \"x\" {\n"
                                                                                  "    k = false\n"
                                                                                  "  }\n"
                                                                                  "\n"
                                                                                  "  rule {\n"
                                                                                  "    port = 1\n"
                                                                                  "  }\n"
                                                                                  "\n"
                                                                                  "  rule {}\n"
                                                                                  "}\n");
}

static void templates(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct hcl_expr *bucket = hcl_make_traversal(a, STR("aws_s3_bucket"), (struct str[]){STR("b"), STR("arn")}, 2);
    const struct hcl_expr *parts[] = {hcl_make_string(a, STR("a$")), bucket, hcl_make_string(a, STR("/*"))};
    struct hcl_attr attrs[] = {{.name = STR("whole"), .value = hcl_make_template(a, &bucket, 1)},
                               {.name = STR("part"), .value = hcl_make_template(a, parts + 1, 2)},
                               {.name = STR("dollar"), .value = hcl_make_template(a, parts, 2), .comment = STR("why")}};
    struct hcl_body body = {.attrs = attrs, .n_attrs = 3};
    testing_text(written(a, &body), "whole = aws_s3_bucket.b.arn\n"
                                    "part  = \"${aws_s3_bucket.b.arn}/*\"\n"
                                    "# why\n"
                                    "dollar = \"a${\"$\"}${aws_s3_bucket.b.arn}\"\n");
}

static void as_json(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    const struct hcl_expr *name = hcl_make_traversal(a, STR("t"), (struct str[]){STR("web")}, 1);
    struct hcl_attr attrs[] = {{.name = STR("to"), .value = name}, {.name = STR("id"), .value = hcl_make_string(a, STR("${x}"))}};
    struct hcl_block import = {.type = STR("import"), .body = {.attrs = attrs, .n_attrs = 2}};
    struct hcl_body body = object(a, true), all = {.blocks = &import, .n_blocks = 1};
    hcl_write_json(&w, &all);
    assert_true(json_finish(&w));
    testing_text(buf_str(&out), "{\"import\":[{\"to\":\"t.web\",\"id\":\"$${x}\"}]}");
    buf_clear(&out);
    w = (struct json_writer){.out = &out};
    hcl_write_json(&w, &body);
    assert_true(json_finish(&w));
    testing_text(buf_str(&out), "{\"name\":\"web\",\"size\":-1.5,\"zones\":[\"a\",\"b\"],\"ports\":[{\"from\":1}],"
                                "\"shape\":{\"a\":true,\"b\":null},\"tags\":{\"Name\":null,\"a b\":\"y\",\"for\":\"x\"},"
                                "\"user_data\":\"#!/bin/sh\\ntrue\\n\",\"by\":[{\"x\":{\"k\":false}}],"
                                "\"rule\":[{\"port\":1},{}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(layout),
        cmocka_unit_test(templates),
        cmocka_unit_test(as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
