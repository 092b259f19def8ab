/* Paths of an API server: built and parsed. */
#pragma once

#include "base/buf.h"

/* A kind as the server serves it. */
struct kube_resource {
    struct str group; /* empty: the core group */
    struct str version, kind;
    struct str plural; /* its name in paths: "buckets" */
    bool namespaced;
};

/* The location of one object, or of all objects if the name is empty. A namespace is ignored for cluster-scoped kinds. */
struct kube_place {
    const struct kube_resource *resource;
    struct str namespace, name;
    const char *subresource; /* "status"; NULL: the object itself */
};

/* "/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME/SUBRESOURCE", each part encoded. */
struct str kube_path(struct arena *a, const struct kube_place *place);
/* Percent-encodes all characters except letters, digits and "-_.~". */
struct str kube_encode(struct arena *a, struct str text);
/* Appends "?NAME=VALUE" or "&NAME=VALUE", encoded. */
void kube_query(struct buf *url, const char *name, struct str value);

/* A request as the server's authorizer sees it: the right that it needs. */
struct kube_right {
    const char *verb; /* "get", "list", "watch", "create", ... */
    struct str group, resource, subresource, namespace, name;
    struct str path; /* of a non-resource URL such as /version; the other fields are empty then */
};
struct kube_right kube_right(const char *method, struct str target);
/* "list buckets.s3.aws.upbound.io in namespace \"x\"" */
struct str kube_right_text(struct arena *a, const struct kube_right *right);
