/* What the kinds of sources share. */
#pragma once

#include "base/json.h"
#include "install/origin.h"

/*
 * Downloads a JSON document. *ret NULL: not found (404). False with a diagnostic on failure; `host` is the server's, `what` its
 * name in messages.
 */
struct origin_question {
    struct str url, token, host;
    const char *what;
};
bool origin_get(const struct origin_context *c, const struct origin_question *q, struct fetch_answer *ret_answer,
                const struct json **ret);
/* Adds a diagnostic for a status other than 200 and 404; returns false. */
bool origin_refused(const struct origin_context *c, const struct fetch_answer *answer, struct str host, bool had_token);
/* Is it 64 lower-case hexadecimal digits? Checked before a value from outside is used as origin_package.sha256. */
bool origin_is_sha256(struct str s);
/* Adds a version, unless the text is not a version or there are ORIGIN_MAX_VERSIONS already. */
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
