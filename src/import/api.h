/*
 * APIs asked by declared rows (rows.h): signed for AWS with the credentials, the region and the addresses that the provider's
 * configuration states, or with the headers that a row's service states; page by page, again when told to slow down, and no
 * faster than the limits allow. Thread-safe.
 */
#pragma once

#include "import/rates.h"
#include "import/rows.h"

enum { API_MAX_PAGES = 10000, API_ATTEMPTS = 12 };

struct api;
struct api_options {
    const struct json *config; /* of the provider; NULL: empty */
    const char *const *env;    /* as environ; lives as long as the API */
    struct loop *loop;
    struct log *log;
    struct cancel *cancel;
    struct rates *rates;
    const struct rows *rows;      /* that will be asked for: what AWS wants is read only where one of them is of AWS */
    const struct http_time *time; /* NULL: the machine's */
};

/* Asks nobody yet. False: a setting is wrong. */
bool api_open(const struct api_options *options, struct diags *diags, struct api **ret);
void api_close(struct api *api); /* NULL is accepted */

/* Has the provider's configuration an address of its own for this service? Then it is not AWS that has to be spared. */
bool api_is_own(const struct api *api, const struct row_service *service);

/* Not where the configuration is for an emulator (an address with http:) and has none for this service: it would be AWS itself.
 */
bool api_reaches(const struct api *api, const struct row_service *service);

/*
 * The items of all pages. `parent` may be NULL. False with a diagnostic; *ret_unknown: it is an emulator, and what it says is not
 * an answer of AWS at all, so that it does not know the call.
 */
bool api_items(struct api *api, struct arena *a, const struct row *row, const struct picked *parent, struct pick_values *ret,
               struct diags *diags, bool *ret_unknown);

/* region, account, partition, config.NAME, env.NAME. The account is asked for once, unless api_reaches() forbids it. */
const struct pick_facts *api_facts(struct api *api);
