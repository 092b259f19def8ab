/*
 * KEY.part has the bytes received so far, KEY.tag the server's validator for that content (ETag or Last-Modified). The lock is on
 * KEY.part and held until the archive has been used.
 */
#include "base/file.h"
#include "install/fetch_private.h"
#include "registry/content_key.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TAG = 1024, LOCK_EACH_MS = 200 };

struct download {
    const struct fetcher *f;
    struct arena *arena;
    const struct fetch_file *wanted;
    struct str path, tag_path;
    int fd;
    int64_t done; /* valid bytes in the file */
    int64_t total;
    struct str tag;
    bool resumed;   /* a part of the file is from an earlier exchange */
    bool begun;     /* the first bytes of this exchange have arrived */
    int error;      /* errno of writing */
    bool oversized; /* more than FETCH_MAX_ARCHIVE */
    bool misplaced; /* the server sent a different part from the one requested */
};

/* Start of a response, on the loop's thread */

/* "bytes FROM-TO/TOTAL" */
static bool read_range(struct str text, int64_t *ret_from, int64_t *ret_total)
{
    if (!str_starts(text, STR("bytes ")))
        return false;
    text = str_slice(text, 6, text.n);
    struct str from = str_cut(&text, '-');
    (void)str_cut(&text, '/');
    return str_to_i64(from, ret_from) && *ret_from >= 0 && (str_to_i64(text, ret_total) || str_eq(text, STR("*")));
}

static struct str tag_of(struct arena *a, const struct http_response *head)
{
    struct str tag = http_response_header(head, "ETag");
    if (tag.n == 0 || str_starts(tag, STR("W/")))
        tag = http_response_header(head, "Last-Modified");
    return arena_str(a, str_slice(tag, 0, MAX_TAG));
}

static bool begin(struct download *d, const struct http_response *head)
{
    int64_t from = 0, length = 0;
    d->begun = true;
    d->total = 0;
    if (head->status == 206) {
        if (!read_range(http_response_header(head, "Content-Range"), &from, &d->total) || from != d->done) {
            d->misplaced = true;
            return false;
        }
        d->resumed |= d->done > 0;
        return true;
    }
    d->tag = tag_of(d->arena, head);
    d->done = 0;
    d->resumed = false;
    if (str_to_i64(http_response_header(head, "Content-Length"), &length) && length > 0)
        d->total = length;
    if (ftruncate(d->fd, 0) == 0)
        return true;
    d->error = errno;
    return false;
}

static bool put(struct download *d, struct str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = pwrite(d->fd, bytes.p, bytes.n, d->done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            d->error = errno;
            return false;
        }
        d->done += n;
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
    return true;
}

static bool take(void *ctx, const struct http_response *head, struct str bytes)
{
    struct download *d = ctx;
    if (!d->begun && !begin(d, head))
        return false;
    d->oversized = d->total > FETCH_MAX_ARCHIVE || d->done + (int64_t)bytes.n > FETCH_MAX_ARCHIVE;
    if (d->oversized || !put(d, bytes))
        return false;
    if (d->f->progress)
        d->f->progress(d->f->progress_ctx, d->done, d->total);
    return true;
}

/* On the caller's thread */

static struct fetch_request request_of(struct download *d, struct http_header headers[2])
{
    size_t n = 0;
    /* Without a validator a resumed download is possible only if the SHA-256 is known, which is checked at the end. */
    if (d->done > 0 && (d->tag.n > 0 || d->wanted->sha256.n > 0))
        headers[n++] = (struct http_header){STR("Range"), arena_printf(d->arena, "bytes=%jd-", (intmax_t)d->done)};
    else
        d->done = 0;
    if (n > 0 && d->tag.n > 0)
        headers[n++] = (struct http_header){STR("If-Range"), d->tag};
    return (struct fetch_request){.url = d->wanted->url,
                                  .token = d->wanted->token,
                                  .allow_http = d->wanted->sha256.n > 0,
                                  .headers = headers,
                                  .n_headers = n,
                                  .sink = take,
                                  .sink_ctx = d};
}

