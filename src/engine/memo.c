#include "engine/memo.h"

#include "base/lock.h"
#include "base/must.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct memo_key key;
    int64_t until; /* 0: empty */
};

struct memo {
    pthread_mutex_t lock;
    EVP_MD_CTX *empty; /* initialised once and copied for each hash: looking up the algorithm takes longer than hashing */
    struct entry entries[MEMO_SLOTS];
};

static const char no_sha256[] = "out of memory, or libcrypto has no SHA-256";

struct memo *memo_new(void)
{
    struct memo *m = must(calloc(1, sizeof *m));
    mutex_init(&m->lock);
    m->empty = EVP_MD_CTX_new();
    must_be(m->empty && EVP_DigestInit_ex(m->empty, EVP_sha256(), NULL) == 1, no_sha256);
    return m;
}

void memo_free(struct memo *m)
{
    if (!m)
        return;
    EVP_MD_CTX_free(m->empty);
    mutex_destroy(&m->lock);
    free(m);
}

/* A hash being computed. The pieces are small, so they are buffered. */
struct sum {
    EVP_MD_CTX *ctx;
    size_t n;
    unsigned char held[4096];
};

static void flush(struct sum *s)
{
    must_be(EVP_DigestUpdate(s->ctx, s->held, s->n) == 1, no_sha256);
    s->n = 0;
}

static void add(struct sum *s, const void *bytes, size_t n)
{
    if (n > sizeof s->held - s->n)
        flush(s);
    if (n > sizeof s->held) {
        must_be(EVP_DigestUpdate(s->ctx, bytes, n) == 1, no_sha256);
        return;
    }
    if (n > 0)
        memcpy(s->held + s->n, bytes, n);
    s->n += n;
}

/* Seven bits a byte, lowest first; the last byte has its high bit clear. */
static void add_number(struct sum *s, uint64_t n)
{
    unsigned char bytes[10];
    size_t used = 0;
    for (; n > 0x7f; n >>= 7)
        bytes[used++] = (unsigned char)(n | 0x80);
    bytes[used++] = (unsigned char)n;
    add(s, bytes, used);
}

/* The length comes first, so that two different sequences of texts never have the same bytes. */
static void add_text(struct sum *s, struct str text)
{
    add_number(s, text.n);
    add(s, text.p, text.n);
}

static void add_json(struct sum *s, const struct json *j)
{
    unsigned char kind = (unsigned char)j->kind;
    add(s, &kind, sizeof kind);
    switch (j->kind) {
    case JSON_NULL:
        break;
    case JSON_BOOL:
        add_number(s, j->boolean);
        break;
    case JSON_NUMBER:
    case JSON_STRING:
        add_text(s, j->text);
        break;
    case JSON_ARRAY:
        add_number(s, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            add_json(s, j->array.items[i]);
        break;
    case JSON_OBJECT:
        add_number(s, j->object.n);
        for (size_t i = 0; i < j->object.n; i++) {
            add_text(s, j->object.members[i].key);
            add_json(s, j->object.members[i].value);
        }
        break;
    }
}

struct memo_key memo_key(const struct memo *m, const char *call, struct str type, int64_t version, const struct json *arguments)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    struct sum s = {.ctx = EVP_MD_CTX_new()};
    must_be(s.ctx && EVP_MD_CTX_copy_ex(s.ctx, m->empty) == 1, no_sha256);
    add_text(&s, str_of(call));
    add_text(&s, type);
    add_number(&s, (uint64_t)version);
    add_json(&s, arguments);
    flush(&s);
    must_be(EVP_DigestFinal_ex(s.ctx, digest, NULL) == 1, no_sha256);
    EVP_MD_CTX_free(s.ctx);
    struct memo_key key;
    memcpy(&key, digest, sizeof key);
    return key;
}

static struct entry *entry_of(struct memo *m, struct memo_key key)
{
    return &m->entries[key.half[0] % MEMO_SLOTS];
}

bool memo_has(struct memo *m, struct memo_key key, int64_t now)
{
    mutex_lock(&m->lock);
    const struct entry *e = entry_of(m, key);
    bool has = now < e->until && e->key.half[0] == key.half[0] && e->key.half[1] == key.half[1];
    mutex_unlock(&m->lock);
    return has;
}

void memo_add(struct memo *m, struct memo_key key, int64_t now)
{
    mutex_lock(&m->lock);
    *entry_of(m, key) = (struct entry){key, now + MEMO_FOR};
    mutex_unlock(&m->lock);
}
