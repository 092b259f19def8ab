/*
 * Downloads from registries and mirrors: documents, which are small, and archives, which are large and written to a file.
 *
 * - Redirects are followed here and not by curl, at most FETCH_MAX_REDIRECTS. A token is sent only to the host of the request,
 *   only by https, and not after a redirect to another host.
 * - Data that is trusted because of its source must come by https, redirects included; data that is verified otherwise (by a
 *   signed checksum) may come by http.
 * - If a server is busy or a connection breaks, the request is retried; the download of an archive is resumed if the server says
 *   that it is still the same file. A server that does not answer at all is given up after FETCH_DOCUMENT_TRIES_S.
 * - Messages show URLs without the query, because signed URLs have secrets there, and without a password.
 */
#pragma once

#include "base/log.h"
#include "http/client.h"
#include "http/timing.h"

enum {
    FETCH_MAX_REDIRECTS = 8,
    FETCH_TRIES = 4,
    FETCH_MAX_DOCUMENT = 16 << 20, /* all versions of a provider with their platforms: 1 MB for aws */
    FETCH_DOCUMENT_S = 20,         /* for one document; terraform has 10 */
    FETCH_DOCUMENT_TRIES_S = 30,   /* after this time a document is not tried again */
    FETCH_MAX_WAIT_S = 30,         /* the longest Retry-After that is respected */
    FETCH_PART_DAYS = 7,           /* how long a partial archive is kept */
};
#define FETCH_MAX_ARCHIVE (INT64_C(2) << 30)

struct fetcher {
    struct http *http;
    const struct http_time *time;
    struct cancel *cancel;
    struct log *log;
    int64_t document_ns; /* the time for a document; 0: FETCH_DOCUMENT_S */
    /* Reports progress: called on the loop's thread after each piece. `total` 0: not known. May be NULL. */
    void (*progress)(void *ctx, int64_t done, int64_t total);
    void *progress_ctx;
};

struct fetch_answer {
    long status;    /* 200, or a 4xx that the caller has to handle */
    struct str url; /* the final URL after redirects, to which URLs in the document are relative */
    struct str body;
};

/*
 * `token` empty: none. False if there is no answer, a 5xx, or a redirect that is refused; the diagnostic names `what` ("the
 * registry example.com").
 */
bool fetch_document(const struct fetcher *f, struct arena *a, struct str url, struct str token, bool allow_http, const char *what,
                    struct diags *diags, struct fetch_answer *ret);

/*
 * Downloads an archive to FOLDER/KEY.part, where an earlier run may have left a part of it. `sha256` (hexadecimal) is empty if it
 * is not known. On success the file is complete, and has the hash `sha256` if that is known; the caller removes it. If another
 * process downloads the same file, this waits for it. If the server refuses, or the archive has another hash or is too large,
 * nothing is left; after other errors the part is kept for FETCH_PART_DAYS.
 */
struct fetch_file {
    struct str url, token;
    struct str sha256;
    struct str key;     /* a plain file name */
    const char *folder; /* created if need be */
};
struct fetched_file {
    struct str path;
    struct str sha256; /* its actual hash */
    int lock;          /* descriptor that holds the lock until it is closed */
};
bool fetch_file(const struct fetcher *f, struct arena *a, const struct fetch_file *wanted, const char *what, struct diags *diags,
                struct fetched_file *ret);
void fetched_file_remove(struct fetched_file *file);

/* `reference` resolved against `base`; empty: not an http or https URL. */
struct str fetch_resolve(const struct fetcher *f, struct arena *a, struct str base, struct str reference);
/* HOST or HOST:PORT of a URL, in lower case; empty: none. */
struct str fetch_host(const struct fetcher *f, struct arena *a, struct str url);
/* The URL for messages: without what may be secret, which is the query, and the user name and password before the host. */
struct str fetch_shown(struct arena *a, struct str url);
