#include "cfn/sources.h"

#include "cfn/testing_cfn.h"
#include "lazy/testing_lazy.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const char one[] = "{\"typeName\":\"AWS::Test::One\"}", two[] = "{\"typeName\":\"AWS::Test::Two\"}";

static char folder[] = "/tmp/terrane-sources.XXXXXX";

static const char *in_folder(struct arena *a, const char *name)
{
    return arena_printf(a, "%s/%s", folder, name).p;
}

static void write_file(const char *path, struct str bytes)
{
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
}

static struct str gzipped(struct arena *a, struct str text)
{
    z_stream z = {.next_in = (unsigned char *)text.p, .avail_in = (unsigned)text.n};
    char *out = arena_alloc(a, 4096, 1);
    z.next_out = (unsigned char *)out;
    z.avail_out = 4096;
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t n = z.total_out;
    (void)deflateEnd(&z);
    return (struct str){out, n};
}

static void add_entry(const struct lazy_archive *lib, struct archive *w, const char *name, struct str bytes)
{
    struct archive_entry *e = lib->entry_new();
    lib->entry_set_pathname(e, name);
    lib->entry_set_size(e, (la_int64_t)bytes.n);
    lib->entry_set_filetype(e, AE_IFREG);
    lib->entry_set_perm(e, 0644);
    assert_int_equal(lib->write_header(w, e), ARCHIVE_OK);
    assert_int_equal(lib->write_data(w, bytes.p, bytes.n), (la_ssize_t)bytes.n);
    lib->entry_free(e);
}

static struct archive *begin(const struct lazy_archive *lib, const char *path, bool zip)
{
    struct archive *w = lib->write_new();
    assert_int_equal(zip ? lib->write_set_format_zip(w) : lib->write_set_format_ustar(w), ARCHIVE_OK);
    if (!zip)
        assert_int_equal(lib->write_add_filter_gzip(w), ARCHIVE_OK);
    assert_int_equal(lib->write_open_filename(w, path), ARCHIVE_OK);
    return w;
}

static void reads(const char *from, size_t n)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct cfn_sources sources;
    diags_init(&diags, a);
    bool ok = cfn_sources_read(a, from, &diags, &sources);
    testing_no_errors(&diags);
    assert_true(ok);
    assert_int_equal(sources.n, n);
    for (size_t i = 0; i < n; i++)
        assert_non_null(cfn_schema_parse(a, sources.v[i].text, "test", &diags));
}

static void refuses(const char *from, const char *why)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct cfn_sources sources;
    diags_init(&diags, a);
    assert_false(cfn_sources_read(a, from, &diags, &sources));
    testing_says(&diags, why);
}

static void every_form(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str lines = arena_printf(a, "%s\n\n%s\n", one, two);
    assert_int_equal(mkdir(in_folder(a, "schemas"), 0700), 0);
    write_file(in_folder(a, "schemas/b.json"), STR(two));
    write_file(in_folder(a, "schemas/a.json"), STR(one));
    write_file(in_folder(a, "schemas/readme.txt"), STR("no schema"));
    reads(in_folder(a, "schemas"), 2);
    reads(in_folder(a, "schemas/a.json"), 1);
    write_file(in_folder(a, "s.ndjson"), lines);
    reads(in_folder(a, "s.ndjson"), 2);
    write_file(in_folder(a, "s.ndjson.gz"), gzipped(a, lines));
    reads(in_folder(a, "s.ndjson.gz"), 2);
    const struct lazy_archive *lib = testing_archive(a);
    struct archive *w = begin(lib, in_folder(a, "s.zip"), true);
    add_entry(lib, w, "aws-test-one.json", STR(one));
    add_entry(lib, w, "aws-test-two.json", STR(two));
    assert_int_equal(lib->write_free(w), ARCHIVE_OK);
    reads(in_folder(a, "s.zip"), 2);
    w = begin(lib, in_folder(a, "s.tgz"), false);
    add_entry(lib, w, "package/readme.md", STR("no schema"));
    add_entry(lib, w, "package/supplemental.ndjson.gz", gzipped(a, STR("{}")));
    add_entry(lib, w, "package/schemas.ndjson.gz", gzipped(a, lines));
    assert_int_equal(lib->write_free(w), ARCHIVE_OK);
    reads(in_folder(a, "s.tgz"), 2);
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    refuses("/nothing/here", "No such file");
    write_file(in_folder(a, "text"), STR("hello"));
    refuses(in_folder(a, "text"), "neither");
    assert_int_equal(mkdir(in_folder(a, "empty"), 0700), 0);
    refuses(in_folder(a, "empty"), "does not contain a schema");
    struct str packed = gzipped(a, STR(one));
    write_file(in_folder(a, "cut.ndjson.gz"), str_slice(packed, 0, packed.n / 2));
    refuses(in_folder(a, "cut.ndjson.gz"), "cut off");
    write_file(in_folder(a, "cut.zip"), STR("PK\003\004 and no more"));
    refuses(in_folder(a, "cut.zip"), "cut.zip");
    refuses("http://127.0.0.1:1/x.zip", "127.0.0.1");
}

static int clean(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const files[] = {
        "schemas/a.json", "schemas/b.json", "schemas/readme.txt", "s.ndjson", "s.ndjson.gz", "s.zip",
        "s.tgz",          "text",           "cut.ndjson.gz",      "cut.zip"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        (void)unlink(in_folder(a, files[i]));
    (void)rmdir(in_folder(a, "schemas"));
    (void)rmdir(in_folder(a, "empty"));
    return rmdir(folder);
}

static int prepare(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