static void remember_tag(struct download *d)
{
    struct diags ignored;
    diags_init(&ignored, d->arena);
    if (d->tag.n > 0)
        (void)file_write(d->tag_path.p, d->tag, 0600, &ignored);
    else
        (void)unlink(d->tag_path.p);
}

static void forget(struct download *d)
{
    d->done = 0;
    d->resumed = false;
    d->tag = STR_EMPTY;
    (void)ftruncate(d->fd, 0);
    (void)unlink(d->tag_path.p);
}

enum outcome {
    OUTCOME_WHOLE,
    OUTCOME_AGAIN,
    OUTCOME_FAILED,  /* the part may be of use to the next run */
    OUTCOME_REFUSED, /* the part is of no use */
};

static enum outcome fetch_part(struct download *d, struct str *reterr_why, int64_t *ret_wait)
{
    struct http_header headers[2];
    struct http_response response;
    struct str from;
    d->begun = d->misplaced = false;
    struct fetch_request request = request_of(d, headers);
    enum fetch_result result = fetch_once(d->f, d->arena, &request, &response, &from, reterr_why, ret_wait);
    if (d->begun)
        remember_tag(d);
    if (d->error != 0) {
        *reterr_why = arena_printf(d->arena, STR_FMT ": %s", STR_ARG(d->path), strerror(d->error));
        return OUTCOME_FAILED;
    }
    if (d->oversized) {
        *reterr_why = arena_printf(d->arena, "it has more than %jd bytes", (intmax_t)FETCH_MAX_ARCHIVE);
        return OUTCOME_REFUSED;
    }
    if (d->misplaced || (result == FETCH_ANSWERED && response.status == 416)) {
        /* 416: the file is complete, or the part is of another archive. The SHA-256 decides, if it is known. */
        bool complete = !d->misplaced && d->wanted->sha256.n > 0 && d->done > 0;
        *reterr_why = STR("the server sent a different part from the one requested");
        if (!complete)
            forget(d);
        d->resumed = true;
        return complete ? OUTCOME_WHOLE : OUTCOME_AGAIN;
    }
    if (result == FETCH_AGAIN)
        return OUTCOME_AGAIN;
    if (result == FETCH_ANSWERED && (response.status == 200 || response.status == 206))
        return OUTCOME_WHOLE;
    if (result == FETCH_FAILED)
        return OUTCOME_FAILED;
    *reterr_why = arena_printf(d->arena, "the server answered with status %ld", response.status);
    return OUTCOME_REFUSED;
}

/* Retries as long as attempts make progress. */
static enum outcome fetch_whole(struct download *d, struct str *reterr_why)
{
    int64_t wait = 0;
    for (unsigned idle = 0; idle < FETCH_TRIES;) {
        int64_t before = d->done;
        wait = 0;
        enum outcome outcome = fetch_part(d, reterr_why, &wait);
        if (outcome != OUTCOME_AGAIN)
            return outcome;
        idle = d->done > before ? 1 : idle + 1;
        if (idle < FETCH_TRIES && !fetch_pause(d->f, idle, wait)) {
            *reterr_why = STR("cancelled");
            return OUTCOME_FAILED;
        }
    }
    return OUTCOME_FAILED;
}

static bool sum_fits(struct download *d, struct str *ret_hex)
{
    return lseek(d->fd, 0, SEEK_SET) == 0 && content_hash(d->arena, d->fd, ret_hex) &&
           (d->wanted->sha256.n == 0 || str_eq_nocase(*ret_hex, d->wanted->sha256));
}

static bool fetch_checked(struct download *d, struct str *reterr_why, bool *ret_keep, struct str *ret_hex)
{
    for (int i = 0; i < 2; i++) {
        enum outcome outcome = fetch_whole(d, reterr_why);
        *ret_keep = outcome != OUTCOME_REFUSED;
        if (outcome != OUTCOME_WHOLE)
            return false;
        *ret_hex = STR_EMPTY;
        if (sum_fits(d, ret_hex))
            return true;
        *reterr_why = arena_printf(d->arena, "its SHA-256 is " STR_FMT ", and should be " STR_FMT, STR_ARG(*ret_hex),
                                   STR_ARG(d->wanted->sha256));
        *ret_keep = false;
        if (!d->resumed)
            return false;
        forget(d); /* the part may have been of another file: start again from the beginning */
    }
    return false;
}

