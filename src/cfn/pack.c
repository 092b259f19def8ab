#include "cfn/pack.h"

#include "cfn/pack_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct cfn_pack {
    const char *path;
    struct str file;
    struct str sections[PACK_N_SECTIONS];
    size_t n_types, n_names;
    struct str answers[2][CFN_N_ANSWERS];
};

/* --- opening --- */

static bool damaged(struct diags *diags, const char *path)
{
    return diags_fail(diags, "Damaged schema pack", "%s is cut off or damaged. Create it again with `terrane cloudcontrol pack`.",
                      path);
}

/* A part of the file, by its offset and size in the header. */
static bool part(const struct cfn_pack *p, size_t at, struct str *ret)
{
    uint64_t offset = pack_get64(p->file.p + at), size = pack_get64(p->file.p + at + 8);
    if (offset > p->file.n || size > p->file.n - offset)
        return false;
    *ret = (struct str){p->file.p + offset, (size_t)size};
    return true;
}

static bool text_fits(const struct cfn_pack *p, const char *at)
{
    uint32_t offset = pack_get32(at), n = pack_get32(at + 4);
    return offset <= p->sections[PACK_TEXTS].n && n <= p->sections[PACK_TEXTS].n - offset;
}

static const char *entry_at(const struct cfn_pack *p, size_t i)
{
    return p->sections[PACK_INDEX].p + i * ENTRY_BYTES;
}

static const char *name_at(const struct cfn_pack *p, size_t i)
{
    return p->sections[PACK_NAMES].p + i * NAME_BYTES;
}

static bool entry_fits(const struct cfn_pack *p, const char *e)
{
    uint64_t at = pack_get64(e + ENTRY_AT_BLOCK), n = pack_get32(e + ENTRY_AT_PACKED), blocks = p->sections[PACK_BLOCKS].n;
    return text_fits(p, e + ENTRY_AT_CF) && text_fits(p, e + ENTRY_AT_TF) && text_fits(p, e + ENTRY_AT_PLURAL) && at <= blocks &&
           n <= blocks - at && pack_get32(e + ENTRY_AT_RAW) <= CFN_MAX_TEXT;
}

static bool checksum_is_right(const struct cfn_pack *p)
{
    uLong crc = crc32(0, (const Bytef *)p->file.p, PACK_AT_CRC);
    for (enum pack_section s = PACK_INDEX; s <= PACK_TEXTS; s++)
        crc = crc32_z(crc, (const Bytef *)p->sections[s].p, p->sections[s].n);
    return crc == pack_get32(p->file.p + PACK_AT_CRC);
}

static bool check_entries(const struct cfn_pack *p)
{
    if (p->n_types > CFN_PACK_MAX_TYPES || p->sections[PACK_INDEX].n != p->n_types * ENTRY_BYTES ||
        p->sections[PACK_NAMES].n != p->n_names * NAME_BYTES || p->n_names > (size_t)2 * CFN_PACK_MAX_TYPES)
        return false;
    for (size_t i = 0; i < p->n_types; i++)
        if (!entry_fits(p, entry_at(p, i)))
            return false;
    for (size_t i = 0; i < p->n_names; i++)
        if (!text_fits(p, name_at(p, i) + NAME_AT_TEXT) || pack_get32(name_at(p, i) + NAME_AT_ENTRY) >= p->n_types)
            return false;
    return true;
}

static bool read_header(struct cfn_pack *p)
{
    const char *h = p->file.p;
    if (pack_get64(h + PACK_AT_SIZE) != p->file.n)
        return false;
    p->n_types = pack_get32(h + PACK_AT_N_TYPES);
    p->n_names = pack_get32(h + PACK_AT_N_NAMES);
    for (size_t i = 0; i < PACK_N_SECTIONS; i++)
        if (!part(p, PACK_AT_SECTIONS + i * 16, &p->sections[i]))
            return false;
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < CFN_N_ANSWERS; i++)
            if (!part(p, PACK_AT_ANSWERS + (mode * CFN_N_ANSWERS + i) * 16, &p->answers[mode][i]))
                return false;
    return checksum_is_right(p) && check_entries(p);
}

static bool check_pack(struct cfn_pack *p, const char *path, struct diags *diags)
{
    if (p->file.n < PACK_HEADER_BYTES || !str_starts(p->file, STR(CFN_PACK_MAGIC)))
        return diags_fail(diags, "Not a schema pack", "%s is not a schema pack. Create one with `terrane cloudcontrol pack`.",
                          path);
    uint32_t format = pack_get32(p->file.p + PACK_AT_FORMAT);
    if (format != CFN_PACK_FORMAT)
        return diags_fail(diags, "Unsupported version of the schema pack",
                          "%s has format %u; expected format %d. Create it again with `terrane cloudcontrol pack`.", path, format,
                          CFN_PACK_FORMAT);
    if (!read_header(p))
        return damaged(diags, path);
    return true;
}

