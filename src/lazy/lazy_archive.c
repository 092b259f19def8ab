#include "lazy/lazy.h"

#include <archive.h>
#include <archive_entry.h>

#define F(type, name, parameters, arguments) LAZY_FUNCTION("libarchive.so.13", type, name, parameters, arguments)

F(const char *, archive_error_string, (struct archive * a), (a))

F(struct archive *, archive_read_new, (void), ())
F(int, archive_read_free, (struct archive * a), (a))
F(int, archive_read_support_filter_all, (struct archive * a), (a))
F(int, archive_read_support_filter_gzip, (struct archive * a), (a))
F(int, archive_read_support_format_all, (struct archive * a), (a))
F(int, archive_read_support_format_tar, (struct archive * a), (a))
F(int, archive_read_support_format_zip, (struct archive * a), (a))
F(int, archive_read_support_format_zip_seekable, (struct archive * a), (a))
F(int, archive_read_open_fd, (struct archive * a, int fd, size_t block), (a, fd, block))
F(int, archive_read_open_filename, (struct archive * a, const char *path, size_t block), (a, path, block))
F(int, archive_read_open_memory, (struct archive * a, const void *bytes, size_t n), (a, bytes, n))
F(int, archive_read_next_header, (struct archive * a, struct archive_entry **ret), (a, ret))
F(la_ssize_t, archive_read_data, (struct archive * a, void *bytes, size_t n), (a, bytes, n))

F(struct archive *, archive_write_new, (void), ())
F(int, archive_write_free, (struct archive * a), (a))
F(int, archive_write_add_filter_gzip, (struct archive * a), (a))
F(int, archive_write_set_format_ustar, (struct archive * a), (a))
F(int, archive_write_set_format_zip, (struct archive * a), (a))
F(int, archive_write_open_filename, (struct archive * a, const char *path), (a, path))
F(int, archive_write_header, (struct archive * a, struct archive_entry *e), (a, e))
F(la_ssize_t, archive_write_data, (struct archive * a, const void *bytes, size_t n), (a, bytes, n))

F(struct archive_entry *, archive_entry_new, (void), ())
F(void, archive_entry_free, (struct archive_entry * e), (e))
F(__LA_MODE_T, archive_entry_filetype, (struct archive_entry * e), (e))
F(__LA_MODE_T, archive_entry_perm, (struct archive_entry * e), (e))
F(const char *, archive_entry_hardlink, (struct archive_entry * e), (e))
F(const char *, archive_entry_symlink, (struct archive_entry * e), (e))
F(const char *, archive_entry_pathname, (struct archive_entry * e), (e))
F(const char *, archive_entry_pathname_utf8, (struct archive_entry * e), (e))
F(la_int64_t, archive_entry_size, (struct archive_entry * e), (e))
F(int, archive_entry_size_is_set, (struct archive_entry * e), (e))
F(void, archive_entry_set_filetype, (struct archive_entry * e, unsigned type), (e, type))
F(void, archive_entry_set_mode, (struct archive_entry * e, __LA_MODE_T mode), (e, mode))
F(void, archive_entry_set_perm, (struct archive_entry * e, __LA_MODE_T mode), (e, mode))
F(void, archive_entry_set_pathname, (struct archive_entry * e, const char *path), (e, path))
F(void, archive_entry_set_size, (struct archive_entry * e, la_int64_t size), (e, size))
F(void, archive_entry_set_symlink, (struct archive_entry * e, const char *target), (e, target))
