#include "kube/expiry.h"

#include "base/base64.h"
#include "base/json.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <time.h>

/* 0: unknown. */
static int64_t certificate_end(struct str pem)
{
    struct tm end;
    int64_t ns = 0;
    BIO *bio = pem.n > 0 && pem.n <= KUBE_AUTH_MAX_FILE ? BIO_new_mem_buf(pem.p, (int)pem.n) : NULL;
    X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    if (certificate && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1)
        ns = timegm(&end) * NS_PER_S;
    X509_free(certificate);
    BIO_free(bio);
    ERR_clear_error();
    return ns;
}

/* Converts base64url without padding to base64. */
static struct str plain_base64(struct arena *a, struct str text)
{
    char *p = arena_alloc(a, text.n + 4, 1);
    size_t n = 0;
    for (; n < text.n; n++)
        p[n] = (char)(text.p[n] == '-' ? '+' : text.p[n] == '_' ? '/' : text.p[n]);
    while (n % 4 != 0)
        p[n++] = '=';
    return (struct str){p, n};
}

/* The end of a JWT (HEADER.CLAIMS.SIGNATURE); 0: the token is not a JWT, or has no expiry. */
static int64_t token_end(struct str authorization)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored;
    struct str claims, rest = authorization;
    diags_init(&ignored, a);
    (void)str_cut(&rest, '.');
    struct str coded = str_cut(&rest, '.');
    if (!str_starts(authorization, STR("Bearer ")) || rest.n == 0 || !base64_read(a, plain_base64(a, coded), &claims))
        return 0;
    const struct json *j = json_parse(a, claims, "token", &ignored);
    int64_t seconds = j && j->kind == JSON_OBJECT ? json_int(json_get(j, "exp"), 0) : 0;
    return seconds > 0 && seconds < INT64_MAX / NS_PER_S ? seconds * NS_PER_S : 0;
}

static struct str said(struct arena *a, const char *what, const struct kube_text *from, int64_t end)
{
    char when[DATE_TEXT];
    timestamp_format(end, when);
    return arena_printf(a, "The %s%s%s expired at %s: renew it.", what, from->file ? " in " : "", from->file ? from->file : "",
                        when);
}

struct str kube_expired(struct arena *a, const struct kube_identity *identity, const struct kubeconfig *config, int64_t wall_ns)
{
    int64_t end = certificate_end(identity->tls.certificate);
    if (end != 0 && end <= wall_ns)
        return said(a, "client certificate", &config->certificate, end);
    for (size_t i = 0; i < identity->n_headers; i++) {
        end = str_eqz(identity->headers[i].name, "Authorization") ? token_end(identity->headers[i].value) : 0;
        if (end != 0 && end <= wall_ns)
            return said(a, "token", &config->token, end);
    }
    return STR_EMPTY;
}
