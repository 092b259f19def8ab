/*
 * For tests: a pool on the scripted fake provider, in a folder of its own; and borrowers on threads of their own. At the end
 * nothing may be left: no process, no zombie.
 */
#pragma once

#include "engine/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PATIENT (60 * NS_PER_S) /* for what must happen, also under a sanitizer */

struct stage {
    struct arena *arena;
    struct diags diags;
    struct loop *loop;
    struct pool *pool;
    const char *folder;
    const char *env[8]; /* of the provider */
    struct pool_source source;
};

/* `script` is the text of a script for the fake provider (NULL: well-behaved); of the options what is not the stage's business.
 */
void stage_begin(struct stage *s, const char *script, struct pool_options options);
void stage_end(struct stage *s);
/* Another pool in the place of the first one. */
void stage_renew(struct stage *s, struct pool_options options);

/* The provider as a file that can be changed: a small program that runs the fake with this schema. */
void stage_write_program(struct stage *s, const char *schema_file);
/* A file in the stage's folder. */
const char *stage_file(struct stage *s, const char *name, const char *text);

/* The schema that the stage serves: the provider needs a region and may have a token; a resource fake_thing. */
extern const char stage_schema[];
/* Another one: no region. */
extern const char stage_other_schema[];

struct str stage_text(struct stage *s); /* the diagnostics so far */
void must_say(struct stage *s, const char *what);
void must_be_silent(struct stage *s);
/* With the configuration as JSON; the other fails the test when it does not open. */
enum engine_status try_open(struct stage *s, const char *config, struct pool_provider **ret);
struct pool_provider *must_open(struct stage *s, const char *config);
struct lease must_borrow(struct stage *s, struct pool_provider *w);

/* Waits until the pool has so many processes, and no more under way. */
void await_processes(struct stage *s, size_t n);
void nap_ms(int64_t ms);

/* A ReadResource of fake_thing. */
enum provider_status read_thing(struct provider *p, const struct provider_schema *schema, const pool_wait *wait,
                                struct diags *diags);

/* One thread that opens or borrows, perhaps calls, and returns. Only the test's own thread asserts. */
struct user {
    struct stage *stage;
    const char *config;           /* opens with this, or */
    struct pool_provider *opened; /* borrows from this, */
    int n_reads;                  /* and reads so often, each time with a new lease; 0: only borrows */
    int64_t deadline;
    /* filled */
    struct cancel *cancel;
    pthread_t thread;
    struct arena *arena;
    struct diags diags;
    enum engine_status status;     /* of opening or borrowing */
    enum provider_status answered; /* of the last read */
};
void user_start(struct user *u);
void user_join(struct user *u);
/* Joins, and frees what it left. */
void user_end(struct user *u);
