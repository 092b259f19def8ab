/*
 * The chain, and the cache around it.
 *
 * Invariants: the lock guards `keys`, `fetching`, `generation` and `failure`, and no thread holds it while it waits for a source.
 * One thread fetches. The others use the current keys while they are valid, else wait for that fetch to end and share its
 * failure.
 */
#include "aws/credentials_private.h"
#include "base/env.h"
#include "base/lock.h"

#include <openssl/crypto.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    STILL_VALID_S = 10, /* keys with less time left count as expired */
    RETRY_REFRESH_S = 60,
    MAX_FAILURE_TEXT = 16 << 10,
    MAX_USER_RECORD = 16 << 10,
};

/* Keys */

struct shared_keys {
    struct aws_keys keys; /* the strings follow the struct in memory */
    atomic_size_t n_references;
    size_t size;
    char texts[];
};

/* A copy, with one reference. */
static const struct aws_keys *keys_new(const struct aws_keys *keys)
{
    const struct str *from[] = {&keys->access_key, &keys->secret_key, &keys->token, &keys->source, &keys->account};
    size_t size = 0;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        size += from[i]->n + 1;
    struct shared_keys *s = calloc(1, sizeof *s + size);
    if (!s)
        abort();
    s->keys.expires = keys->expires;
    s->size = size;
    atomic_init(&s->n_references, 1);
    struct str *to[] = {&s->keys.access_key, &s->keys.secret_key, &s->keys.token, &s->keys.source, &s->keys.account};
    char *at = s->texts;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        if (from[i]->n > 0)
            memcpy(at, from[i]->p, from[i]->n);
        *to[i] = (struct str){at, from[i]->n};
        at += from[i]->n + 1;
    }
    return &s->keys;
}

static const struct aws_keys *keys_ref(const struct aws_keys *keys)
{
    struct shared_keys *s = (struct shared_keys *)keys;
    (void)atomic_fetch_add(&s->n_references, 1);
    return keys;
}

void aws_keys_unref(const struct aws_keys *keys)
{
    struct shared_keys *s = (struct shared_keys *)keys;
    if (!s || atomic_fetch_sub(&s->n_references, 1) > 1)
        return;
    OPENSSL_cleanse(s->texts, s->size);
    free(s);
}

/* For the sources */

enum aws_source aws_absent(struct aws_fetch *f, const char *source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str why = arena_vprintf(f->a, format, args);
    va_end(args);
    buf_printf(f->tried, "\n  - %s: " STR_FMT, source, STR_ARG(why));
    return AWS_SOURCE_ABSENT;
}

enum aws_source aws_failed(struct aws_fetch *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str why = arena_vprintf(f->a, format, args);
    va_end(args);
    (void)diags_fail(f->diags, "No valid credentials", STR_FMT, STR_ARG(why));
    return AWS_SOURCE_FAILED;
}

enum aws_source aws_call_failed(struct aws_fetch *f, const char *what, const struct aws_failure *failure)
{
    (void)aws_failure_report(failure, what, "No valid credentials", f->diags);
    return AWS_SOURCE_FAILED;
}

enum aws_source aws_found(struct aws_fetch *f, const struct aws_keys *keys, const struct aws_keys **ret)
{
    bool complete = keys->access_key.n > 0 && keys->secret_key.n > 0;
    if (complete)
        *ret = keys_new(keys);
    else
        (void)aws_failed(f, STR_FMT ": the %s is missing.", STR_ARG(keys->source),
                         keys->access_key.n > 0 ? "secret access key" : "access key id");
    return complete ? AWS_SOURCE_FOUND : AWS_SOURCE_FAILED;
}

enum aws_source aws_found_json(struct aws_fetch *f, struct str source, const struct json *j, const char *token,
                               const struct aws_keys **ret)
{
    struct aws_keys keys = {
        .access_key = json_text(json_get(j, "AccessKeyId"), STR_EMPTY),
        .secret_key = json_text(json_get(j, "SecretAccessKey"), STR_EMPTY),
        .token = json_text(json_get(j, token), STR_EMPTY),
        .account = json_text(json_get(j, "AccountId"), STR_EMPTY),
        .source = source,
    };
    struct str expiry = json_text(json_get(j, "Expiration"), STR_EMPTY);
    enum aws_source result;
    if (expiry.n > 0 && !timestamp_parse(expiry, &keys.expires))
        result = aws_failed(f,
                            STR_FMT ": Expiration is \"" STR_FMT
                                    "\", which is not a valid time; expected a time such as 2006-01-02T15:04:05Z.",
                            STR_ARG(source), STR_ARG(str_slice(expiry, 0, 100)));
    else
        result = aws_found(f, &keys, ret);
    str_wipe(keys.secret_key);
    str_wipe(keys.token);
    return result;
}

