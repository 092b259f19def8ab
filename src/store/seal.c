#include "store/seal.h"

#include "base/file.h"
#include "base/json.h"
#include "base/must.h"
#include "store/store_private.h"

#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    KEY = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    KEY_TEXT = 2 * KEY + 1, /* hexadecimal, with a NUL or a newline */
    KEY_FILE_MAX = 1024,
};

struct sealer {
    unsigned char *key; /* in guarded memory (libsodium) */
    char *source;
};

static bool key_from_text(struct sealer *s, struct str text, struct diags *diags)
{
    size_t n = 0;
    text = str_trim(text);
    if (text.n == (size_t)2 * KEY && sodium_hex2bin(s->key, KEY, text.p, text.n, NULL, &n, NULL) == 0 && n == KEY)
        return true;
    return diags_fail(diags, "Invalid key of the store", "%s: expected %d hexadecimal digits, found %zu characters.", s->source,
                      2 * KEY, text.n);
}

static bool make_key(struct sealer *s, const char *path, struct diags *diags)
{
    char text[KEY_TEXT];
    randombytes_buf(s->key, KEY);
    (void)sodium_bin2hex(text, sizeof text, s->key, KEY);
    text[KEY_TEXT - 1] = '\n';
    bool ok = file_write(path, (struct str){text, sizeof text}, S_IRUSR | S_IWUSR, diags);
    sodium_memzero(text, sizeof text);
    return ok;
}

static bool read_key(struct sealer *s, const char *path, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str text;
    if (!private_check(path, diags) || !file_read(scratch, path, KEY_FILE_MAX, diags, &text))
        return false;
    bool ok = key_from_text(s, text, diags);
    sodium_memzero((void *)(uintptr_t)text.p, text.n);
    return ok;
}

static bool find_key(struct sealer *s, const char *path, bool may_make, struct diags *diags)
{
    const char *given = getenv(SEAL_VARIABLE);
    bool is_given = given && *given;
    s->source = must(strdup(is_given ? SEAL_VARIABLE : path));
    if (is_given)
        return key_from_text(s, str_of(given), diags);
    if (file_exists(path))
        return read_key(s, path, diags);
    if (may_make)
        return make_key(s, path, diags);
    return diags_fail(
        diags, "Key of the store is missing",
        "The store has content that was sealed with a key, and %s does not exist. Put the key file back, or set " SEAL_VARIABLE
        " to its content. Without the key the Secrets in it cannot be read.",
        path);
}

struct sealer *sealer_open(const char *key_file, bool may_make, struct diags *diags)
{
    if (sodium_init() < 0) {
        (void)diags_fail(diags, "Encryption is not available", "libsodium could not be started.");
        return NULL;
    }
    struct sealer *s = must(calloc(1, sizeof *s));
    s->key = must(sodium_malloc(KEY));
    if (find_key(s, key_file, may_make, diags))
        return s;
    sealer_close(s);
    return NULL;
}

void sealer_close(struct sealer *s)
{
    if (!s)
        return;
    sodium_free(s->key); /* overwrites it, too */
    free(s->source);
    free(s);
}

const char *sealer_source(const struct sealer *s)
{
    return s->source;
}

bool seal(const struct sealer *s, struct str context, struct str plain, struct buf *out)
{
    unsigned char *p = (unsigned char *)buf_room(out, NONCE + plain.n + TAG);
    if (!p)
        return false;
    unsigned long long n = 0;
    randombytes_buf(p, NONCE);
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(p + NONCE, &n, (const unsigned char *)plain.p, plain.n,
                                                     (const unsigned char *)context.p, context.n, NULL, p, s->key);
    buf_grew(out, NONCE + (size_t)n);
    return true;
}

bool unseal(const struct sealer *s, struct str context, struct str sealed, struct buf *out)
{
    if (sealed.n < NONCE + TAG)
        return false;
    unsigned char *p = (unsigned char *)buf_room(out, sealed.n - NONCE - TAG + 1);
    const unsigned char *from = (const unsigned char *)sealed.p;
    unsigned long long n = 0;
    if (!p || crypto_aead_xchacha20poly1305_ietf_decrypt(p, &n, NULL, from + NONCE, sealed.n - NONCE,
                                                         (const unsigned char *)context.p, context.n, from, s->key) != 0)
        return false;
    buf_grew(out, (size_t)n);
    return true;
}

/* Trees are immutable, but this one is about to be freed. Its depth is that of JSON. */
static void wipe(void *what)
{
    const struct json *j = what;
    if (j->kind == JSON_STRING) {
        sodium_memzero((void *)(uintptr_t)j->text.p, j->text.n);
    } else if (j->kind == JSON_ARRAY) {
        for (size_t i = 0; i < j->array.n; i++)
            wipe((void *)(uintptr_t)j->array.items[i]);
    } else if (j->kind == JSON_OBJECT) {
        for (size_t i = 0; i < j->object.n; i++)
            wipe((void *)(uintptr_t)j->object.members[i].value);
    }
}

void seal_wipe_with(struct arena *a, const struct json *tree)
{
    arena_on_free(a, wipe, (void *)(uintptr_t)tree);
}
