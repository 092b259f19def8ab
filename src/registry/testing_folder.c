#include "registry/testing_folder.h"

#include "base/file.h"
#include "lazy/testing_lazy.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEST_FILE_BYTES = 1 << 20, NOBODY = 65534 };

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)where;
    return kind == FTW_DP || kind == FTW_DNR ? rmdir(path) : unlink(path);
}

static void remove_folder(void *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *test_folder(struct arena *a)
{
    const char *parent = getenv("TMPDIR");
    char *path = (char *)arena_printf(a, "%s/terrane-test.XXXXXX", parent ? parent : "/tmp").p;
    assert_non_null(mkdtemp(path));
    assert_int_equal(chmod(path, 0755), 0);
    arena_on_free(a, remove_folder, path);
    return path;
}

const char *test_path(struct arena *a, const char *folder, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str rest = arena_vprintf(a, format, args);
    va_end(args);
    return arena_printf(a, "%s/" STR_FMT, folder, STR_ARG(rest)).p;
}

static void make_parents(const char *path)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *slash = strrchr(path, '/');
    assert_non_null(slash);
    assert_true(file_make_folder(arena_str(a, (struct str){path, (size_t)(slash - path)}).p, 0755, &diags));
}

void test_write(const char *path, struct str content, mode_t mode)
{
    make_parents(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content.p, content.n), content.n);
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

const char *test_provider(struct arena *a, const char *mirror, const char *address, const char *version, const char *platform)
{
    const char *type = strrchr(address, '/') + 1;
    const char *path = test_path(a, mirror, "%s/%s/%s/terraform-provider-%s_v%s", address, version, platform, type, version);
    test_write(path, STR("#!/bin/sh\nexit 1\n"), 0755);
    return path;
}

static void write_entry(const struct lazy_archive *lib, struct archive *archive, const struct test_entry *e)
{
    struct archive_entry *entry = lib->entry_new();
    lib->entry_set_pathname(entry, e->name);
    lib->entry_set_mode(entry, e->mode ? e->mode : S_IFREG | 0755);
    lib->entry_set_size(entry, (la_int64_t)e->content.n);
    if (e->symlink)
        lib->entry_set_symlink(entry, e->symlink);
    assert_int_equal(lib->write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(lib->write_data(archive, e->content.p, e->content.n), e->content.n);
    lib->entry_free(entry);
}

void test_zip(const char *path, const struct test_entry *entries, size_t n)
{
    make_parents(path);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct lazy_archive *lib = testing_archive(a);
    struct archive *archive = lib->write_new();
    assert_int_equal(lib->write_set_format_zip(archive), ARCHIVE_OK);
    assert_int_equal(lib->write_open_filename(archive, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++)
        write_entry(lib, archive, &entries[i]);
    assert_int_equal(lib->write_free(archive), ARCHIVE_OK);
}

void test_as_nobody(void)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(NOBODY), 0);
}

void test_as_self(void)
{
    if (geteuid() != getuid())
        assert_int_equal(seteuid(getuid()), 0);
}

struct str test_read(struct arena *a, const char *path)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text;
    assert_true(file_read(a, path, TEST_FILE_BYTES, &diags, &text));
    return text;
}

size_t test_count(const char *folder)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    DIR *dir = opendir(folder);
    size_t n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            n += 1 + test_count(test_path(a, folder, "%s", e->d_name));
    if (dir)
        (void)closedir(dir);
    return n;
}

const char *test_text(struct arena *a, const struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(TEST_FILE_BYTES);
    for (size_t i = 0; i < diags->n; i++) {
        buf_addz(&out, diags->v[i].severity == DIAG_ERROR ? "error: " : "warning: ");
        buf_printf(&out, STR_FMT ": " STR_FMT "\n", STR_ARG(diags->v[i].summary), STR_ARG(diags->v[i].detail));
    }
    return buf_copy(&out, a).p;
}

bool test_next_case(struct str *rest, struct test_case *ret)
{
    while (rest->n > 0 && !str_starts(*rest, STR("=== ")))
        (void)str_cut(rest, '\n');
    if (rest->n == 0)
        return false;
    struct str name = str_slice(str_cut(rest, '\n'), 4, SIZE_MAX);
    const char *from = rest->p, *middle = NULL;
    while (rest->n > 0 && !str_starts(*rest, STR("=== "))) {
        const char *line = rest->p;
        if (str_eq(str_cut(rest, '\n'), STR("---")))
            middle = line;
    }
    assert_non_null(middle);
    *ret = (struct test_case){
        .name = name,
        .input = {from, (size_t)(middle - from)},
        .expected = str_trim((struct str){middle + 4, (size_t)(rest->p - middle) - 4}),
    };
    return true;
}
