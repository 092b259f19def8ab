/* What the kinds of sources share. */
#pragma once

#include "base/json.h"
#include "install/origin.h"

/*
 * A JSON document from outside. *ret NULL: it is not there (404). False: a diagnostic; `host` is who is asked, `what` how
 * messages call it.
 */
struct origin_question {
    struct str url, token, host;
    const char *what;
};
bool origin_get(const struct origin_context *c, const struct origin_question *q, struct fetch_answer *ret_answer,
                const struct json **ret);
/* For statuses other than 200 and 404: a diagnostic; returns false. */
bool origin_refused(const struct origin_context *c, const struct fetch_answer *answer, struct str host, bool had_token);
/* 64 small hexadecimal digits? What comes from outside is checked by this before it becomes origin_package.sha256. */
bool origin_is_sha256(struct str s);
/* One more, unless it is not a version or there are ORIGIN_MAX_VERSIONS. */
void origin_add_version(const struct origin_context *c, const struct origin *s, struct str text, struct origin_versions *ret);

bool registry_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                   struct origin_versions *ret);
bool registry_package(const struct origin_context *c, const struct provider_address *address,
                      const struct origin_version *version, struct str platform, bool *ret_found, struct origin_package *ret);
bool network_mirror_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                         struct origin_versions *ret);
bool network_mirror_package(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                            const struct origin_version *version, struct str platform, bool *ret_found,
                            struct origin_package *ret);
