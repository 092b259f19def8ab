/*
 * Structured log: each record has a level, a constant message and variable fields. One line per record, as text or JSON.
 *
 *     log_info(log, "provider started", LOG_STR("source", source), LOG_INT("pid", pid));
 *
 * A log may be NULL (nothing is written), and any thread may use it. Pass secrets as LOG_SECRET: only their presence is logged.
 * Texts registered with log_redact() are masked wherever they appear, also in the log lines of providers.
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
 * Writes to the descriptor, which the caller still owns. Logging never blocks for long: when the reader of a pipe reads nothing
 * for LOG_PATIENCE_MS, records are dropped until it reads again, and the next record is preceded by the number of dropped ones.
 */
enum { LOG_PATIENCE_MS = 1000 };
struct log *log_new(int fd, enum log_level level, enum log_format format, const struct clock *clock);
void log_free(struct log *log);

/* Masks this text (at least LOG_REDACT_MIN bytes) in all later records. When there are more than LOG_MAX_SECRETS texts, the
 * oldest are forgotten. */
enum { LOG_REDACT_MIN = 4, LOG_MAX_SECRETS = 4096 };
void log_redact(struct log *log, struct str secret);

/*
 * How to treat log records that we pass on from other programs (providers). They log values that we gave them in forms of their
 * own (JSON, base64, Go syntax), so masking is not reliable: by default their text is left out.
 */
enum log_foreign {
    LOG_FOREIGN_SHAPE,   /* log that there was a record, with its level and origin, but not its text */
    LOG_FOREIGN_NOTHING, /* log nothing */
    LOG_FOREIGN_TEXT,    /* log all of it, secrets included */
};
/* The default is LOG_FOREIGN_SHAPE. Must be called before other threads use the log. */
void log_set_foreign(struct log *log, enum log_foreign foreign);
enum log_foreign log_foreign(const struct log *log); /* NULL: nothing */

/* True when a record of this level would be written. */
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
 * A piece of work that began or ended: a call to another program, or work of our own that is worth measuring. It is logged at
 * debug level when it ends, and passed to the watchers (metrics, traces). It must not contain secrets.
 */
enum log_work_kind {
    LOG_WORK_CALL,    /* a call to a provider: `what` is the method, `who` the provider */
    LOG_WORK_COMMAND, /* a Terraform CLI command: `what` is the subcommand, `who` the program, `about` "sync" or "async" */
    LOG_WORK_REQUEST, /* an HTTP request: `what` is the method, `who` the host */
    LOG_WORK_PASS,    /* a reconcile pass over an object: `what` is "reconcile", `who` the controller of its kind */
    LOG_WORK_JOB,     /* an operation on an object: `what` is "observe", "create", "update", "delete"; `who` the provider */
};
struct log_work {
    enum log_work_kind kind;
    struct str what, who;
    struct str about;    /* an object, a path; may be empty */
    const char *outcome; /* "ok", or one word for the failure; NULL: the work begins, which is passed to watchers only */
    int64_t begun;       /* monotonic clock */
    int64_t ended;       /* 0: now */
};
void log_work(struct log *log, const struct log_work *work);

struct log_watch {
    void (*fn)(void *ctx, const struct log_work *work); /* from any thread; must be short */
    void *ctx;
    struct log_watch *next; /* private */
};
/* Adds and removes a watcher. After log_unwatch() returns, the function is not running and will not be called. Neither may be
 * called from within a watcher; `log` may be NULL. */
void log_watch(struct log *log, struct log_watch *watch);
void log_unwatch(struct log *log, struct log_watch *watch);

/* "trace" .. "error", "off", any case; false for anything else. */
bool log_level_parse(struct str text, enum log_level *ret);
