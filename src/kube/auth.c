#include "kube/auth.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/must.h"
#include "base/vec.h"
#include "kube/exec.h"
#include "kube/path.h"
#include "kube/pem.h"

struct snapshot {
    struct kube_identity identity; /* the first member */
    struct arena *arena;
    size_t users;                  /* references: the auth's `newest`, and requests */
    struct str authorization, key; /* overwritten when it is freed */
    int64_t expires;               /* wall ns; 0: never */
};

/* The contents of an identity. */
struct material {
    struct str ca, certificate, key, token;
    int64_t expires;
};

struct kube_auth {
    struct kube_auth_options o;
    pthread_mutex_t renewing; /* held while files are read and plugins run; taken before `lock` */
    int64_t checked;          /* monotonic; guarded by `renewing` */
    pthread_mutex_t lock;     /* guards the newest snapshot and the `users` of all snapshots; held for moments */
    struct snapshot *newest;
};

/* Snapshots */

static void drop(struct kube_auth *auth, struct snapshot *s)
{
    mutex_lock(&auth->lock);
    bool last = --s->users == 0;
    mutex_unlock(&auth->lock);
    if (!last)
        return;
    str_wipe(s->authorization);
    str_wipe(s->key);
    arena_free(s->arena);
}

static struct str basic(struct arena *a, const struct kubeconfig *c)
{
    struct buf plain = BUF_INIT(HTTP_MAX_HEADERS), coded = BUF_INIT(HTTP_MAX_HEADERS);
    (void)buf_room(&plain, c->username.n + c->password.n + 1);
    (void)buf_room(&coded, 2 * (c->username.n + c->password.n) + 16);
    buf_printf(&plain, STR_FMT ":" STR_FMT, STR_ARG(c->username), STR_ARG(c->password));
    buf_addz(&coded, "Basic ");
    base64_write(&coded, buf_str(&plain));
    struct str made = buf_copy(&coded, a);
    buf_wipe(&plain);
    buf_wipe(&coded);
    return made;
}

static void set_headers(struct snapshot *s, const struct kubeconfig *c, struct str token)
{
    struct arena *a = s->arena;
    VEC(struct http_header) headers = {0};
    if (token.n > 0)
        s->authorization = arena_printf(a, "Bearer " STR_FMT, STR_ARG(token));
    else if (c->username.n > 0)
        s->authorization = basic(a, c);
    if (s->authorization.n > 0)
        *VEC_PUSH(a, &headers) = (struct http_header){STR("Authorization"), s->authorization};
    if (c->as.user.n > 0)
        *VEC_PUSH(a, &headers) = (struct http_header){STR("Impersonate-User"), c->as.user};
    if (c->as.uid.n > 0)
        *VEC_PUSH(a, &headers) = (struct http_header){STR("Impersonate-Uid"), c->as.uid};
    for (size_t i = 0; i < c->as.n_groups; i++)
        *VEC_PUSH(a, &headers) = (struct http_header){STR("Impersonate-Group"), c->as.groups[i]};
    for (size_t i = 0; i < c->as.n_extra; i++)
        *VEC_PUSH(a, &headers) = (struct http_header){
            arena_printf(a, "Impersonate-Extra-" STR_FMT, STR_ARG(kube_encode(a, c->as.extra[i].name))), c->as.extra[i].value};
    s->identity.headers = headers.v;
    s->identity.n_headers = headers.n;
}

static struct snapshot *make_snapshot(const struct kubeconfig *c, const struct material *m)
{
    struct arena *a = arena_new(NULL, 0);
    struct snapshot *s = arena_make(a, struct snapshot);
    *s = (struct snapshot){.arena = a, .users = 1, .expires = m->expires};
    s->key = arena_str(a, m->key);
    s->identity.tls = (struct http_tls){
        .ca = arena_str(a, m->ca),
        .certificate = arena_str(a, m->certificate),
        .key = s->key,
        .server_name = c->tls_server_name,
        .insecure = c->insecure,
    };
    set_headers(s, c, m->token);
    return s;
}

/* Renewing */

static bool read_one(struct arena *a, const struct kube_text *from, struct diags *diags, struct str *ret)
{
    *ret = from->inline_text;
    return !from->file || file_read(a, from->file, KUBE_AUTH_MAX_FILE, diags, ret);
}

/* The file wins over the inline token, unless it cannot be read. */
static bool read_token(struct arena *a, const struct kube_text *from, struct diags *diags, struct str *ret)
{
    struct diags unread;
    diags_init(&unread, a);
    if (read_one(a, from, &unread, ret))
        return true;
    if (from->inline_text.n == 0)
        diags_append(diags, &unread);
    *ret = from->inline_text;
    return ret->n > 0;
}

/* `from`: NULL when the exec plugin gave it. */
static bool fail_pem(const struct kubeconfig *c, const struct kube_text *from, const char *member, const char *wrong,
                     struct diags *diags)
{
    const char *where = !from ? " (of the exec plugin)" : "";
    if (from && from->file)
        return diags_fail(diags, "Invalid certificate", "The %s of " STR_FMT ", %s, %s.", member, STR_ARG(c->title), from->file,
                          wrong);
    return diags_fail(diags, "Invalid certificate", "The %s%s of " STR_FMT " %s.", member, where, STR_ARG(c->title), wrong);
}

