/*
 * A world for tests of the client: a server that plays AWS, a client with a clock of its own, keys that fit.
 *
 * The server checks every signature (with sigv4_verify, by the test's clock) before the test's own function answers; a request
 * that is not signed reaches that function only if `unsigned_too` is set.
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
    /* The test's: */
    testing_handler *handler;
    void *ctx;
    const char *service; /* that requests are signed for; "any": Cloud Control or STS */
    bool unsigned_too;
    /* The server's view: */
    int64_t server_wall;  /* 0: the test's clock */
    atomic_int n_refused; /* signatures that were wrong */
};

/* Fields that are set in `aws` before are kept. */
void testing_aws_start(struct testing_aws *aws);
void testing_aws_stop(struct testing_aws *aws);