/*
 * Waits for another process that downloads the same file. That process may have removed the file meanwhile, so the locked file
 * must still be the one at the path.
 */
static int open_locked(const struct fetcher *f, const char *path)
{
    for (;;) {
        struct stat ours, named;
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
            return -1;
        bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        int reason = errno;
        if (locked && fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino &&
            ours.st_dev == named.st_dev)
            return fd;
        (void)close(fd);
        if (locked)
            continue;
        errno = reason;
        if (reason != EWOULDBLOCK)
            return -1;
        if (!f->time->pause(f->time, LOCK_EACH_MS * NS_PER_MS, f->cancel)) {
            errno = ECANCELED;
            return -1;
        }
    }
}

/* Removes abandoned parts: those that were not changed for FETCH_PART_DAYS and are not locked. */
static void remove_old(struct arena *a, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        struct str name = str_of(e->d_name);
        struct stat st;
        if (!str_ends(name, STR(".part")) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            st.st_mtime + (time_t)FETCH_PART_DAYS * 24 * 3600 > time(NULL))
            continue;
        int fd = openat(dirfd(dir), e->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            (void)unlinkat(dirfd(dir), arena_printf(a, STR_FMT ".tag", STR_ARG(str_slice(name, 0, name.n - 5))).p, 0);
            (void)unlinkat(dirfd(dir), e->d_name, 0);
        }
        if (fd >= 0)
            (void)close(fd);
    }
    (void)closedir(dir);
}

static void recall(struct download *d)
{
    struct stat st;
    struct diags ignored;
    diags_init(&ignored, d->arena);
    d->done = fstat(d->fd, &st) == 0 && st.st_size <= FETCH_MAX_ARCHIVE ? st.st_size : 0;
    d->resumed = d->done > 0;
    if (d->done > 0 && file_exists(d->tag_path.p))
        (void)file_read(d->arena, d->tag_path.p, MAX_TAG, &ignored, &d->tag);
}

bool fetch_file(const struct fetcher *f, struct arena *a, const struct fetch_file *wanted, const char *what, struct diags *diags,
                struct fetched_file *ret)
{
    struct download d = {.f = f, .arena = a, .wanted = wanted, .tag = STR_EMPTY};
    d.path = arena_printf(a, "%s/" STR_FMT ".part", wanted->folder, STR_ARG(wanted->key));
    d.tag_path = arena_printf(a, "%s/" STR_FMT ".tag", wanted->folder, STR_ARG(wanted->key));
    if (!file_make_folder(wanted->folder, 0700, diags))
        return false;
    remove_old(a, wanted->folder);
    d.fd = open_locked(f, d.path.p);
    if (d.fd < 0)
        return diags_fail(diags, "Cannot download a provider", STR_FMT ": %s.", STR_ARG(d.path), strerror(errno));
    recall(&d);
    struct str why = STR_EMPTY, sha256 = STR_EMPTY;
    bool keep = true;
    if (fetch_checked(&d, &why, &keep, &sha256)) {
        *ret = (struct fetched_file){d.path, sha256, d.fd};
        return true;
    }
    /* Without a validator or hash the part could not be resumed later. */
    if (!keep || d.done == 0 || (d.tag.n == 0 && wanted->sha256.n == 0)) {
        (void)unlink(d.tag_path.p);
        (void)unlink(d.path.p);
    }
    (void)close(d.fd);
    return diags_fail(diags, "Cannot download a provider", "%s (" STR_FMT "): " STR_FMT ".", what,
                      STR_ARG(fetch_shown(a, wanted->url)), STR_ARG(why));
}

void fetched_file_remove(struct fetched_file *file)
{
    struct str path = file->path;
    (void)unlink(path.p);
    char tag[4096];
    if (path.n + 1 < sizeof tag && str_ends(path, STR(".part"))) {
        (void)snprintf(tag, sizeof tag, "%.*s.tag", (int)(path.n - 5), path.p);
        (void)unlink(tag);
    }
    (void)close(file->lock);
}
