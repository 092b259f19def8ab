/*
 * Files are created relative to the descriptor of a new, private folder, with O_EXCL and O_NOFOLLOW. The archive cannot create
 * links, and names must not contain "..", so nothing can be written elsewhere. Then everything is flushed and the folder renamed.
 */
#include "registry/unzip.h"

#include "base/file.h"
#include "lazy/lazy_archive.h"
#include "registry/content_key.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 256 << 10, MAX_OPEN_FOLDERS = 16 };

struct unzip {
    const char *zip;
    struct diags *diags;
    const struct lazy_archive *lib;
    struct archive *archive;
    int folder; /* where the files go */
    int64_t bytes;
    size_t entries;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct unzip *u, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(u->diags->arena, format, args);
    va_end(args);
    return diags_fail(u->diags, "Cannot unpack provider", "%s: " STR_FMT ".", u->zip, STR_ARG(text));
}

static bool fail_archive(struct unzip *u)
{
    const char *reason = u->lib->error_string(u->archive);
    return fail(u, "not a valid zip archive (%s)", reason ? reason : "no reason given");
}

static bool fail_size(struct unzip *u)
{
    return fail(u, "its files take more than %" PRId64 " bytes", UNZIP_MAX_BYTES);
}

/* What is wrong with an entry's name; NULL: nothing. Backslashes count as slashes, since some zip writers use them. */
static const char *name_problem(struct str name)
{
    if (name.n == 0 || name.n > UNZIP_MAX_NAME)
        return "empty or too long";
    if (name.p[0] == '/' || name.p[0] == '\\' || (name.n > 1 && name.p[1] == ':'))
        return "an absolute path";
    for (size_t i = 0, from = 0; i <= name.n; i++) {
        if (i < name.n && name.p[i] != '/' && name.p[i] != '\\')
            continue;
        if (str_eq(str_slice(name, from, i), STR("..")))
            return "it leads out of its folder";
        from = i + 1;
    }
    return NULL;
}

/* Makes the parent folders of `name`, which is modified and restored. */
static bool make_parents(struct unzip *u, char *name)
{
    for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int r = mkdirat(u->folder, name, 0700);
        int reason = errno;
        *slash = '/';
        if (r < 0 && reason != EEXIST)
            return fail(u, "%s: %s", name, strerror(reason));
    }
    return true;
}

static bool write_block(int fd, const void *block, size_t n)
{
    for (const char *p = block; n > 0;) {
        ssize_t written = write(fd, p, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        p += written;
        n -= (size_t)written;
    }
    return true;
}

static bool copy_content(struct unzip *u, const char *name, int fd)
{
    char block[BLOCK_BYTES];
    for (;;) {
        la_ssize_t n = u->lib->read_data(u->archive, block, sizeof block);
        if (n < 0)
            return fail_archive(u);
        if (n == 0)
            return fsync(fd) == 0 || fail(u, "%s: %s", name, strerror(errno));
        u->bytes += n;
        if (u->bytes > UNZIP_MAX_BYTES)
            return fail_size(u);
        if (!write_block(fd, block, (size_t)n))
            return fail(u, "%s: %s", name, strerror(errno));
    }
}

/* Archives made on other systems have no modes: a file with a provider's name is made executable. */
static mode_t file_mode(const struct unzip *u, struct archive_entry *entry, const char *name)
{
    bool run = (u->lib->entry_perm(entry) & 0111) != 0 || strncmp(name, "terraform-provider-", 19) == 0;
    return run ? 0755 : 0644;
}

static bool unpack_file(struct unzip *u, struct archive_entry *entry, char *name)
{
    if (!make_parents(u, name))
        return false;
    int fd = openat(u->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode(u, entry, name));
    if (fd < 0)
        return fail(u, "%s: %s", name, errno == EEXIST ? "it is in the archive twice" : strerror(errno));
    bool ok = copy_content(u, name, fd);
    if (close(fd) != 0 && ok)
        return fail(u, "%s: %s", name, strerror(errno));
    return ok;
}

static bool unpack_entry(struct unzip *u, struct arena *scratch, struct archive_entry *entry)
{
    const char *given = u->lib->entry_pathname_utf8(entry);
    if (!given)
        given = u->lib->entry_pathname(entry);
    struct str name = str_of(given);
    if (++u->entries > UNZIP_MAX_ENTRIES)
        return fail(u, "it holds more than %d files", (int)UNZIP_MAX_ENTRIES);
    const char *problem = name_problem(name);
    if (problem)
        return fail(u, "refused the file name \"" STR_FMT "\": %s", (int)(name.n < UNZIP_MAX_NAME ? name.n : UNZIP_MAX_NAME),
                    name.p, problem);
    char *copy = arena_alloc(scratch, name.n + 1, 1);
    memcpy(copy, name.p, name.n);
    if (u->lib->entry_hardlink(entry) || u->lib->entry_symlink(entry))
        return fail(u, "refused \"%s\": a link", copy);
    if (u->lib->entry_filetype(entry) == AE_IFDIR || name.p[name.n - 1] == '/')
        return make_parents(u, copy);
    if (u->lib->entry_filetype(entry) != AE_IFREG)
        return fail(u, "refused \"%s\": neither file nor folder", copy);
    if (u->lib->entry_size_is_set(entry) && u->lib->entry_size(entry) > UNZIP_MAX_BYTES - u->bytes)
        return fail_size(u);
    return unpack_file(u, entry, copy);
}

static bool unpack_all(struct unzip *u)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    for (;;) {
        struct archive_entry *entry;
        int r = u->lib->read_next_header(u->archive, &entry);
        if (r == ARCHIVE_EOF)
            return u->entries > 0 || fail(u, "it holds no file");
        if (r != ARCHIVE_OK)
            return fail_archive(u);
        if (!unpack_entry(u, scratch, entry))
            return false;
        arena_reset(scratch);
    }
}

