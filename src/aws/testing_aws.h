/*
 * Fixture for tests of the client: a server that acts as AWS, a client with a fake clock, and matching keys.
 *
 * The server verifies every signature (with sigv4_verify() and the test's clock) before the test's handler answers; unsigned
 * requests reach the handler only if `unsigned_too` is set.
 */
#pragma once

#include "aws/credentials.h"
#include "aws/sigv4.h"
#include "http/testing_server.h"
#include "http/testing_time.h"

#define TESTING_WALL (INT64_C(1440938160) * NS_PER_S) /* 2015-08-30T12:36:00Z */
#define TESTING_KEY "AKIDEXAMPLE"
#define TESTING_SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

struct testing_aws {
    struct arena *a;
    struct diags diags;
    struct loop *loop;
    struct testing_server *server;
    struct testing_time time;
    struct http *http;
    struct aws_caller *caller;
    struct aws_credentials *credentials; /* TESTING_KEY */
    struct aws_endpoint endpoint;        /* of Cloud Control, at the server */
    /* Set by the test: */
    testing_handler *handler;
    void *ctx;
    const char *service; /* the service in signatures; "any": Cloud Control or STS */
    bool unsigned_too;
    /* Of the server: */
    int64_t server_wall;  /* 0: the test's clock */
    atomic_int n_refused; /* wrong signatures */
};

/* Keeps the fields of `aws` that are already set. */
void testing_aws_start(struct testing_aws *aws);
void testing_aws_stop(struct testing_aws *aws);
