/* Where things are on an API server: paths, made and taken apart. */
#pragma once

#include "base/buf.h"

/* A kind as it is served. */
struct kube_resource {
    struct str group; /* empty: the core's */
    struct str version, kind;
    struct str plural; /* its name in paths: "buckets" */
    bool namespaced;
};

/* Where one object is, or all: without a name. A namespace of a kind that has none is left out. */
struct kube_place {
    const struct kube_resource *resource;
    struct str namespace, name;
    const char *subresource; /* "status"; NULL: the object itself */
};

/* "/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME/SUBRESOURCE", each part encoded. */
struct str kube_path(struct arena *a, const struct kube_place *place);
/* Percent-encoded: all but letters, digits and "-_.~". */
struct str kube_encode(struct arena *a, struct str text);
/* Appends "?NAME=VALUE" or "&NAME=VALUE", encoded. */
void kube_query(struct buf *url, const char *name, struct str value);

/* A request as the server's authorizer sees it: what a right must be given for. */
struct kube_right {
    const char *verb; /* "get", "list", "watch", "create", ... */
    struct str group, resource, subresource, namespace, name;
    struct str path; /* of what is not a resource, as /version; the rest is empty then */
};
struct kube_right kube_right(const char *method, struct str target);
/* "list buckets.s3.aws.upbound.io in namespace \"x\"" */
struct str kube_right_text(struct arena *a, const struct kube_right *right);