/* The PEM of a member of the kubeconfig; a file that cannot be read is reported with that member. */
static bool read_pem(struct arena *a, const struct kubeconfig *c, const struct kube_text *from, const char *member,
                     struct diags *diags, struct str *ret)
{
    struct diags said;
    diags_init(&said, a);
    if (read_one(a, from, &said, ret))
        return true;
    return diags_fail(diags, said.v[0].summary.p, STR_FMT " It is the %s of " STR_FMT ".", STR_ARG(said.v[0].detail), member,
                      STR_ARG(c->title));
}

static bool gather(struct kube_auth *auth, struct arena *a, struct cancel *cancel, struct diags *diags, struct material *ret)
{
    const struct kubeconfig *c = auth->o.config;
    struct material m = {0};
    bool by_plugin = false;
    if (!read_pem(a, c, &c->ca, "certificate-authority", diags, &m.ca) ||
        !read_pem(a, c, &c->certificate, "client-certificate", diags, &m.certificate) ||
        !read_pem(a, c, &c->key, "client-key", diags, &m.key) || !read_token(a, &c->token, diags, &m.token))
        return false;
    m.token = str_trim(m.token);
    if (c->exec && m.token.n == 0) {
        struct kube_exec_answer answer;
        struct kube_exec_options options = {.loop = auth->o.loop, .env = auth->o.env, .config = c, .ca = m.ca, .cancel = cancel};
        if (!kube_exec_run(a, &options, diags, &answer))
            return false;
        m.token = answer.token;
        m.expires = answer.expires;
        if (answer.certificate.n > 0) {
            m.certificate = answer.certificate;
            m.key = answer.key;
            by_plugin = true;
        }
    }
    if (c->token.file && m.token.n == 0)
        return diags_fail(diags, "Invalid token", "%s is empty.", c->token.file);
    const char *wrong = m.ca.n > 0 ? kube_pem_authority(m.ca) : NULL;
    if (wrong)
        return fail_pem(c, &c->ca, "certificate-authority", wrong, diags);
    wrong = m.certificate.n > 0 ? kube_pem_pair(m.certificate, m.key) : NULL;
    if (wrong)
        return fail_pem(c, by_plugin ? NULL : &c->certificate, "client-certificate", wrong, diags);
    *ret = m;
    return true;
}

static bool same(const struct snapshot *s, const struct snapshot *other)
{
    const struct http_tls *x = &s->identity.tls, *y = &other->identity.tls;
    return str_eq(x->ca, y->ca) && str_eq(x->certificate, y->certificate) && str_eq(x->key, y->key) &&
           str_eq(s->authorization, other->authorization) && s->expires == other->expires;
}

/* Keeps the current snapshot when nothing has changed, so that its connection can be reused. */
static void install(struct kube_auth *auth, struct snapshot *made)
{
    mutex_lock(&auth->lock);
    struct snapshot *old = auth->newest;
    bool keep = old && same(old, made);
    if (!keep)
        auth->newest = made;
    mutex_unlock(&auth->lock);
    if (keep)
        drop(auth, made);
    else if (old)
        drop(auth, old);
}

static bool has_files(const struct kubeconfig *c)
{
    return c->ca.file || c->certificate.file || c->key.file || c->token.file;
}

static bool is_due(struct kube_auth *auth, const struct kube_identity *refused)
{
    const struct kubeconfig *c = auth->o.config;
    struct snapshot *s = auth->newest; /* written only under `renewing` */
    if (!s)
        return true;
    if (refused == &s->identity)
        return c->exec || has_files(c);
    if (c->exec)
        return s->expires != 0 && http_wall(auth->o.time) >= s->expires;
    return has_files(c) && clock_now(auth->o.time->clock) >= auth->checked + KUBE_AUTH_REREAD_S * NS_PER_S;
}

static bool renew(struct kube_auth *auth, struct cancel *cancel, struct diags *diags)
{
    struct arena *a = arena_new(NULL, 0);
    struct diags found;
    struct material m = {0};
    diags_init(&found, a);
    bool ok = gather(auth, a, cancel, &found, &m);
    auth->checked = clock_now(auth->o.time->clock);
    if (ok) {
        install(auth, make_snapshot(auth->o.config, &m));
        str_wipe(m.token.p == auth->o.config->token.inline_text.p ? STR_EMPTY : m.token);
        str_wipe(m.key.p == auth->o.config->key.inline_text.p ? STR_EMPTY : m.key);
    } else if (!auth->newest || auth->o.config->exec) {
        diags_append(diags, &found);
    } else {
        ok = true; /* the files may be in the middle of a replacement: the credentials read before may still be good */
    }
    arena_free(a);
    return ok;
}

const struct kube_identity *kube_auth_get(struct kube_auth *auth, const struct kube_identity *refused, struct cancel *cancel,
                                          struct diags *diags)
{
    MUTEX_GUARD(&auth->renewing);
    if (is_due(auth, refused) && !renew(auth, cancel, diags))
        return NULL;
    mutex_lock(&auth->lock);
    struct snapshot *s = auth->newest;
    s->users++;
    mutex_unlock(&auth->lock);
    return &s->identity;
}

void kube_auth_release(struct kube_auth *auth, const struct kube_identity *identity)
{
    drop(auth, (struct snapshot *)(uintptr_t)identity);
}

struct kube_auth *kube_auth_new(const struct kube_auth_options *options)
{
    struct kube_auth *auth = must(calloc(1, sizeof *auth));
    auth->o = *options;
    mutex_init(&auth->renewing);
    mutex_init(&auth->lock);
    return auth;
}

void kube_auth_free(struct kube_auth *auth)
{
    if (!auth)
        return;
    if (auth->newest)
        drop(auth, auth->newest);
    mutex_destroy(&auth->lock);
    mutex_destroy(&auth->renewing);
    free(auth);
}
