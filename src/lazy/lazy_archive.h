/* The libarchive functions that Terrane calls; calling one that is not listed here does not compile. Contract: lazy.h. */
#pragma once

#include "lazy/lazy.h"

#include <archive.h>
#include <archive_entry.h>

#define LAZY_ARCHIVE(F)                                                                                                          \
    F(archive, error_string)                                                                                                     \
    F(archive, read_new)                                                                                                         \
    F(archive, read_free)                                                                                                        \
    F(archive, read_support_filter_all)                                                                                          \
    F(archive, read_support_filter_gzip)                                                                                         \
    F(archive, read_support_format_all)                                                                                          \
    F(archive, read_support_format_tar)                                                                                          \
    F(archive, read_support_format_zip)                                                                                          \
    F(archive, read_support_format_zip_seekable)                                                                                 \
    F(archive, read_open_fd)                                                                                                     \
    F(archive, read_open_filename)                                                                                               \
    F(archive, read_open_memory)                                                                                                 \
    F(archive, read_next_header)                                                                                                 \
    F(archive, read_data)                                                                                                        \
    F(archive, write_new)                                                                                                        \
    F(archive, write_free)                                                                                                       \
    F(archive, write_add_filter_gzip)                                                                                            \
    F(archive, write_set_format_ustar)                                                                                           \
    F(archive, write_set_format_zip)                                                                                             \
    F(archive, write_open_filename)                                                                                              \
    F(archive, write_header)                                                                                                     \
    F(archive, write_data)                                                                                                       \
    F(archive, entry_new)                                                                                                        \
    F(archive, entry_free)                                                                                                       \
    F(archive, entry_filetype)                                                                                                   \
    F(archive, entry_perm)                                                                                                       \
    F(archive, entry_hardlink)                                                                                                   \
    F(archive, entry_symlink)                                                                                                    \
    F(archive, entry_pathname)                                                                                                   \
    F(archive, entry_pathname_utf8)                                                                                              \
    F(archive, entry_size)                                                                                                       \
    F(archive, entry_size_is_set)                                                                                                \
    F(archive, entry_set_filetype)                                                                                               \
    F(archive, entry_set_mode)                                                                                                   \
    F(archive, entry_set_perm)                                                                                                   \
    F(archive, entry_set_pathname)                                                                                               \
    F(archive, entry_set_size)                                                                                                   \
    F(archive, entry_set_symlink)

struct lazy_archive {
    LAZY_ARCHIVE(LAZY_MEMBER)
};

const struct lazy_archive *lazy_archive(struct diags *diags);
