#include "cfn/sources.h"

#include "base/file.h"
#include "base/vec.h"
#include "cfn/pack.h"
#include "lazy/lazy_archive.h"
#include "lazy/lazy_curl.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

enum { MAX_ENTRIES = 50000, BLOCK = 64 << 10, CONNECT_S = 10, TRANSFER_S = 300 };
#define MAX_FILE ((size_t)256 << 20) /* in an archive */

struct collecting {
    struct arena *a;
    const char *from;
    struct diags *diags;
    struct cfn_sources *sources;
    size_t bytes;
    const struct lazy_archive *lib; /* while an archive is read */
};

static bool fail(const struct collecting *c, const char *why)
{
    return diags_fail(c->diags, "Cannot read schemas", "%s: %s.", c->from, why);
}

/* `text` must live as long as the arena; `sha256` NULL: the text is the original. */
static bool add_hashed(struct collecting *c, struct str name, struct str text, const unsigned char *sha256)
{
    c->bytes += text.n;
    if (c->bytes > CFN_SOURCE_MAX_BYTES || c->sources->n >= MAX_ENTRIES)
        return fail(c, "it is larger than the limit");
    *VEC_PUSH(c->a, c->sources) = (struct cfn_source){name, text, sha256};
    return true;
}

static bool add(struct collecting *c, struct str name, struct str text)
{
    return add_hashed(c, name, text, NULL);
}

/* --- lines --- */

/* One schema per line. */
static bool add_lines(struct collecting *c, struct str name, struct str text)
{
    for (size_t line = 1; text.n > 0; line++) {
        struct str one = str_trim(str_cut(&text, '\n'));
        if (one.n > 0 && !add(c, arena_printf(c->a, STR_FMT ":%zu", STR_ARG(name), line), one))
            return false;
    }
    return true;
}

static bool inflate_all(struct collecting *c, z_stream *z, struct buf *out)
{
    for (;;) {
        char *room = buf_room(out, BLOCK);
        if (!room)
            return fail(c, "it is too large");
        z->next_out = (unsigned char *)room;
        z->avail_out = BLOCK;
        int r = inflate(z, Z_NO_FLUSH);
        buf_grew(out, BLOCK - z->avail_out);
        if (r == Z_STREAM_END)
            return true;
        if (r != Z_OK || (z->avail_in == 0 && z->avail_out > 0))
            return fail(c, "it is cut off or damaged");
    }
}

static bool gunzip(struct collecting *c, struct str packed, struct buf *out)
{
    enum { GZIP = 15 + 16 };
    z_stream z = {.next_in = (unsigned char *)packed.p, .avail_in = (unsigned)packed.n};
    if (packed.n > MAX_FILE || inflateInit2(&z, GZIP) != Z_OK)
        return fail(c, "it is too large");
    bool ok = inflate_all(c, &z, out);
    (void)inflateEnd(&z);
    return ok;
}

static bool add_gzipped_lines(struct collecting *c, struct str name, struct str packed)
{
    struct buf out BUF_AUTO = BUF_INIT(CFN_SOURCE_MAX_BYTES);
    return gunzip(c, packed, &out) && add_lines(c, name, buf_copy(&out, c->a));
}

/* --- archives --- */

static bool read_entry(struct collecting *c, struct archive *archive, struct buf *out)
{
    for (;;) {
        char *room = buf_room(out, BLOCK);
        if (!room)
            return fail(c, "a file in it is too large");
        la_ssize_t n = c->lib->read_data(archive, room, BLOCK);
        if (n < 0)
            return fail(c, c->lib->error_string(archive) ? c->lib->error_string(archive) : "it is damaged");
        if (n == 0)
            return true;
        buf_grew(out, (size_t)n);
    }
}

