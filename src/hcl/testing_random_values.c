/*
 * Random values in both syntaxes, for tests/scenario/hcl_terraform.
 *
 *     hcl_random FOLDER SEED COUNT
 *
 * writes FOLDER/native/values.tf and FOLDER/json/values.tf.json with an output for each value, and FOLDER/expected.json with the
 * values: {"v0": VALUE, ...}. The same seed gives the same files.
 */
#include "base/file.h"
#include "base/vec.h"
#include "hcl/from_value.h"
#include "hcl/write.h"
#include "value/json_value.h"
#include "value/testing_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LIMIT = 256 << 20, DEPTH = 3 };

/* Strings that are special to a writer or reader. */
static const char *const pieces[] = {
    "a",
    "Z9",
    "-",
    "_",
    "\xc3\xa9",
    "\xe6\x97\xa5",
    "\"",
    "\\",
    "\n",
    "\r",
    "\t",
    " ",
    "  if true; then",
    "\tdone",
    "$",
    "%",
    "${",
    "%{",
    "$${",
    "%%{",
    "}",
    "{",
    "[",
    "#",
    "//",
    "/*",
    "EOT",
    "\nEOT\n",
    "<<EOT",
    "\x01",
    "\x7f",
    "\\u00e9",
    "\xc2\x85",
    "\xe2\x80\xa8",
    "\xef\xbb\xbf",
    "~}",
    "$$",
    "%%",
    "<",
    "&",
    "\xf0\x9f\xa4\xb7",
    "e\xcc\x81",
    "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
    "for",
    "\n\n",
    "{\"a\":1}",
    "[null]",
};
enum { N_PIECES = sizeof pieces / sizeof pieces[0] };

static struct str random_words(struct random *r, struct arena *a)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 12);
    bool lines = random_next(r, 3) == 0;
    for (size_t n = random_next(r, 9); n > 0; n--) {
        buf_addz(&text, pieces[random_next(r, N_PIECES)]);
        if (lines)
            buf_addz(&text, "\n");
    }
    return buf_copy(&text, a);
}

static struct str random_json(struct random *r, struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = random_value(r, a,
                                         type_object(a,
                                                     (struct type_attr[]){{.name = STR("Version"), .type = &type_string},
                                                                          {.name = STR("x"), .type = random_type(r, a, 2)}},
                                                     2));
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer w = {.out = &out, .html_escape = random_next(r, 4) > 0, .indent = random_next(r, 6) == 0 ? 2 : 0};
    (void)value_write_json(&w, v, v->type, &diags);
    return json_finish(&w) ? buf_copy(&out, a) : STR_EMPTY;
}

static const struct value *with_words(void *ctx, struct arena *a, struct path path, const struct value *v)
{
    (void)path;
    struct random *r = ctx;
    if (v->type->kind == TYPE_STRING && v->state == VALUE_KNOWN)
        return value_string(a, random_next(r, 8) == 0 ? random_json(r, a) : random_words(r, a));
    if (v->type->kind != TYPE_MAP || v->state != VALUE_KNOWN || v->n == 0)
        return v;
    struct str *keys = arena_make_n(a, struct str, v->n);
    for (size_t i = 0; i < v->n; i++) {
        const struct value *key = value_string(a, random_words(r, a));
        keys[i] = key->string;
    }
    return value_map(a, v->type->element, keys, v->elements, v->n);
}

static bool save(struct arena *a, const char *folder, const char *name, struct str content)
{
    struct diags diags;
    diags_init(&diags, a);
    return file_write(arena_printf(a, "%s/%s", folder, name).p, content, 0666, &diags);
}

#define NAMED "Z9"

/*
 * In a string that contains NAMED, replaces it with a reference to local.named, as imported code has references inside longer
 * strings.
 */