const char *aws_setting_env(const struct aws_settings *settings, const char *name)
{
    const char *value = env_get(settings->env, name);
    return value && value[0] != '\0' ? value : NULL;
}

static const char *home_folder(struct arena *a, const struct aws_settings *settings)
{
    if (settings->home)
        return settings->home;
    const char *home = aws_setting_env(settings, "HOME");
    if (home)
        return home;
    char *record = arena_alloc(a, MAX_USER_RECORD, 1);
    struct passwd entry, *found = NULL;
    (void)getpwuid_r(getuid(), &entry, record, MAX_USER_RECORD, &found);
    return found ? found->pw_dir : "/";
}

const char *aws_path(struct arena *a, const struct aws_settings *settings, struct str path)
{
    if (str_eqz(path, "~") || str_starts(path, STR("~/")))
        return arena_printf(a, "%s" STR_FMT, home_folder(a, settings), STR_ARG(str_slice(path, 1, path.n))).p;
    return arena_str(a, path).p;
}

/* The chain */

static enum aws_source from_stated_keys(struct aws_fetch *f, const struct aws_keys **ret)
{
    const struct aws_settings *s = f->settings;
    if (s->access_key.n == 0 && s->secret_key.n == 0 && s->token.n == 0)
        return aws_absent(f, "keys in the provider block", "access_key and secret_key are not set");
    struct aws_keys keys = {
        .access_key = s->access_key, .secret_key = s->secret_key, .token = s->token, .source = STR("keys in the provider block")};
    return aws_found(f, &keys, ret);
}

static enum aws_source from_chain(struct aws_fetch *f, const struct aws_keys **ret)
{
    typedef enum aws_source source_fn(struct aws_fetch * f, const struct aws_keys **ret);
    static source_fn *const with_profile[] = {from_stated_keys, aws_source_profile, aws_source_container, aws_source_metadata,
                                              NULL};
    static source_fn *const without_profile[] = {from_stated_keys,
                                                 aws_source_environment,
                                                 aws_source_web_identity,
                                                 aws_source_profile,
                                                 aws_source_container,
                                                 aws_source_metadata,
                                                 NULL};
    enum aws_source result = AWS_SOURCE_ABSENT;
    for (source_fn *const *source = f->settings->profile.n > 0 ? with_profile : without_profile;
         *source && result == AWS_SOURCE_ABSENT; source++)
        result = (*source)(f, ret);
    if (result == AWS_SOURCE_ABSENT)
        return aws_failed(
            f,
            "No AWS credentials were found. Tried:" STR_FMT
            "\n\nSet AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, choose a profile (`profile`, AWS_PROFILE), or log in "
            "with the tool that keeps your credentials.",
            STR_ARG(buf_str(f->tried)));
    return result;
}

static enum aws_source fetch_keys(struct aws_fetch *f, const struct aws_keys **ret)
{
    const struct aws_settings *s = f->settings;
    const struct aws_keys *base = NULL;
    enum aws_source result = s->assume_web_role ? aws_source_role(f, s->assume_web_role, NULL, &base) : from_chain(f, &base);
    if (result != AWS_SOURCE_FOUND || !s->assume_role) {
        *ret = base;
        return result;
    }
    result = aws_source_role(f, s->assume_role, base, ret);
    aws_keys_unref(base);
    return result;
}

/* The cache */

struct aws_credentials {
    struct aws_settings settings;
    struct aws_config config; /* texts in `arena` */
    struct arena *arena;
    struct aws_caller *caller;
    struct loop *loop;
    struct log *log;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const struct aws_keys *keys; /* NULL: none yet */
    bool fixed, fetching, from_metadata;
    int64_t not_before;  /* monotonic: no new refresh before this time, after one failed */
    uint64_t generation; /* number of finished fetches */
    struct str failure;  /* of the last fetch; empty if it succeeded. Separately allocated */
};

