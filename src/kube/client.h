/*
 * A client of a Kubernetes API server: sends requests with credentials, retries them and translates errors. All threads share one
 * connection (HTTP/2). The operations are in objects.h, list.h, watch.h and so on.
 */
#pragma once

#include "base/log.h"
#include "kube/auth.h"
#include "kube/status.h"

enum {
    KUBE_MAX_ANSWER = 16 << 20, /* bytes; also for a page of a list */
    KUBE_MAX_OBJECT = 3 << 19,  /* bytes of a request's body; etcd accepts no more */
    KUBE_TIMEOUT_S = 60,        /* of one attempt */
};

struct kube;

struct kube_options {
    struct loop *loop;
    const struct kubeconfig *config; /* must outlive the client */
    const char *const *env;          /* for exec plugins and proxies; must outlive the client */
    struct str user_agent;           /* "terrane/0.1.0" */
    const struct http_time *time;    /* NULL: the system clock */
    struct log *log;                 /* may be NULL */
};

/* Returns NULL and a diagnostic when libcurl is not installed. Sends nothing yet. */
struct kube *kube_new(const struct kube_options *options, struct diags *diags);
/* No request may be running and no watch may be open. Accepts NULL. */
void kube_free(struct kube *k);

/*
 * A client with the same connection and identity but other limits. Free it with kube_free(), before the client it was made from.
 */
struct kube_limits {
    struct cancel *cancel; /* for all requests without one of their own */
    int tries;             /* 0: KUBE_MAX_TRIES of retry.h */
    int64_t timeout_ns;    /* of one attempt; 0: KUBE_TIMEOUT_S */
};
struct kube *kube_limited(const struct kube *k, const struct kube_limits *limits);

struct kube_request {
    const char *method;
    struct str target; /* path and query */
    struct str body;
    const char *content_type; /* of the body; NULL: JSON */
    const char *accept;       /* NULL: JSON */
    bool once;                /* must not be retried when the server may have processed it: POST */
    size_t max_answer;        /* 0: KUBE_MAX_ANSWER */
    struct cancel *cancel;
    const struct json **refusal; /* if not NULL, receives the Status of a refusal by the server; NULL when the server sent none */
};

/*
 * Sends the request and retries it where that is safe (retry.h). `*ret` (may be NULL) receives the answer as JSON, in `a`. Every
 * result other than KUBE_OK comes with a diagnostic. Do not call this on the loop's thread.
 */
enum kube_result kube_do(struct kube *k, struct arena *a, const struct kube_request *request, struct diags *diags,
                         const struct json **ret);
