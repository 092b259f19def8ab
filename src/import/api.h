/*
 * Calls the APIs that rows declare (rows.h). Requests to AWS are signed, with the credentials, region and endpoints of the
 * provider's configuration; other requests carry the headers that the row's service declares. Handles pagination, retries when
 * throttled, and keeps the rate limits. Thread-safe.
 */
#pragma once

#include "import/rates.h"
#include "import/rows.h"

enum { API_MAX_PAGES = 10000, API_ATTEMPTS = 12 };

struct api;
struct api_options {
    const struct json *config; /* the provider's; NULL: empty */
    const char *const *env;    /* like environ; must live as long as the API */
    struct loop *loop;
    struct log *log;
    struct cancel *cancel;
    struct rates *rates;
    const struct rows *rows;      /* the rows to be used: AWS settings are read only if one of them is of AWS */
    const struct http_time *time; /* NULL: the system clock */
};

/* Sends nothing yet. False: a setting is invalid. */
bool api_open(const struct api_options *options, struct diags *diags, struct api **ret);
void api_close(struct api *api); /* accepts NULL */

/* Does the provider's configuration have an endpoint for this service? Then calls do not go to AWS and need no rate limit. */
bool api_is_own(const struct api *api, const struct row_service *service);

/*
 * May this service be called? Not if the configuration is for an emulator (an http: endpoint) and has no endpoint for this
 * service: the call would go to AWS itself.
 */
bool api_reaches(const struct api *api, const struct row_service *service);

/*
 * Collects the items of all pages. `parent` may be NULL. False with a diagnostic; *ret_unknown: the server is an emulator that
 * does not know the call, since its answer is not one of AWS.
 */
bool api_items(struct api *api, struct arena *a, const struct row *row, const struct picked *parent, struct pick_values *ret,
               struct diags *diags, bool *ret_unknown);

/* The facts region, account, partition, config.NAME, env.NAME. The account is requested once, unless api_reaches() forbids it. */
const struct pick_facts *api_facts(struct api *api);