static struct aws_credentials *make(void)
{
    struct aws_credentials *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    mutex_init(&c->lock);
    cond_init(&c->changed);
    c->arena = arena_new(NULL, 0);
    return c;
}

bool aws_credentials_new(const struct aws_credentials_options *options, struct diags *diags, struct aws_credentials **ret)
{
    struct aws_credentials *c = make();
    c->settings = *options->settings;
    c->caller = options->caller;
    c->loop = options->loop;
    c->log = options->log;
    if (!aws_config_read(c->arena, &c->settings, diags, &c->config)) {
        aws_credentials_free(c);
        return false;
    }
    *ret = c;
    return true;
}

struct aws_credentials *aws_credentials_fixed(const struct aws_keys *keys)
{
    struct aws_credentials *c = make();
    c->keys = keys_new(keys);
    c->fixed = true;
    return c;
}

void aws_credentials_free(struct aws_credentials *c)
{
    if (!c)
        return;
    aws_keys_unref(c->keys);
    free((void *)c->failure.p);
    cond_destroy(&c->changed);
    mutex_destroy(&c->lock);
    arena_free(c->arena);
    free(c);
}

static void wake_all(void *arg)
{
    struct aws_credentials *c = arg;
    mutex_lock(&c->lock);
    cond_broadcast(&c->changed);
    mutex_unlock(&c->lock);
}

static bool live_for(const struct aws_credentials *c, int64_t seconds)
{
    if (!c->keys)
        return false;
    return c->fixed || c->keys->expires == 0 || c->keys->expires > aws_caller_now(c->caller) + seconds * NS_PER_S;
}

static int64_t monotonic_now(const struct aws_credentials *c)
{
    return clock_now(aws_caller_time(c->caller)->clock);
}

static bool may_be_used(const struct aws_credentials *c)
{
    if (live_for(c, AWS_REFRESH_S))
        return true;
    bool others_care = c->fetching || monotonic_now(c) < c->not_before;
    return live_for(c, STILL_VALID_S) && others_care;
}

static enum aws_source run_fetch(struct aws_credentials *c, struct aws_fetch *f, const struct aws_keys **ret)
{
    struct aws_shared shared = {.arena = f->a};
    f->shared = &shared;
    enum aws_source result = AWS_SOURCE_FAILED;
    if (aws_shared_load(&shared, &c->settings, f->diags))
        result = fetch_keys(f, ret);
    aws_shared_wipe(&shared);
    f->shared = NULL;
    return result;
}

/* Call without the lock. NULL and diagnostics if no keys were found. */
static const struct aws_keys *fetch(struct aws_credentials *c, struct cancel *cancel, int64_t deadline, struct diags *diags,
                                    bool *ret_from_metadata)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf tried BUF_AUTO = BUF_INIT(MAX_FAILURE_TEXT);
    struct aws_fetch f = {
        .a = a,
        .settings = &c->settings,
        .config = &c->config,
        .caller = c->caller,
        .loop = c->loop,
        .log = c->log,
        .cancel = cancel,
        .deadline = deadline,
        .diags = diags,
        .tried = &tried,
    };
    const struct aws_keys *keys = NULL;
    if (run_fetch(c, &f, &keys) != AWS_SOURCE_FOUND)
        return NULL;
    if (keys->expires != 0 && keys->expires <= aws_caller_now(c->caller) + STILL_VALID_S * NS_PER_S) {
        char when[DATE_TEXT];
        timestamp_format(keys->expires, when);
        (void)aws_failed(&f, STR_FMT ": the credentials have expired (%s).", STR_ARG(keys->source), when);
        aws_keys_unref(keys);
        return NULL;
    }
    *ret_from_metadata = f.from_metadata;
    log_redact(c->log, keys->secret_key);
    log_redact(c->log, keys->token);
    log_debug(c->log, "credentials", LOG_STR("source", keys->source), LOG_SECRET("secret"),
              LOG_INT("expires", keys->expires / NS_PER_S));
    return keys;
}

