/*
 * What registries and mirrors are asked for: documents, which are small, and archives, which are large and go to a file.
 *
 * - Redirects are followed by hand, at most FETCH_MAX_REDIRECTS. A token goes to the host of the request, by https,
 *   and with no redirect to another.
 * - What is believed because of where it came from must come by https, redirects included; what is proven otherwise (by a signed
 *   checksum) may come by http.
 * - A server that is busy, or a connection that breaks, is tried again; an archive goes on where it stopped, if the server says
 *   that it still is the same file.
 * - Messages show addresses without what follows the question mark: signed URLs carry secrets there.
 */
#pragma once

#include "base/log.h"
#include "http/client.h"
#include "http/timing.h"

enum {
    FETCH_MAX_REDIRECTS = 8,
    FETCH_TRIES = 4,
    FETCH_MAX_DOCUMENT = 16 << 20, /* all versions of a provider with their platforms: 1 MB for aws */
    FETCH_MAX_WAIT_S = 30,         /* that a server may ask for by Retry-After */
    FETCH_PART_DAYS = 7,           /* that a part of an archive is kept for */
};
#define FETCH_MAX_ARCHIVE (INT64_C(2) << 30)

struct fetcher {
    struct http *http;
    const struct http_time *time;
    struct cancel *cancel;
    struct log *log;
    /* For people who watch: on the loop's thread, after each piece. `total` 0: not known. NULL: nobody watches. */
    void (*progress)(void *ctx, int64_t done, int64_t total);
    void *progress_ctx;
};

struct fetch_answer {
    long status;    /* 200; or another that is the caller's to judge: 4xx */
    struct str url; /* where it came from in the end: relative addresses in it are relative to this */
    struct str body;
};

/* `token` empty: none. False: a diagnostic with `what` ("the registry example.com"); no answer, a 5xx, or a redirect that is
 * refused. */
bool fetch_document(const struct fetcher *f, struct arena *a, struct str url, struct str token, bool allow_http, const char *what,
                    struct diags *diags, struct fetch_answer *ret);

/*
 * An archive into FOLDER/KEY.part, where an earlier run may have left a part of it. `sha256` (hexadecimal) may be empty: not
 * known. On success the file is complete, and fits `sha256` if that is known; it is the caller's to remove. Another process that
 * fetches the same is waited for. Where a server refuses or an archive is another one than expected, or too large, nothing is
 * left; else a part is, for FETCH_PART_DAYS.
 */
struct fetch_file {
    struct str url, token;
    struct str sha256;
    struct str key;     /* a plain file name */
    const char *folder; /* is made if need be */
};
struct fetched_file {
    struct str path;
    struct str sha256; /* that it has */
    int lock;          /* held until it is closed */
};
bool fetch_file(const struct fetcher *f, struct arena *a, const struct fetch_file *wanted, const char *what, struct diags *diags,
                struct fetched_file *ret);
void fetched_file_remove(struct fetched_file *file);

/* `reference` as seen from `base`; empty: not a URL of http or https. */
struct str fetch_resolve(const struct fetcher *f, struct arena *a, struct str base, struct str reference);
/* HOST or HOST:PORT of a URL, in lower case; empty: none. */
struct str fetch_host(const struct fetcher *f, struct arena *a, struct str url);
/* The URL for messages. */
struct str fetch_shown(struct str url);