static bool take_entry(struct collecting *c, struct archive *archive, struct archive_entry *entry)
{
    struct str name = str_of(c->lib->entry_pathname(entry));
    bool json = str_ends(name, STR(".json")), lines = str_ends(name, STR("schemas.ndjson.gz")),
         plain = str_ends(name, STR(".ndjson"));
    if (c->lib->entry_filetype(entry) != AE_IFREG || (!json && !lines && !plain))
        return true;
    if (json && c->lib->entry_size_is_set(entry) && c->lib->entry_size(entry) > CFN_MAX_TEXT) {
        diags_warn(c->diags, "Skipped", STR_FMT " is larger than %d bytes.", STR_ARG(name), (int)CFN_MAX_TEXT);
        return true;
    }
    struct buf out BUF_AUTO = BUF_INIT(lines || plain ? CFN_SOURCE_MAX_BYTES : CFN_MAX_TEXT);
    if (!read_entry(c, archive, &out))
        return false;
    struct str kept = arena_str(c->a, name);
    if (lines)
        return add_gzipped_lines(c, kept, buf_str(&out));
    return plain ? add_lines(c, kept, buf_copy(&out, c->a)) : add(c, kept, buf_copy(&out, c->a));
}

static bool take_entries(struct collecting *c, struct archive *archive)
{
    for (size_t n = 0; n < MAX_ENTRIES; n++) {
        struct archive_entry *entry;
        int r = c->lib->read_next_header(archive, &entry);
        if (r == ARCHIVE_EOF)
            return true;
        if (r != ARCHIVE_OK)
            return fail(c, c->lib->error_string(archive) ? c->lib->error_string(archive) : "it is damaged");
        if (!take_entry(c, archive, entry))
            return false;
    }
    return fail(c, "it has too many files");
}

static bool take_archive(struct collecting *c, struct str bytes)
{
    c->lib = lazy_archive(c->diags);
    if (!c->lib)
        return false;
    struct archive *archive = c->lib->read_new();
    bool ok = archive && c->lib->read_support_filter_gzip(archive) == ARCHIVE_OK &&
              c->lib->read_support_format_zip(archive) == ARCHIVE_OK && c->lib->read_support_format_tar(archive) == ARCHIVE_OK &&
              c->lib->read_open_memory(archive, bytes.p, bytes.n) == ARCHIVE_OK;
    if (!ok)
        (void)fail(c, archive && c->lib->error_string(archive) ? c->lib->error_string(archive) : "it is not an archive");
    else
        ok = take_entries(c, archive);
    (void)c->lib->read_free(archive);
    return ok;
}

/* --- what kind of file it is --- */

static bool is_tar(struct str bytes)
{
    enum { MAGIC_AT = 257, MAGIC_BYTES = 5 };
    return bytes.n > MAGIC_AT + MAGIC_BYTES && memcmp(bytes.p + MAGIC_AT, "ustar", MAGIC_BYTES) == 0;
}

/* Text begins with the bracket of the first schema; anything else is an archive. */
static bool take_gzip(struct collecting *c, struct str bytes)
{
    struct buf out BUF_AUTO = BUF_INIT(CFN_SOURCE_MAX_BYTES);
    if (!gunzip(c, bytes, &out))
        return false;
    if (is_tar(buf_str(&out)))
        return take_archive(c, buf_str(&out));
    return add_lines(c, str_of(c->from), buf_copy(&out, c->a));
}

static bool take_bytes(struct collecting *c, struct str bytes)
{
    if (str_starts(bytes, STR("\x1f\x8b")))
        return take_gzip(c, bytes);
    if (str_starts(bytes, STR("PK")) || is_tar(bytes))
        return take_archive(c, bytes);
    if (str_ends(str_of(c->from), STR(".ndjson")))
        return add_lines(c, str_of(c->from), bytes);
    if (str_starts(str_trim(bytes), STR("{")))
        return add(c, str_of(c->from), bytes);
    return fail(c, "it is neither a zip, nor lines of JSON, nor a schema");
}

/* --- folders --- */

/* An unreadable file does not prevent reading the others. */
static bool read_or_skip(struct collecting *c, struct str path, struct str *ret)
{
    struct diags why;
    diags_init(&why, c->a);
    if (file_read(c->a, path.p, CFN_MAX_TEXT, &why, ret))
        return true;
    diags_warn(c->diags, "Skipped", STR_FMT, STR_ARG(why.v[0].detail));
    return false;
}

static bool take_folder(struct collecting *c)
{
    DIR *dir = opendir(c->from);
    if (!dir)
        return fail(c, strerror(errno));
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(dir));) {
        struct str path = arena_printf(c->a, "%s/%s", c->from, e->d_name), text;
        if (str_ends(path, STR(".json")) && read_or_skip(c, path, &text))
            ok = add(c, path, text);
    }
    (void)closedir(dir);
    return ok;
}

