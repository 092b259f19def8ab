/*
 * For tests: a pool on the scripted fake provider, in a folder of its own; and borrowers on their own threads. At the end no
 * process and no zombie may be left.
 */
#pragma once

#include "engine/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PATIENT (60 * NS_PER_S) /* for what must happen, even under a sanitizer */

struct stage {
    struct arena *arena;
    struct diags diags;
    struct loop *loop;
    struct pool *pool;
    const char *folder;
    const char *env[8]; /* of the provider */
    struct pool_source source;
};

/*
 * `script` is the text of a script for the fake provider (NULL: well-behaved); of the options only those that the stage does not
 * set itself.
 */
void stage_begin(struct stage *s, const char *script, struct pool_options options);
void stage_end(struct stage *s);
/* Replaces the pool by a new one. */
void stage_renew(struct stage *s, struct pool_options options);

/* Makes the provider a file that can be changed: a small program that runs the fake with this schema. */
void stage_write_program(struct stage *s, const char *schema_file);
/* A file in the stage's folder. */
const char *stage_file(struct stage *s, const char *name, const char *text);

/* The schema that the fake serves: the provider requires a region and accepts a token; a resource fake_thing. */
extern const char stage_schema[];
/* Another schema, without the region. */
extern const char stage_other_schema[];

struct str stage_text(struct stage *s); /* the diagnostics so far */
void must_say(struct stage *s, const char *what);
void must_be_silent(struct stage *s);
/* Opens with the configuration (JSON). must_open() fails the test if it cannot be opened. */
enum engine_status try_open(struct stage *s, const char *config, struct pool_provider **ret);
struct pool_provider *must_open(struct stage *s, const char *config);
struct lease must_borrow(struct stage *s, struct pool_provider *w);

/* Waits until the pool has `n` processes, and none is starting or ending. */
void await_processes(struct stage *s, size_t n);
void nap_ms(int64_t ms);

/* A ReadResource of fake_thing. */
enum provider_status read_thing(struct provider *p, const struct provider_schema *schema, const pool_wait *wait,
                                struct diags *diags);

/* A thread that opens or borrows, calls if asked to, and returns. Only the test's own thread asserts. */
struct user {
    struct stage *stage;
    const char *config;           /* opens with this, or */
    struct pool_provider *opened; /* borrows from this, */
    int n_reads;                  /* and reads this often, each time with a new lease; 0: only borrows */
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
/* Joins, and frees what the thread left. */
void user_end(struct user *u);
