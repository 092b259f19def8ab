/* Provider configurations of a folder. */
#include "import/settings.h"

#include "base/testing.h"

#include <unistd.h>

static const char *folder_with(struct arena *a, const char *const *files)
{
    char name[] = "/tmp/terrane-settings-XXXXXX";
    const char *folder = arena_str(a, str_of(mkdtemp(name))).p;
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; files[i]; i += 2)
        assert_true(file_write(arena_printf(a, "%s/%s", folder, files[i]).p, str_of(files[i + 1]), 0600, &diags));
    return folder;
}

static void remove_folder(struct arena *a, const char *folder, const char *const *files)
{
    for (size_t i = 0; files[i]; i += 2)
        assert_int_equal(unlink(arena_printf(a, "%s/%s", folder, files[i]).p), 0);
    assert_int_equal(rmdir(folder), 0);
}

static const struct schema_block *provider_schema(struct arena *a)
{
    static const struct schema_block endpoints = {0};
    struct schema_nested_block *nested = arena_make(a, struct schema_nested_block);
    *nested = (struct schema_nested_block){.name = STR("endpoints"), .nesting = NESTING_LIST, .block = &endpoints};
    struct schema_block *b = arena_make(a, struct schema_block);
    *b = (struct schema_block){.blocks = nested, .n_blocks = 1};
    return b;
}

