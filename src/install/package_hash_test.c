#include "install/package_hash.h"

#include "base/file.h"
#include "base/testing.h"

#include <stdlib.h>
#include <unistd.h>

/* What Terraform itself calculated for a package with these two files. */
static void as_terraform_calculates_it(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    char folder[] = "/tmp/terrane-hash.XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *readme = arena_printf(a, "%s/README.md", folder).p;
    const char *binary = arena_printf(a, "%s/terraform-provider-thing_v1.0.0", folder).p;
    assert_true(file_write(readme, STR("hi\n"), 0644, &diags) && file_write(binary, STR("#!/bin/sh\n"), 0755, &diags));
    struct str hash;
    assert_true(package_hash_folder(a, folder, &diags, &hash));
    testing_text(hash, "h1:NxILIOQL5TeoUh7Kr+OoF5M0YhZpBQ2nx4lOchd45rA=");
    assert_true(package_hash_zip(a, readme, &diags, &hash));
    testing_text(hash, "zh:98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4");
    (void)unlink(readme);
    (void)unlink(binary);
    (void)rmdir(folder);
    assert_false(package_hash_folder(a, folder, &diags, &hash));
    testing_says(&diags, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_terraform_calculates_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
