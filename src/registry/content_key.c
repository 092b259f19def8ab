/*
 * A cached hash is used only if its stamp equals the file's current stamp and its own checksum is right. A file that was just
 * changed is read only after a short wait: a second change within the resolution of the file system's clock would not change the
 * stamp.
 */
#include "registry/content_key.h"

#include "base/file.h"
#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 20, MEMO_MAX_BYTES = 1024, PATH_KEY_HEX = 32 };

/* Longer than a clock tick of any kernel. */
#define REST_NS INT64_C(50000000)

static struct str sha256_of_text(struct arena *a, struct str text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_Digest(text.p, text.n, digest, &n, EVP_sha256(), NULL) != 1)
        abort(); /* no memory, or a libcrypto without SHA-256 */
    return hex_of(a, digest, n);
}

struct str content_key_of_path(struct arena *a, const char *path)
{
    char *real = realpath(path, NULL);
    struct str hex = sha256_of_text(a, str_of(real ? real : path));
    free(real);
    return arena_str(a, str_slice(hex, 0, PATH_KEY_HEX));
}

/* The first line of a cache file: everything that changes when the file does. */
static struct str stamp_of(struct arena *a, const struct stat *st)
{
    return arena_printf(a, "terrane-content-key 1 %ju %ju %jd %jd.%09ld %jd.%09ld", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
                        (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, (intmax_t)st->st_ctim.tv_sec,
                        st->st_ctim.tv_nsec);
}

/* STAMP, newline, hash, newline, checksum of the first two lines. */
static struct str memo_text(struct arena *a, struct str stamp, struct str hex)
{
    struct str lines = arena_printf(a, STR_FMT "\n" STR_FMT "\n", STR_ARG(stamp), STR_ARG(hex));
    return arena_printf(a, STR_FMT STR_FMT "\n", STR_ARG(lines), STR_ARG(sha256_of_text(a, lines)));
}

static struct str memo_folder(struct arena *a, const char *cache_folder)
{
    return arena_printf(a, "%s/keys", cache_folder);
}

static struct str memo_file(struct arena *a, const char *cache_folder, const char *file)
{
    return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(memo_folder(a, cache_folder)), STR_ARG(content_key_of_path(a, file)));
}

static bool recall(struct arena *a, const char *memo, struct str stamp, struct str *ret_hex)
{
    struct diags ignored;
    diags_init(&ignored, a);
    struct str text;
    if (!file_exists(memo) || !file_read(a, memo, MEMO_MAX_BYTES, &ignored, &text))
        return false;
    struct str rest = text;
    (void)str_cut(&rest, '\n');
    struct str hex = str_cut(&rest, '\n');
    if (hex.n != CONTENT_KEY_HEX || !str_eq(text, memo_text(a, stamp, hex)))
        return false;
    *ret_hex = arena_str(a, hex);
    return true;
}

/* Failing to write is not an error: the next run only takes longer. */
static void remember(struct arena *a, const char *folder, const char *memo, struct str stamp, struct str hex)
{
    struct diags ignored;
    diags_init(&ignored, a);
    if (file_make_folder(folder, 0700, &ignored))
        (void)file_write(memo, memo_text(a, stamp, hex), 0600, &ignored);
}

/* True at the end of the file; errno otherwise. */
static bool feed(EVP_MD_CTX *digest, int fd, unsigned char *block)
{
    for (;;) {
        ssize_t n = read(fd, block, READ_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        if (EVP_DigestUpdate(digest, block, (size_t)n) != 1) {
            errno = ENOMEM;
            return false;
        }
    }
}

bool content_hash(struct arena *a, int fd, struct str *ret_hex)
{
    unsigned char result[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    unsigned char *block = malloc(READ_BYTES);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    errno = ENOMEM;
    bool ok = block && digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1 && feed(digest, fd, block) &&
              EVP_DigestFinal_ex(digest, result, &n) == 1;
    int reason = errno;
    EVP_MD_CTX_free(digest);
    free(block);
    errno = reason;
    if (ok)
        *ret_hex = hex_of(a, result, n);
    return ok;
}

/* Waits until the file's last change is old enough that another change would change the stamp. */
static void let_rest(const struct stat *st)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = ((int64_t)now.tv_sec - (int64_t)st->st_ctim.tv_sec) * 1000000000 + (now.tv_nsec - st->st_ctim.tv_nsec);
    if (age >= 0 && age < REST_NS)
        (void)nanosleep(&(struct timespec){.tv_nsec = REST_NS - age}, NULL);
}

/* Compares only size and mtime: a new hard link or mode changes ctime but not the content. */
static bool same_content_times(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool fail_errno(struct diags *diags, const char *file)
{
    return diags_fail(diags, "Cannot read provider", "%s: %s.", file, strerror(errno));
}

static bool key_of_open_file(struct arena *a, int fd, const char *file, const char *cache_folder, struct diags *diags,
                             struct str *ret_hex)
{
    struct stat before, after;
    if (fstat(fd, &before) < 0)
        return fail_errno(diags, file);
    if (!S_ISREG(before.st_mode))
        return diags_fail(diags, "Cannot read provider", "%s: not a regular file.", file);
    struct str stamp = stamp_of(a, &before);
    struct str folder = memo_folder(a, cache_folder);
    struct str memo = memo_file(a, cache_folder, file);
    if (recall(a, memo.p, stamp, ret_hex))
        return true;
    let_rest(&before);
    struct str hex;
    if (!content_hash(a, fd, &hex) || fstat(fd, &after) < 0)
        return fail_errno(diags, file);
    if (!same_content_times(&before, &after))
        return diags_fail(diags, "Cannot read provider", "%s: it was changed while it was read; try again.", file);
    if (str_eq(stamp, stamp_of(a, &after)))
        remember(a, folder.p, memo.p, stamp, hex);
    *ret_hex = hex;
    return true;
}

bool content_key(struct arena *a, const char *file, const char *cache_folder, struct diags *diags, struct str *ret_hex)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(diags, file);
    bool ok = key_of_open_file(a, fd, file, cache_folder, diags, ret_hex);
    (void)close(fd);
    return ok;
}

bool content_key_remembered(struct arena *a, const char *file, const char *cache_folder, struct str *ret_hex)
{
    struct stat st;
    return stat(file, &st) == 0 && recall(a, memo_file(a, cache_folder, file).p, stamp_of(a, &st), ret_hex);
}
