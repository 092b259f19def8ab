/*
 * The files that all of AWS's tools share: ~/.aws/config and ~/.aws/credentials.
 *
 * Sections of the configuration file are [default], [profile NAME], [sso-session NAME] and [services NAME]; of the credentials
 * file [NAME]. Keys are case-insensitive. An indented line belongs to the key before it: it continues the value, or, if that is
 * empty, is a nested key ("endpoint_url" under "sts" in a services section becomes the key "sts.endpoint_url"). # and ; begin a
 * comment at the start of a line or after a blank. The last value of a key counts, across files too.
 */
#pragma once

#include "base/diag.h"
#include "base/vec.h"

enum { AWS_SHARED_MAX_FILE = 4 << 20 };

enum aws_section_kind { AWS_SECTION_PROFILE, AWS_SECTION_SSO_SESSION, AWS_SECTION_SERVICES };

struct aws_shared_entry {
    struct str key; /* in lower case */
    struct str value;
};
struct aws_section {
    enum aws_section_kind kind;
    struct str name;
    bool credentials; /* from a credentials file */
    const char *file;
    VEC(struct aws_shared_entry) entries;
};
struct aws_shared {
    struct arena *arena;
    VEC(struct aws_section) sections;
};

/* Parses a file's text. A line that is neither a section nor a key is an error: a half-read profile could mean other keys. */
bool aws_shared_parse(struct aws_shared *shared, struct str text, const char *file, bool credentials, struct diags *diags);
/* Reads a file; a missing file counts as empty. */
bool aws_shared_read(struct aws_shared *shared, const char *file, bool credentials, struct diags *diags);

/* Overwrites all values, because some are secrets. */
void aws_shared_wipe(struct aws_shared *shared);

/* NULL if there is none. */
const struct aws_section *aws_shared_find(const struct aws_shared *shared, enum aws_section_kind kind, struct str name,
                                          bool credentials);
bool aws_shared_has_profile(const struct aws_shared *shared, struct str name);
/* A value of the section; empty if absent or if `section` is NULL. */
struct str aws_section_get(const struct aws_section *section, const char *key);
/* A value of a profile; the credentials file takes precedence over the configuration file. */
struct str aws_profile_get(const struct aws_shared *shared, struct str profile, const char *key);