static struct str evaluated(struct arena *a, const struct settings *s, const char *alias, struct diags *diags)
{
    const struct settings_block *b = settings_find(s, STR("registry.terraform.io/hashicorp/aws"), str_of(alias));
    diags_init(diags, a);
    if (!b)
        return STR("none");
    const struct json *j = settings_evaluate(s, b, provider_schema(a), diags);
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    struct json_writer w = {.out = &out};
    if (!j)
        return STR("failed");
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

static void native(void **state)
{
    (void)state;
    static const char *const files[] = {
        "main.tf",
        "terraform {\n  required_providers {\n    amazon = { source = \"hashicorp/aws\", version = \"~> 5\" }\n  }\n}\n"
        "variable \"region\" { default = \"us-east-1\" }\nvariable \"other\" { default = \"x\" }\nvariable \"none\" {}\n"
        "locals {\n  second = \"${local.first}!\"\n  first  = var.other\n}\n"
        "provider \"amazon\" {\n  region = var.region\n  endpoints {\n    s3 = \"http://x\"\n  }\n}\n"
        "provider \"amazon\" {\n  alias = \"west\"\n  region = local.second\n}\n"
        "provider \"amazon\" {\n  alias = \"bad\"\n  region = data.x.y.z\n}\n"
        "provider \"amazon\" {\n  alias = \"unset\"\n  region = var.none\n}\nprovider \"aws\" {}\n",
        "terraform.tfvars",
        "other = \"y\"\n",
        "z.auto.tfvars.json",
        "{\"region\": \"eu-west-1\"}",
        ".terraform.lock.hcl",
        "provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \"5.100.0\"\n}\n",
        NULL,
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct settings s;
    diags_init(&diags, a);
    const char *folder = folder_with(a, files);
    assert_true(settings_read(&s, a, folder, &diags));
    testing_text(evaluated(a, &s, "", &diags), "{\"region\":\"eu-west-1\",\"endpoints\":[{\"s3\":\"http://x\"}]}");
    testing_text(evaluated(a, &s, "west", &diags), "{\"region\":\"y!\"}");
    testing_text(evaluated(a, &s, "bad", &diags), "failed");
    testing_says(&diags, "argument \"region\"");
    testing_says(&diags, "--provider-config amazon.bad=FILE");
    testing_text(evaluated(a, &s, "unset", &diags), "failed");
    testing_text(evaluated(a, &s, "nowhere", &diags), "none");
    testing_text(settings_version(&s, STR("registry.terraform.io/hashicorp/aws")), "5.100.0");
    remove_folder(a, folder, files);
}

static void json(void **state)
{
    (void)state;
    static const char *const files[] = {
        "main.tf.json",
        "{\"variable\": {\"r\": {\"default\": \"north\"}},"
        " \"provider\": {\"aws\": [{\"region\": \"${var.r}\", \"endpoints\": [{\"s3\": \"x\"}]}, {\"alias\": \"w\", \"region\": "
        "\"${x.y.z}\"}]}}",
        NULL,
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct settings s;
    diags_init(&diags, a);
    const char *folder = folder_with(a, files);
    assert_true(settings_read(&s, a, folder, &diags));
    testing_text(evaluated(a, &s, "", &diags), "{\"region\":\"north\",\"endpoints\":[{\"s3\":\"x\"}]}");
    testing_text(evaluated(a, &s, "w", &diags), "failed");
    remove_folder(a, folder, files);
}

/* Files longer than the parser accepts: blocks and arguments are found wherever they are, and errors name the right line. */
static void large_files(void **state)
{
    (void)state;
    enum { BLOCKS = 60000 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char folder[] = "/tmp/terrane-settings-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct buf text BUF_AUTO = BUF_INIT(64 << 20);
    for (size_t i = 0; i < BLOCKS; i++)
        buf_printf(&text,
                   "resource \"t\" \"n%zu\" {\n  x = <<-EOT\nresource {\nEOT\n  note = \"a text that takes some room\"\n}\n\n",
                   i);
    assert_true(text.n > HCL_LIMIT_BYTES);
    struct str path = arena_printf(a, "%s/a.tf", folder);
    struct diags diags;
    struct settings s;
    diags_init(&diags, a);
    assert_true(file_write(path.p, buf_str(&text), 0600, &diags));
    assert_true(settings_read(&s, a, folder, &diags));
    assert_int_equal(s.resources.n, BLOCKS);
    testing_text(s.resources.v[BLOCKS - 1].name, "n59999");
    buf_addz(&text, "broken {\n");
    assert_true(file_write(path.p, buf_str(&text), 0600, &diags));
    assert_false(settings_read(&s, a, folder, &diags));
    testing_says(&diags, arena_printf(a, "a.tf:%d:", BLOCKS * 7 + 2).p);
    assert_int_equal(unlink(path.p), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void sources_are_compared_as_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *source, *address;
        bool found;
    } table[] = {
        {"hashicorp/aws", "registry.terraform.io/hashicorp/aws", true},
        {"hashicorp/aws", "registry.opentofu.org/hashicorp/aws", true},
        {"HashiCorp/AWS", "registry.terraform.io/hashicorp/aws", true},
        {"aws", "registry.terraform.io/hashicorp/aws", true},
        {"example.com/hashicorp/aws", "example.com/hashicorp/aws", true},
        {"example.com/hashicorp/aws", "registry.terraform.io/hashicorp/aws", false},
        {"hashicorp/aws", "example.com/hashicorp/aws", false},
        {"acme/aws", "registry.terraform.io/hashicorp/aws", false},
        {"not an address", "registry.terraform.io/hashicorp/aws", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct str text = arena_printf(
            a, "terraform {\n  required_providers {\n    x = { source = \"%s\" }\n  }\n}\nprovider \"x\" {}\n", table[i].source);
        const char *const files[] = {"main.tf", text.p, NULL};
        struct diags diags;
        struct settings s;
        diags_init(&diags, a);
        const char *folder = folder_with(a, files);
        assert_true(settings_read(&s, a, folder, &diags));
        if ((settings_find(&s, str_of(table[i].address), STR_EMPTY) != NULL) != table[i].found)
            fail_msg("%s and %s", table[i].source, table[i].address);
        remove_folder(a, folder, files);
    }
}

static void a_broken_lock_file_is_an_error(void **state)
{
    (void)state;
    static const char *const files[] = {".terraform.lock.hcl",
                                        "provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \n", NULL};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct settings s;
    diags_init(&diags, a);
    const char *folder = folder_with(a, files);
    assert_false(settings_read(&s, a, folder, &diags));
    testing_says(&diags, ".terraform.lock.hcl:2");
    remove_folder(a, folder, files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(native), cmocka_unit_test(json), cmocka_unit_test(large_files),
                                       cmocka_unit_test(sources_are_compared_as_addresses),
                                       cmocka_unit_test(a_broken_lock_file_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