static void remember_failure(struct aws_credentials *c, const struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_FAILURE_TEXT);
    for (size_t i = 0; i < diags->n; i++)
        if (diags->v[i].severity == DIAG_ERROR)
            buf_printf(&out, "%s" STR_FMT, out.n > 0 ? "\n" : "", STR_ARG(diags->v[i].detail));
    free((void *)c->failure.p);
    c->failure = (struct str){strndup(buf_str(&out).p, out.n), out.n};
    if (!c->failure.p)
        abort();
}

static void forget_failure(struct aws_credentials *c)
{
    free((void *)c->failure.p);
    c->failure = (struct str){0};
}

/* Call with the lock, which is released during the fetch. */
static bool renew(struct aws_credentials *c, struct cancel *cancel, int64_t deadline, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags found;
    diags_init(&found, a);
    c->fetching = true;
    mutex_unlock(&c->lock);
    bool from_metadata = false;
    const struct aws_keys *keys = fetch(c, cancel, deadline, &found, &from_metadata);
    mutex_lock(&c->lock);
    c->fetching = false;
    c->generation++;
    cond_broadcast(&c->changed);
    if (keys) {
        aws_keys_unref(c->keys);
        c->keys = keys;
        c->from_metadata = from_metadata;
        c->not_before = monotonic_now(c) + RETRY_REFRESH_S * NS_PER_S; /* in case the new keys are short-lived */
        forget_failure(c);
        return true;
    }
    if (live_for(c, STILL_VALID_S)) {
        c->not_before = monotonic_now(c) + RETRY_REFRESH_S * NS_PER_S;
        log_warn(c->log, "credentials could not be renewed and are used as long as they are valid",
                 LOG_STR("reason", found.n > 0 ? found.v[0].detail : STR_EMPTY));
        return true;
    }
    remember_failure(c, &found);
    diags_append(diags, &found);
    return false;
}

/* Waits for the running fetch to end. False and a diagnostic if it failed or took too long. */
static bool wait_for_fetch(struct aws_credentials *c, struct cancel *cancel, int64_t deadline, struct diags *diags)
{
    uint64_t generation = c->generation;
    while (c->generation == generation) {
        if (cancel_fired(cancel))
            return diags_fail(diags, "No valid credentials", "Cancelled while credentials were fetched.");
        if (!cond_wait(&c->changed, &c->lock, deadline))
            return diags_fail(diags, "No valid credentials", "Timed out while credentials were being fetched.");
    }
    if (c->failure.n > 0)
        return diags_fail(diags, "No valid credentials", STR_FMT, STR_ARG(c->failure));
    return true;
}

const struct aws_keys *aws_credentials_get(struct aws_credentials *c, struct cancel *cancel, int64_t deadline,
                                           struct diags *diags)
{
    struct cancel_watch watch = {.fn = wake_all, .arg = c};
    cancel_watch(cancel, &watch);
    mutex_lock(&c->lock);
    bool ok = true;
    while (ok && !may_be_used(c))
        ok = c->fetching ? wait_for_fetch(c, cancel, deadline, diags) : renew(c, cancel, deadline, diags);
    const struct aws_keys *keys = ok ? keys_ref(c->keys) : NULL;
    mutex_unlock(&c->lock);
    cancel_unwatch(cancel, &watch);
    return keys;
}

void aws_credentials_drop(struct aws_credentials *c, const struct aws_keys *keys)
{
    mutex_lock(&c->lock);
    if (c->keys == keys && !c->fixed) {
        aws_keys_unref(c->keys);
        c->keys = NULL;
        c->not_before = 0;
    }
    mutex_unlock(&c->lock);
}

struct str aws_credentials_region(struct aws_credentials *c, struct arena *a, struct cancel *cancel, int64_t deadline)
{
    mutex_lock(&c->lock);
    bool from_metadata = c->from_metadata;
    mutex_unlock(&c->lock);
    struct buf tried BUF_AUTO = BUF_INIT(MAX_FAILURE_TEXT);
    struct diags ignored;
    diags_init(&ignored, a);
    struct aws_fetch f = {.a = a,
                          .settings = &c->settings,
                          .config = &c->config,
                          .caller = c->caller,
                          .log = c->log,
                          .cancel = cancel,
                          .deadline = deadline,
                          .diags = &ignored,
                          .tried = &tried};
    struct str region = STR_EMPTY;
    if (from_metadata)
        (void)aws_metadata_region(&f, &region);
    return region;
}