static const struct hcl_expr *with_reference(void *ctx, struct path path, const struct value *v)
{
    (void)path;
    struct arena *a = ctx;
    struct str rest = v->string;
    VEC(const struct hcl_expr *) parts = {0};
    for (const char *at; (at = memmem(rest.p, rest.n, NAMED, strlen(NAMED))) != NULL;) {
        size_t n = (size_t)(at - rest.p);
        if (n > 0)
            *VEC_PUSH(a, &parts) = hcl_make_string(a, str_slice(rest, 0, n));
        *VEC_PUSH(a, &parts) = hcl_make_traversal(a, STR("local"), &STR("named"), 1);
        rest = str_slice(rest, n + strlen(NAMED), rest.n);
    }
    if (parts.n == 0)
        return NULL;
    if (rest.n > 0)
        *VEC_PUSH(a, &parts) = hcl_make_string(a, rest);
    if (parts.n == 1)
        return parts.v[0];
    struct hcl_expr *e = arena_make(a, struct hcl_expr);
    e->kind = HCL_EXPR_TEMPLATE;
    e->parts = (struct hcl_exprs){parts.v, parts.n};
    return e;
}

static struct hcl_block locals(struct arena *a)
{
    struct hcl_attr *attr = arena_make(a, struct hcl_attr);
    *attr = (struct hcl_attr){.name = STR("named"), .value = hcl_make_string(a, STR(NAMED))};
    return (struct hcl_block){.type = STR("locals"), .body = {.attrs = attr, .n_attrs = 1}};
}

static struct hcl_block output(struct arena *a, size_t i, const struct value *v, bool json)
{
    struct hcl_from from = {.arena = a, .no_functions = json, .text = with_reference, .ctx = a};
    struct str *label = arena_make(a, struct str);
    *label = arena_printf(a, "v%zu", i);
    struct hcl_attr *attr = arena_make(a, struct hcl_attr);
    *attr = (struct hcl_attr){.name = STR("value"), .value = hcl_from_value(&from, PATH_ROOT, v)};
    return (struct hcl_block){.type = STR("output"), .labels = label, .n_labels = 1, .body = {.attrs = attr, .n_attrs = 1}};
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    if (argc != 4)
        return 64;
    struct random r = {.state = strtoull(argv[2], NULL, 10) | 1};
    size_t count = strtoull(argv[3], NULL, 10);
    struct buf native BUF_AUTO = BUF_INIT(LIMIT), json BUF_AUTO = BUF_INIT(LIMIT), expected BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer e = {.out = &expected}, j = {.out = &json, .indent = 2};
    struct hcl_block *blocks = arena_make_n(a, struct hcl_block, count + 1),
                     *in_json = arena_make_n(a, struct hcl_block, count + 1);
    struct diags diags;
    diags_init(&diags, a);
    json_begin_object(&e);
    for (size_t i = 0; i < count; i++) {
        const struct value *v = random_value(&r, a, random_type(&r, a, DEPTH));
        v = value_transform(a, v, with_words, &r);
        blocks[i] = output(a, i, v, false);
        in_json[i] = output(a, i, v, true);
        json_key(&e, blocks[i].labels[0]);
        if (!value_write_json(&e, v, v->type, &diags))
            return 1;
    }
    json_end_object(&e);
    blocks[count] = in_json[count] = locals(a);
    hcl_write(&native, &(struct hcl_body){.blocks = blocks, .n_blocks = count + 1});
    hcl_write_json(&j, &(struct hcl_body){.blocks = in_json, .n_blocks = count + 1});
    (void)mkdir(arena_printf(a, "%s/native", argv[1]).p, 0777);
    (void)mkdir(arena_printf(a, "%s/json", argv[1]).p, 0777);
    bool ok = json_finish(&e) && json_finish(&j) && buf_ok(&native) && save(a, argv[1], "native/values.tf", buf_str(&native)) &&
              save(a, argv[1], "json/values.tf.json", buf_str(&json)) && save(a, argv[1], "expected.json", buf_str(&expected));
    return ok ? 0 : 1;
}
