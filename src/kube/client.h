/*
 * A client of a Kubernetes API server: requests with their identity, their repetitions and their errors. One connection (HTTP/2)
 * for all threads. What is asked for stands in objects.h, list.h, watch.h and so on.
 */
#pragma once

#include "base/log.h"
#include "kube/auth.h"
#include "kube/status.h"

enum {
    KUBE_MAX_ANSWER = 16 << 20, /* bytes; of a page of a list too */
    KUBE_MAX_OBJECT = 3 << 19,  /* bytes that are sent; etcd takes no more */
    KUBE_TIMEOUT_S = 60,        /* of one try */
};

struct kube;

struct kube_options {
    struct loop *loop;
    const struct kubeconfig *config; /* must outlive the client */
    const char *const *env;          /* for exec plugins and proxies; must outlive the client */
    struct str user_agent;           /* "terrane/0.1.0" */
    const struct http_time *time;    /* NULL: the machine's */
    struct log *log;                 /* may be NULL */
};

/* NULL and a diagnostic: libcurl is not installed. Nothing is sent yet. */
struct kube *kube_new(const struct kube_options *options, struct diags *diags);
/* No request and no watch may be under way. NULL is accepted. */
void kube_free(struct kube *k);

/* The same client, connection and identity, with other limits; freed like any, and before the one that it was made of. */
struct kube_limits {
    struct cancel *cancel; /* of all its requests that have none of their own */
    int tries;             /* 0: KUBE_MAX_TRIES of retry.h */
    int64_t timeout_ns;    /* of one try; 0: KUBE_TIMEOUT_S */
};
struct kube *kube_limited(const struct kube *k, const struct kube_limits *limits);

struct kube_request {
    const char *method;
    struct str target; /* path and query */
    struct str body;
    const char *content_type; /* of the body; NULL: JSON */
    const char *accept;       /* NULL: JSON */
    bool once;                /* must not be sent again when it may have been acted upon: POST */
    size_t max_answer;        /* 0: KUBE_MAX_ANSWER */
    struct cancel *cancel;
    const struct json **refusal; /* NULL, or gets the Status with which the server itself refuses; NULL: it said none */
};

/*
 * Sends it, again where that is right (retry.h). `*ret` (may be NULL) is the answer as JSON, in `a`. Whatever is not KUBE_OK
 * comes with a diagnostic. Not from the loop's thread.
 */
enum kube_result kube_do(struct kube *k, struct arena *a, const struct kube_request *request, struct diags *diags,
                         const struct json **ret);
