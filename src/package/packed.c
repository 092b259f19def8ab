#include "package/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

static bool fail(struct packed_out *o, const char *name, const char *why)
{
    return diags_fail(o->diags, "Cannot write an archive", "%s: %s%s%s.", o->path, name, name[0] ? ": " : "", why);
}

static bool fail_archive(struct packed_out *o, const char *name)
{
    const char *why = o->lib->error_string(o->archive);
    return fail(o, name, why ? why : "no reason given");
}

bool packed_begin(struct packed_out *o, enum packed_form form, const char *path, struct diags *diags)
{
    *o = (struct packed_out){.lib = lazy_archive(diags), .path = path, .diags = diags};
    if (!o->lib)
        return false;
    o->archive = o->lib->write_new();
    if (!o->archive)
        return fail(o, "", strerror(ENOMEM));
    int r = form == PACKED_TAR ? o->lib->write_set_format_ustar(o->archive) : o->lib->write_set_format_zip(o->archive);
    return (r == ARCHIVE_OK && o->lib->write_open_filename(o->archive, path) == ARCHIVE_OK) || fail_archive(o, "");
}

static bool add_head(struct packed_out *o, const char *name, int64_t size, mode_t type, mode_t mode)
{
    struct archive_entry *e = o->lib->entry_new();
    if (!e)
        return fail(o, name, strerror(ENOMEM));
    o->lib->entry_set_pathname(e, name);
    o->lib->entry_set_filetype(e, type);
    o->lib->entry_set_perm(e, mode);
    o->lib->entry_set_size(e, size);
    bool ok = o->lib->write_header(o->archive, e) == ARCHIVE_OK || fail_archive(o, name);
    o->lib->entry_free(e);
    return ok;
}

static bool add_bytes(struct packed_out *o, const char *name, struct str bytes)
{
    while (bytes.n > 0) {
        la_ssize_t n = o->lib->write_data(o->archive, bytes.p, bytes.n);
        if (n <= 0)
            return fail_archive(o, name);
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
    return true;
}

bool packed_add(struct packed_out *o, const char *name, struct str content, mode_t mode)
{
    return add_head(o, name, (int64_t)content.n, AE_IFREG, mode) && add_bytes(o, name, content);
}

bool packed_add_folder(struct packed_out *o, const char *name, mode_t mode)
{
    return add_head(o, name, 0, AE_IFDIR, mode);
}

static bool copy(struct packed_out *o, const char *name, int fd, int64_t size)
{
    char block[BLOCK]; /* on the stack: a thread-local one would take memory in each thread of every command */
    while (size > 0) {
        ssize_t n = read(fd, block, (size_t)(size < BLOCK ? size : BLOCK));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(o, name, n < 0 ? strerror(errno) : "it became shorter while it was read");
        if (!add_bytes(o, name, (struct str){block, (size_t)n}))
            return false;
        size -= n;
    }
    return true;
}

bool packed_add_file(struct packed_out *o, const char *name, const char *from, mode_t mode)
{
    struct stat st;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        const char *why = fd < 0 ? strerror(errno) : "not a file";
        if (fd >= 0)
            (void)close(fd);
        return fail(o, from, why);
    }
    bool ok = add_head(o, name, st.st_size, AE_IFREG, mode) && copy(o, name, fd, st.st_size);
    (void)close(fd);
    return ok;
}

bool packed_end(struct packed_out *o)
{
    if (!o->archive)
        return false;
    int r = o->lib->write_free(o->archive); /* also writes the remaining bytes */
    o->archive = NULL;
    return r == ARCHIVE_OK || fail(o, "", "it could not be completed");
}
