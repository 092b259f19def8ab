/*
 * File format: the header below, the schema response, the identities response. Numbers are in the machine's byte order, as the
 * cache stays on the machine.
 */
#include "plugin/schema_cache.h"

#include "base/file.h"

#include <openssl/evp.h>

enum { MAGIC_BYTES = 16, CHECKSUM_BYTES = 32 };
#define MAGIC "terrane-schema-2" /* the number changes when the layout or the content changes */
#define MAX_FILE ((size_t)512 << 20)

struct header {
    char magic[MAGIC_BYTES];
    unsigned char checksum[CHECKSUM_BYTES]; /* SHA-256 of everything after it */
    uint64_t protocol;
    uint64_t schema_bytes;
    uint64_t identities_bytes;
};

static struct str file_name(struct arena *a, const char *folder, struct str key)
{
    return arena_printf(a, "%s/schemas/" STR_FMT, folder, STR_ARG(key));
}

static bool checksum(struct str head, struct str body, unsigned char ret[CHECKSUM_BYTES])
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) && EVP_DigestUpdate(md, head.p, head.n) &&
              EVP_DigestUpdate(md, body.p, body.n) && EVP_DigestFinal_ex(md, ret, NULL);
    EVP_MD_CTX_free(md);
    return ok;
}

/* The part of the header that the checksum covers. */
static struct str covered(const struct header *h)
{
    return (struct str){(const char *)&h->protocol, sizeof *h - offsetof(struct header, protocol)};
}

bool schema_cache_serves(const char *binary)
{
    const char *slash = strrchr(binary, '/');
    return !str_starts(str_of(slash ? slash + 1 : binary), STR("terraform-provider-awscc"));
}

bool schema_cache_keeps(const struct provider_schema *schema)
{
    /* Identities come from another response, and belong to resource types. */
    for (int i = 0; i < SECTION_COUNT; i++)
        if (i != SECTION_IDENTITIES && provider_schema_section(schema, (enum schema_section)i)->n > 0)
            return true;
    return false;
}

bool schema_cache_load(struct arena *a, const char *folder, struct str key, struct schema_bytes *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored; /* an absent and a damaged file are treated alike: the provider is asked */
    diags_init(&ignored, scratch);
    struct str file;
    struct header h;
    if (!file_read(a, file_name(scratch, folder, key).p, MAX_FILE, &ignored, &file) || file.n < sizeof h)
        return false;
    memcpy(&h, file.p, sizeof h);
    struct str body = str_slice(file, sizeof h, file.n);
    if (memcmp(h.magic, MAGIC, sizeof h.magic) != 0 || h.schema_bytes > body.n || h.identities_bytes != body.n - h.schema_bytes ||
        (h.protocol != 5 && h.protocol != 6))
        return false;
    unsigned char sum[CHECKSUM_BYTES];
    if (!checksum(covered(&h), body, sum) || memcmp(sum, h.checksum, sizeof sum) != 0)
        return false;
    *ret = (struct schema_bytes){
        .protocol = (int)h.protocol,
        .schema = str_slice(body, 0, h.schema_bytes),
        .identities = str_slice(body, h.schema_bytes, body.n),
    };
    return true;
}

bool schema_cache_store(const char *folder, struct str key, const struct schema_bytes *bytes, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct header h = {
        .protocol = (uint64_t)bytes->protocol,
        .schema_bytes = bytes->schema.n,
        .identities_bytes = bytes->identities.n,
    };
    memcpy(h.magic, MAGIC, sizeof h.magic);
    struct buf file BUF_AUTO = BUF_INIT(MAX_FILE);
    buf_add(&file, (struct str){(const char *)&h, sizeof h});
    buf_add(&file, bytes->schema);
    buf_add(&file, bytes->identities);
    if (!buf_ok(&file))
        return diags_fail(diags, "Schema not cached", "It is larger than %zu bytes.", MAX_FILE);
    struct header *placed = (struct header *)(void *)file.p;
    if (!checksum(covered(placed), str_slice(buf_str(&file), sizeof h, file.n), placed->checksum))
        return diags_fail(diags, "Schema not cached", "The checksum could not be computed.");
    return file_make_folder(arena_printf(scratch, "%s/schemas", folder).p, 0700, diags) &&
           file_write(file_name(scratch, folder, key).p, buf_str(&file), 0600, diags);
}
