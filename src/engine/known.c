#include "engine/known.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct known_sum sum;
    int64_t until; /* 0: empty */
};

struct known {
    pthread_mutex_t lock;
    EVP_MD_CTX *empty; /* begun, and copied for each sum: looking up the algorithm takes longer than the sum */
    struct entry entries[KNOWN_SLOTS];
};

static void must(bool ok)
{
    if (!ok)
        abort(); /* no memory, or OpenSSL without SHA-256 */
}

struct known *known_new(void)
{
    struct known *k = calloc(1, sizeof *k);
    must(k != NULL);
    (void)pthread_mutex_init(&k->lock, NULL);
    k->empty = EVP_MD_CTX_new();
    must(k->empty && EVP_DigestInit_ex(k->empty, EVP_sha256(), NULL) == 1);
    return k;
}

void known_free(struct known *k)
{
    if (!k)
        return;
    EVP_MD_CTX_free(k->empty);
    (void)pthread_mutex_destroy(&k->lock);
    free(k);
}

struct known_sum known_sum(const struct known *k, const char *call, struct str type, int64_t version, struct str arguments)
{
    const uint64_t head[] = {strlen(call), type.n, (uint64_t)version};
    unsigned char digest[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    must(ctx && EVP_MD_CTX_copy_ex(ctx, k->empty) == 1 && EVP_DigestUpdate(ctx, head, sizeof head) == 1 &&
         EVP_DigestUpdate(ctx, call, strlen(call)) == 1 && EVP_DigestUpdate(ctx, type.p, type.n) == 1 &&
         EVP_DigestUpdate(ctx, arguments.p, arguments.n) == 1 && EVP_DigestFinal_ex(ctx, digest, NULL) == 1);
    EVP_MD_CTX_free(ctx);
    struct known_sum sum;
    memcpy(&sum, digest, sizeof sum);
    return sum;
}

static struct entry *entry_of(struct known *k, struct known_sum sum)
{
    return &k->entries[sum.half[0] % KNOWN_SLOTS];
}

bool known_has(struct known *k, struct known_sum sum, int64_t now)
{
    (void)pthread_mutex_lock(&k->lock);
    const struct entry *e = entry_of(k, sum);
    bool has = now < e->until && e->sum.half[0] == sum.half[0] && e->sum.half[1] == sum.half[1];
    (void)pthread_mutex_unlock(&k->lock);
    return has;
}

void known_add(struct known *k, struct known_sum sum, int64_t now)
{
    (void)pthread_mutex_lock(&k->lock);
    *entry_of(k, sum) = (struct entry){sum, now + KNOWN_FOR};
    (void)pthread_mutex_unlock(&k->lock);
}
