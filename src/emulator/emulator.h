/*
 * The emulator: the Cloud Control API for every type of a pack, driven only by the schemas, for trying things out and for tests.
 * It reproduces the observed behaviour of the real service: messages, tokens, progress, which requests are refused at once and
 * which fail later. Where the schema says nothing (the format of an ARN, what a handler rejects), it invents something that the
 * schema allows.
 *
 * It exposes mistakes of clients: it shuffles unordered arrays, never returns write-only properties, and verifies signatures.
 *
 * Two layers: answering requests, without network (thread-safe, one call at a time), and HTTP around that.
 */
#pragma once

#include "aws/sigv4.h"
#include "base/clock.h"
#include "cfn/pack.h"
#include "emulator/fault.h"

enum {
    EMULATOR_MAX_BODY = 1 << 20,
    EMULATOR_MAX_PAGE = 100,
    EMULATOR_PAGE = 20, /* page size of a list without MaxResults */
};

struct emulator_options {
    const struct cfn_pack *pack;
    const char *data; /* database file; NULL: in memory */
    struct str account, region;
    struct str access_key, secret_key;  /* the accepted keys; empty: signatures are not checked */
    uint64_t throttle;                  /* one in this many calls is throttled; 0: none */
    int64_t latency_ns;                 /* duration of an operation */
    const struct emulator_fault *fails; /* which operations fail */
    size_t n_fails;
    const struct emulator_fault *hooks; /* hooks that run before operations */
    size_t n_hooks;
    bool keep_order; /* do not shuffle arrays */
    const struct clock *clock;
};

struct emulator;
/* Strings and the pack must outlive the emulator. NULL and a diagnostic on failure. */
struct emulator *emulator_new(const struct emulator_options *options, struct diags *diags);
void emulator_free(struct emulator *e); /* accepts NULL */

struct emulator_request {
    struct str method, path, query, body;
    const struct http_header *headers;
    size_t n_headers;
};

struct emulator_answer {
    long status;
    const char *content_type;
    const char *error; /* name of the exception; NULL: none */
    struct str request_id;
    struct str body;
};

/* Answers any request, even an invalid one; allocates in `a`. */
void emulator_answer(struct emulator *e, struct arena *a, const struct emulator_request *request, struct emulator_answer *ret);

/* --- HTTP --- */

struct emulator_server;
/* `address`: for example 127.0.0.1:0; port 0 means any. NULL and a diagnostic on failure. */
struct emulator_server *emulator_listen(struct emulator *e, const char *address, struct diags *diags);
unsigned emulator_port(const struct emulator_server *s);
/* Answers calls in progress first. */
void emulator_close(struct emulator_server *s);