static bool map_file(const char *path, struct str *ret, struct diags *diags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool known = fd >= 0 && fstat(fd, &st) == 0, not_regular = known && !S_ISREG(st.st_mode);
    if (!known || not_regular) {
        const char *reason = not_regular ? "not a regular file" : strerror(errno);
        if (fd >= 0)
            (void)close(fd);
        return diags_fail(diags, "Cannot open schema pack", "%s: %s.", path, reason);
    }
    size_t n = (size_t)st.st_size;
    void *p = n > 0 && n <= CFN_PACK_MAX_BYTES ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    (void)close(fd);
    if (p == MAP_FAILED)
        return diags_fail(diags, "Cannot open schema pack", "%s is empty or too large.", path);
    *ret = (struct str){p, n};
    return true;
}

bool cfn_pack_is(const char *path)
{
    char start[sizeof CFN_PACK_MAGIC - 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, start, sizeof start) : -1;
    if (fd >= 0)
        (void)close(fd);
    return n == (ssize_t)sizeof start && memcmp(start, CFN_PACK_MAGIC, sizeof start) == 0;
}

struct cfn_pack *cfn_pack_open(const char *path, struct diags *diags)
{
    struct cfn_pack pack = {0};
    errno = 0;
    if (!map_file(path, &pack.file, diags))
        return NULL;
    struct cfn_pack *ret = check_pack(&pack, path, diags) ? malloc(sizeof *ret) : NULL;
    if (!ret) {
        (void)munmap((void *)pack.file.p, pack.file.n);
        return NULL;
    }
    *ret = pack;
    ret->path = strdup(path);
    if (!ret->path)
        abort();
    return ret;
}

void cfn_pack_close(struct cfn_pack *pack)
{
    if (!pack)
        return;
    (void)munmap((void *)pack->file.p, pack->file.n);
    free((char *)pack->path);
    free(pack);
}

/* --- finding --- */

size_t cfn_pack_size(const struct cfn_pack *pack)
{
    return pack->n_types;
}

static struct str text_at(const struct cfn_pack *p, const char *at)
{
    return (struct str){p->sections[PACK_TEXTS].p + pack_get32(at), pack_get32(at + 4)};
}

void cfn_pack_entry(const struct cfn_pack *pack, size_t i, struct cfn_pack_entry *ret)
{
    const char *e = entry_at(pack, i);
    *ret = (struct cfn_pack_entry){.cf_type = text_at(pack, e + ENTRY_AT_CF),
                                   .tf_type = text_at(pack, e + ENTRY_AT_TF),
                                   .plural = text_at(pack, e + ENTRY_AT_PLURAL)};
    uint32_t flags = pack_get32(e + ENTRY_AT_FLAGS);
    for (size_t mode = 0; mode < 2; mode++, flags >>= PACK_FLAG_BITS) {
        ret->has[mode].resource = flags & PACK_RESOURCE;
        ret->has[mode].singular = flags & PACK_SINGULAR;
        ret->has[mode].plural = flags & PACK_PLURAL;
        ret->has[mode].list = flags & PACK_LIST;
    }
    memcpy(ret->sha256, e + ENTRY_AT_SHA, sizeof ret->sha256);
}

/* The first entry of a sorted table that is not less than the name. */
static size_t lower_bound(const struct cfn_pack *p, struct str name, const char *(*at)(const struct cfn_pack *, size_t), size_t n)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(text_at(p, at(p, middle)), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t cfn_pack_find(const struct cfn_pack *pack, struct str name)
{
    size_t i = lower_bound(pack, name, entry_at, pack->n_types);
    if (i < pack->n_types && str_eq(text_at(pack, entry_at(pack, i)), name))
        return i;
    i = lower_bound(pack, name, name_at, pack->n_names);
    if (i < pack->n_names && str_eq(text_at(pack, name_at(pack, i)), name))
        return pack_get32(name_at(pack, i) + NAME_AT_ENTRY);
    return SIZE_MAX;
}

/* --- reading --- */

bool cfn_pack_text(const struct cfn_pack *pack, size_t i, struct arena *a, struct diags *diags, struct str *ret)
{
    const char *e = entry_at(pack, i);
    struct str name = text_at(pack, e + ENTRY_AT_CF);
    uLongf raw = pack_get32(e + ENTRY_AT_RAW), n = raw;
    char *text = arena_alloc(a, raw + 1, 1);
    const char *block = pack->sections[PACK_BLOCKS].p + pack_get64(e + ENTRY_AT_BLOCK);
    int r = uncompress((Bytef *)text, &n, (const Bytef *)block, pack_get32(e + ENTRY_AT_PACKED));
    if (r != Z_OK || n != raw || crc32_z(0, (const Bytef *)text, n) != pack_get32(e + ENTRY_AT_CRC))
        return diags_fail(diags, "Damaged schema pack",
                          "The schema of " STR_FMT
                          " in %s is damaged: the %u bytes at offset %zu are not those that were written. "
                          "Create it again with `terrane cloudcontrol pack`.",
                          STR_ARG(name), pack->path, pack_get32(e + ENTRY_AT_PACKED), (size_t)(block - pack->file.p));
    *ret = (struct str){text, n};
    return true;
}

struct str cfn_pack_answer(const struct cfn_pack *pack, uint32_t translation, enum cfn_mode mode, enum cfn_answer answer)
{
    return pack_get32(pack->file.p + PACK_AT_TRANSLATION) == translation ? pack->answers[mode][answer] : STR_EMPTY;
}
