/*
 * Structured log: a level, a message that never changes, and fields that do. One line a record, text or JSON.
 *
 *     log_info(log, "provider started", LOG_STR("source", source), LOG_INT("pid", pid));
 *
 * A log may be NULL (nothing is written) and is used from any thread. What is secret is passed as LOG_SECRET: only its
 * presence is logged. Texts registered with log_redact() are masked wherever they turn up, in lines of providers too.
 */
#pragma once

#include "base/clock.h"
#include "base/str.h"

enum log_level { LOG_TRACE, LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF };
enum log_format { LOG_TEXT, LOG_JSON };

enum log_field_kind { LOG_FIELD_STR, LOG_FIELD_INT, LOG_FIELD_BOOL, LOG_FIELD_SECRET };

struct log_field {
    const char *key;
    enum log_field_kind kind;
    struct str text;
    int64_t number;
};

#define LOG_STR(k, s) ((struct log_field){.key = (k), .kind = LOG_FIELD_STR, .text = (s)})
#define LOG_Z(k, z) LOG_STR(k, str_of(z))
#define LOG_INT(k, i) ((struct log_field){.key = (k), .kind = LOG_FIELD_INT, .number = (i)})
#define LOG_BOOL(k, b) ((struct log_field){.key = (k), .kind = LOG_FIELD_BOOL, .number = (b)})
#define LOG_SECRET(k) ((struct log_field){.key = (k), .kind = LOG_FIELD_SECRET})

struct log;

/*
 * Writes to the descriptor, which stays the caller's. Who logs is never held up for long: when the reader of a pipe takes nothing
 * for LOG_PATIENCE_MS, records are thrown away until it reads again, and the next one is preceded by their number.
 */
enum { LOG_PATIENCE_MS = 1000 };
struct log *log_new(int fd, enum log_level level, enum log_format format, const struct clock *clock);
void log_free(struct log *log);

/* Masks this text (at least LOG_REDACT_MIN bytes) in all later records; of more than LOG_MAX_SECRETS the oldest are forgotten. */
enum { LOG_REDACT_MIN = 4, LOG_MAX_SECRETS = 4096 };
void log_redact(struct log *log, struct str secret);

/*
 * What other programs (providers) write about their work, and we pass on. They log what they were given, in forms of their own
 * (JSON, base64, Go syntax), so masking cannot be sure: unless the user says otherwise, their text stays out.
 */
enum log_foreign {
    LOG_FOREIGN_SHAPE,   /* that there was a record, of which level and where from, but not what it says */
    LOG_FOREIGN_NOTHING, /* not even that */
    LOG_FOREIGN_TEXT,    /* all of it, secrets included */
};
/* A new log has LOG_FOREIGN_SHAPE. Before other threads use it. */
void log_set_foreign(struct log *log, enum log_foreign foreign);
enum log_foreign log_foreign(const struct log *log); /* NULL: nothing */

/* Would a record of this level be written? */
bool log_enabled(const struct log *log, enum log_level level);

void log_record(struct log *log, enum log_level level, struct str message, const struct log_field *fields, size_t n);

#define LOG_AT(log, level, message, ...)                                                                                         \
    do {                                                                                                                         \
        if (log_enabled((log), (level))) {                                                                                       \
            const struct log_field log_fields_[] = {__VA_ARGS__};                                                                \
            log_record((log), (level), str_of(message), log_fields_, sizeof log_fields_ / sizeof log_fields_[0]);                \
        }                                                                                                                        \
    } while (0)
#define log_trace(log, ...) LOG_AT(log, LOG_TRACE, __VA_ARGS__)
#define log_debug(log, ...) LOG_AT(log, LOG_DEBUG, __VA_ARGS__)
#define log_info(log, ...) LOG_AT(log, LOG_INFO, __VA_ARGS__)
#define log_warn(log, ...) LOG_AT(log, LOG_WARN, __VA_ARGS__)
#define log_error(log, ...) LOG_AT(log, LOG_ERROR, __VA_ARGS__)

/*
 * Work that has ended: a call of another program or a piece of our own that is worth measuring. A line at debug, and told to
 * those who watch: metrics, traces. Nothing in it may be a secret.
 */
enum log_work_kind {
    LOG_WORK_CALL,    /* of a provider: `what` is the method, `who` the provider */
    LOG_WORK_COMMAND, /* of the Terraform CLI: `what` is the subcommand, `who` the program, `about` "sync" or "async" */
    LOG_WORK_REQUEST, /* over HTTP: `what` is the method, `who` the host */
    LOG_WORK_PASS,    /* over an object: `what` is "reconcile", `who` the controller of its kind */
    LOG_WORK_JOB,     /* for an object: `what` is "observe", "create", "update", "delete"; `who` the provider */
};
struct log_work {
    enum log_work_kind kind;
    struct str what, who;
    struct str about;    /* an object, a path; may be empty */
    const char *outcome; /* "ok", or how it failed in a word; NULL: it begins, which only watchers are told */
    int64_t begun;       /* of the monotonic clock */
    int64_t ended;       /* 0: now */
};
void log_work(struct log *log, const struct log_work *work);

struct log_watch {
    void (*fn)(void *ctx, const struct log_work *work); /* from any thread; must be short */
    void *ctx;
    struct log_watch *next; /* private */
};
/* From now on, and no longer: after log_unwatch() it is not being told anything. Not from within it; `log` may be NULL. */
void log_watch(struct log *log, struct log_watch *watch);
void log_unwatch(struct log *log, struct log_watch *watch);

/* "trace" .. "error", "off", any case; false for anything else. */
bool log_level_parse(struct str text, enum log_level *ret);