static bool unpack(const char *zip, int fd, const char *folder, struct diags *diags)
{
    struct unzip u = {.zip = zip, .diags = diags, .lib = lazy_archive(diags)};
    if (!u.lib)
        return false;
    u.archive = u.lib->read_new();
    u.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok;
    if (!u.archive || u.folder < 0)
        ok = fail(&u, "%s: %s", folder, strerror(errno));
    /* Reads the central directory at the end first, so that a truncated archive is refused. */
    else if (u.lib->read_support_format_zip_seekable(u.archive) != ARCHIVE_OK ||
             u.lib->read_open_fd(u.archive, fd, BLOCK_BYTES) != ARCHIVE_OK)
        ok = fail_archive(&u);
    else
        ok = unpack_all(&u) && (fsync(u.folder) == 0 || errno == EINVAL || fail(&u, "%s: %s", folder, strerror(errno)));
    (void)u.lib->read_free(u.archive);
    if (u.folder >= 0)
        (void)close(u.folder);
    return ok;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)where;
    return kind == FTW_DP || kind == FTW_DNR ? rmdir(path) : unlink(path);
}

void unzip_remove(const char *path)
{
    (void)nftw(path, remove_one, MAX_OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* Removes everything in a zip's cache folder except `keep` and temporary folders that another process may still be using. */
static void remove_others(struct arena *a, const char *parent, struct str keep)
{
    DIR *dir = opendir(parent);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        struct str path = arena_printf(a, "%s/%s", parent, e->d_name);
        bool temporary = strncmp(e->d_name, "tmp.", 4) == 0;
        if (e->d_name[0] == '.' || str_eqz(keep, e->d_name) || lstat(path.p, &st) != 0)
            continue;
        if (!temporary || st.st_mtime + UNZIP_STALE_S < time(NULL))
            unzip_remove(path.p);
    }
    (void)closedir(dir);
}

/* Unpacks into a temporary folder and renames it, unless another process was faster. */
static bool unpack_atomically(struct arena *a, const char *zip, int fd, const char *parent, const char *folder,
                              struct diags *diags)
{
    struct str template = arena_printf(a, "%s/tmp.XXXXXX", parent);
    char *temporary = mkdtemp((char *)template.p);
    if (!temporary)
        return diags_fail(diags, "Cannot unpack provider", "%s: a folder in %s: %s.", zip, parent, strerror(errno));
    bool ok = unpack(zip, fd, temporary, diags);
    if (ok && rename(temporary, folder) == 0)
        return true;
    if (ok && errno != EEXIST && errno != ENOTEMPTY)
        ok = diags_fail(diags, "Cannot unpack provider", "%s: %s: %s.", zip, folder, strerror(errno));
    unzip_remove(temporary);
    return ok;
}

bool unzip_into(const char *zip, const char *folder, struct diags *diags)
{
    int fd = open(zip, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return diags_fail(diags, "Cannot unpack provider", "%s: %s.", zip, strerror(errno));
    bool ok = unpack(zip, fd, folder, diags);
    (void)close(fd);
    return ok;
}

bool unzip_once(struct arena *a, const char *zip, const char *cache_folder, struct diags *diags, struct str *ret_folder)
{
    int fd = open(zip, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        int reason = errno;
        if (fd >= 0)
            (void)close(fd);
        return diags_fail(diags, "Cannot unpack provider", "%s: %s.", zip, strerror(reason));
    }
    struct str stamp = arena_printf(a, "%jx-%jx-%jx-%jx.%09lx", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (uintmax_t)st.st_size,
                                    (uintmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    struct str parent = arena_printf(a, "%s/providers/" STR_FMT, cache_folder, STR_ARG(content_key_of_path(a, zip)));
    struct str folder = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(parent), STR_ARG(stamp));
    bool ok = true;
    if (!file_exists(folder.p)) {
        ok = file_make_folder(parent.p, 0700, diags) && unpack_atomically(a, zip, fd, parent.p, folder.p, diags);
        if (ok)
            remove_others(a, parent.p, stamp);
    }
    (void)close(fd);
    if (ok)
        *ret_folder = folder;
    return ok;
}
