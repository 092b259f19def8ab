/*
 * The files that all of AWS's tools share: ~/.aws/config and ~/.aws/credentials.
 *
 * Sections of the configuration are [default], [profile NAME], [sso-session NAME] and [services NAME]; of the credentials [NAME].
 * Keys are in any case; a line that starts with a blank belongs to the key before it: as another line of its value, or, when that
 * is empty, as a key of its own in it ("sts" with "endpoint_url" in a services section is the key "sts.endpoint_url"). # and ; at
 * the start of a line, or behind a blank, begin a comment. Of a key that stands twice the last one counts, in later files too.
 */
#pragma once

#include "base/diag.h"
#include "base/vec.h"

enum { AWS_SHARED_MAX_FILE = 4 << 20 };

enum aws_section_kind { AWS_SECTION_PROFILE, AWS_SECTION_SSO_SESSION, AWS_SECTION_SERVICES };

struct aws_shared_entry {
    struct str key; /* small letters */
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

/* Adds a text. What is no section and no key is an error with its line: a profile that is read half would be somebody else's. */
bool aws_shared_parse(struct aws_shared *shared, struct str text, const char *file, bool credentials, struct diags *diags);
/* Adds a file; one that is not there is as good as an empty one. */
bool aws_shared_read(struct aws_shared *shared, const char *file, bool credentials, struct diags *diags);

/* Overwrites all values: there are secrets among them. */
void aws_shared_wipe(struct aws_shared *shared);

/* NULL: there is none. */
const struct aws_section *aws_shared_find(const struct aws_shared *shared, enum aws_section_kind kind, struct str name,
                                          bool credentials);
bool aws_shared_has_profile(const struct aws_shared *shared, struct str name);
/* Of one section; empty when absent or when `section` is NULL. */
struct str aws_section_get(const struct aws_section *section, const char *key);
/* Of a profile: the credentials file's value wins over the configuration's. */
struct str aws_profile_get(const struct aws_shared *shared, struct str profile, const char *key);