/* --- packs --- */

static void close_pack(void *pack)
{
    cfn_pack_close(pack);
}

static bool take_pack(struct collecting *c)
{
    struct cfn_pack *pack = cfn_pack_open(c->from, c->diags);
    if (!pack)
        return false;
    arena_on_free(c->a, close_pack, pack);
    for (size_t i = 0; i < cfn_pack_size(pack); i++) {
        struct cfn_pack_entry entry;
        struct str text;
        cfn_pack_entry(pack, i, &entry);
        unsigned char *hash = arena_alloc(c->a, sizeof entry.sha256, 1);
        memcpy(hash, entry.sha256, sizeof entry.sha256);
        if (!cfn_pack_text(pack, i, c->a, c->diags, &text) || !add_hashed(c, entry.cf_type, text, hash))
            return false;
    }
    return true;
}

/* --- addresses --- */

static size_t receive(char *bytes, size_t size, size_t n, void *out)
{
    buf_add(out, (struct str){bytes, size * n});
    return buf_ok(out) ? size * n : 0;
}

static bool download(struct collecting *c, struct buf *out)
{
    char error[CURL_ERROR_SIZE] = "";
    const struct lazy_curl *curl = lazy_curl(c->diags);
    if (!curl)
        return false;
    CURL *easy = curl->easy_init();
    if (!easy)
        return fail(c, "no HTTP client");
    CURL_SET(curl, easy, CURLOPT_URL, c->from);
    CURL_SET(curl, easy, CURLOPT_PROTOCOLS_STR, "https,http");
    CURL_SET(curl, easy, CURLOPT_REDIR_PROTOCOLS_STR, "https,http");
    CURL_SET(curl, easy, CURLOPT_FOLLOWLOCATION, 1L);
    CURL_SET(curl, easy, CURLOPT_MAXREDIRS, 5L);
    CURL_SET(curl, easy, CURLOPT_FAILONERROR, 1L);
    CURL_SET(curl, easy, CURLOPT_NOSIGNAL, 1L);
    CURL_SET(curl, easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    CURL_SET(curl, easy, CURLOPT_TIMEOUT, (long)TRANSFER_S);
    CURL_SET(curl, easy, CURLOPT_USERAGENT, "terrane/" TERRANE_VERSION);
    CURL_SET(curl, easy, CURLOPT_ERRORBUFFER, error);
    CURL_SET(curl, easy, CURLOPT_WRITEFUNCTION, receive);
    CURL_SET(curl, easy, CURLOPT_WRITEDATA, out);
    CURLcode code = curl->easy_perform(easy);
    curl->easy_cleanup(easy);
    return code == CURLE_OK || fail(c, error[0] ? error : curl->easy_strerror(code));
}

static bool take_address(struct collecting *c)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_FILE);
    return download(c, &out) && take_bytes(c, buf_copy(&out, c->a));
}

static bool take_file(struct collecting *c)
{
    struct str bytes;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    if (!file_read(scratch, c->from, MAX_FILE, c->diags, &bytes))
        return false;
    if (str_starts(bytes, STR(CFN_PACK_MAGIC)))
        return take_pack(c);
    bool packed = str_starts(bytes, STR("PK")) || str_starts(bytes, STR("\x1f\x8b"));
    return take_bytes(c, packed ? bytes : arena_str(c->a, bytes));
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct cfn_source *)a)->name, ((const struct cfn_source *)b)->name);
}

bool cfn_sources_read(struct arena *a, const char *from, struct diags *diags, struct cfn_sources *ret)
{
    struct cfn_sources sources = {0};
    struct collecting c = {.a = a, .from = from, .diags = diags, .sources = &sources};
    struct stat st;
    bool ok;
    if (str_starts(str_of(from), STR("https://")) || str_starts(str_of(from), STR("http://")))
        ok = take_address(&c);
    else
        ok = stat(from, &st) == 0 && S_ISDIR(st.st_mode) ? take_folder(&c) : take_file(&c);
    if (ok && sources.n == 0)
        ok = fail(&c, "it does not contain a schema");
    if (!ok)
        return false;
    if (sources.v)
        qsort(sources.v, sources.n, sizeof sources.v[0], by_name);
    *ret = sources;
    return true;
}
