/* For the tests of this folder: a server with scripted answers, and a client of it whose pauses take no time. */
#pragma once

#include "base/lock.h"
#include "base/testing.h"
#include "http/testing_server.h"
#include "http/testing_time.h"
#include "kube/client.h"

#include <stdio.h>
#include <unistd.h>

enum { TESTING_CLUSTER_MAX = 64 };

struct testing_cluster {
    struct arena *arena; /* of the test's thread */
    struct diags diags;
    struct loop *loop;
    struct testing_server *server;
    struct testing_time time;
    struct kubeconfig config;
    struct kube *kube;
    char token_file[64]; /* empty: the token is "first" */
    /* The answers, in order; the last one is repeated. */
    struct testing_answer script[TESTING_CLUSTER_MAX];
    size_t n_script;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    bool woken;
    size_t n_requests;
    char *requests[TESTING_CLUSTER_MAX]; /* "METHOD TARGET AUTHORIZATION" */
};

static inline void testing_cluster_answer(void *ctx, const struct testing_request *request, struct testing_answer *answer)
{
    struct testing_cluster *w = ctx;
    mutex_lock(&w->lock);
    size_t at = w->n_requests < w->n_script ? w->n_requests : w->n_script - 1;
    struct str token = testing_header(request, "authorization");
    if (w->n_requests < TESTING_CLUSTER_MAX)
        assert_true(asprintf(&w->requests[w->n_requests], STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(request->method),
                             STR_ARG(request->target), STR_ARG(token)) > 0);
    w->n_requests++;
    struct arena *arena = answer->arena;
    *answer = w->script[at];
    answer->arena = arena;
    if (answer->status == 0)
        answer->status = 200;
    mutex_unlock(&w->lock);
}

static inline void testing_cluster_wake(void *ctx)
{
    struct testing_cluster *w = ctx;
    mutex_lock(&w->lock);
    w->woken = true;
    cond_broadcast(&w->changed);
    mutex_unlock(&w->lock);
}

/* Add the answers with testing_cluster_says() before. */
static inline void testing_cluster_start(struct testing_cluster *w, enum testing_tls tls)
{
    mutex_init(&w->lock);
    cond_init(&w->changed);
    w->loop = loop_new();
    w->server = testing_server_start(testing_cluster_answer, w, tls);
    testing_time_init(&w->time, INT64_C(1700000000) * NS_PER_S);
    struct str text = arena_printf(w->arena,
                                   "current-context: x\n"
                                   "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                   "clusters: [{name: c, cluster: {server: '%s'%s%s}}]\n"
                                   "users: [{name: u, user: {%s: '%s'}}]\n",
                                   testing_server_url(w->server), tls ? ", certificate-authority: " : "",
                                   tls ? testing_server_ca(w->server) : "", w->token_file[0] ? "tokenFile" : "token",
                                   w->token_file[0] ? w->token_file : "first");
    assert_true(kubeconfig_parse(w->arena, text, "test", NULL, &w->diags, &w->config));
    struct kube_options options = {.loop = w->loop, .config = &w->config, .user_agent = STR("test"), .time = &w->time.time};
    w->kube = kube_new(&options, &w->diags);
    assert_non_null(w->kube);
}

static inline void testing_cluster_init(struct testing_cluster *w)
{
    *w = (struct testing_cluster){.arena = arena_new(NULL, 0)};
    diags_init(&w->diags, w->arena);
}

static inline void testing_cluster_says(struct testing_cluster *w, struct testing_answer answer)
{
    w->script[w->n_script++] = answer;
}

static inline void testing_cluster_status(struct testing_cluster *w, int status, const char *headers, const char *body)
{
    testing_cluster_says(w, (struct testing_answer){
                                .status = status, .headers = headers, .content_type = "application/json", .body = str_of(body)});
}

static inline void testing_cluster_end(struct testing_cluster *w)
{
    kube_free(w->kube);
    testing_server_stop(w->server);
    loop_free(w->loop);
    for (size_t i = 0; i < TESTING_CLUSTER_MAX; i++)
        free(w->requests[i]);
    if (w->token_file[0])
        (void)unlink(w->token_file);
    cond_destroy(&w->changed);
    mutex_destroy(&w->lock);
    arena_free(w->arena);
}

/* Checks that the request with this number contains `part`. */
static inline void testing_cluster_asked(struct testing_cluster *w, size_t at, const char *part)
{
    mutex_lock(&w->lock);
    const char *request = at < TESTING_CLUSTER_MAX ? w->requests[at] : NULL;
    mutex_unlock(&w->lock);
    if (!request || !strstr(request, part))
        fail_msg("request %zu: expected \"%s\" in \"%s\"", at, part, request ? request : "(none)");
}

static inline size_t testing_cluster_n_requests(struct testing_cluster *w)
{
    MUTEX_GUARD(&w->lock);
    return w->n_requests;
}
