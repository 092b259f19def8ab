/*
 * A record is built whole in one buffer under the log's lock and written with one write(2), so lines of several threads, and of
 * several processes that share the descriptor, do not mix. (Writes to a pipe are atomic up to PIPE_BUF bytes, so a longer record
 * is written to it in pieces of that size.)
 *
 * Redaction happens on each text before it is formatted or cut. A secret is registered in all forms in which it can appear in a
 * line: unchanged, and escaped for JSON once and twice (a provider logs the JSON body of a request as a string in a JSON record),
 * with and without Go's escapes for <, > and &. For most secrets all of these are the same text.
 */
#include "base/log.h"

#include "base/json.h"
#include "base/lock.h"
#include "base/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_LINE = 64 << 10, /* of a record; fields that do not fit are left out and counted */
    MAX_TEXT = 8 << 10,  /* of the message or one field; longer text is cut and the cut bytes are counted */
    MAX_ESCAPED = 6 * MAX_TEXT,
    MAX_END = 64, /* the count of fields left out, and the end of the line */
};

static const char mask[] = "***";

static const struct {
    const char *name;
    const char *text; /* five characters wide, as in hclog's text form */
} levels[] = {
    [LOG_TRACE] = {"trace", "[TRACE]"}, [LOG_DEBUG] = {"debug", "[DEBUG]"}, [LOG_INFO] = {"info", "[INFO] "},
    [LOG_WARN] = {"warn", "[WARN] "},   [LOG_ERROR] = {"error", "[ERROR]"}, [LOG_OFF] = {"off", ""},
};

struct secret {
    struct secret *next; /* longest first, so that the first match at a position is the longest */
    struct buf text;
    uint64_t number; /* in order of arrival */
};

struct log {
    int fd;
    enum log_level level;
    enum log_format format;
    enum log_foreign foreign;
    const struct clock *clock;
    pthread_rwlock_t watches_lock; /* guards the list, and is held while the watchers are called */
    struct log_watch *watches;
    pthread_mutex_t lock; /* guards what follows */
    struct secret *secrets;
    size_t n_secrets;
    uint64_t last_secret;
    bool starts[256]; /* is there a secret that starts with this byte? */
    struct buf line;
    struct buf masked; /* a text with its secrets masked */
    size_t piece;      /* bytes that can be written without blocking when poll() says so */
    size_t lost;       /* records dropped since the reader stopped reading */
    bool broken_line;  /* the last record was only partly written */
};

struct log *log_new(int fd, enum log_level level, enum log_format format, const struct clock *clock)
{
    struct log *log = malloc(sizeof *log);
    if (!log)
        abort();
    *log = (struct log){
        .fd = fd,
        .level = level,
        .format = format,
        .clock = clock,
        /* Room for one field past the limit, which is then removed. */
        .line = BUF_INIT(MAX_LINE + MAX_ESCAPED),
        .masked = BUF_INIT(MAX_TEXT + MAX_END),
    };
    struct stat st;
    bool is_pipe = fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
    log->piece = is_pipe ? PIPE_BUF : SIZE_MAX;
    mutex_init(&log->lock);
    lock_check(pthread_rwlock_init(&log->watches_lock, NULL));
    return log;
}

void log_free(struct log *log)
{
    if (!log)
        return;
    while (log->secrets) {
        struct secret *secret = log->secrets;
        log->secrets = secret->next;
        buf_wipe(&secret->text);
        free(secret);
    }
    buf_wipe(&log->line);
    buf_wipe(&log->masked);
    lock_check(pthread_rwlock_destroy(&log->watches_lock));
    mutex_destroy(&log->lock);
    free(log);
}

void log_set_foreign(struct log *log, enum log_foreign foreign)
{
    log->foreign = foreign;
}

enum log_foreign log_foreign(const struct log *log)
{
    return log ? log->foreign : LOG_FOREIGN_NOTHING;
}

bool log_enabled(const struct log *log, enum log_level level)
{
    return log && level >= log->level && level < LOG_OFF;
}

void log_watch(struct log *log, struct log_watch *watch)
{
    if (!log)
        return;
    lock_check(pthread_rwlock_wrlock(&log->watches_lock));
    watch->next = log->watches;
    log->watches = watch;
    lock_check(pthread_rwlock_unlock(&log->watches_lock));
}

void log_unwatch(struct log *log, struct log_watch *watch)
{
    if (!log)
        return;
    lock_check(pthread_rwlock_wrlock(&log->watches_lock));
    for (struct log_watch **at = &log->watches; *at; at = &(*at)->next)
        if (*at == watch) {
            *at = watch->next;
            break;
        }
    lock_check(pthread_rwlock_unlock(&log->watches_lock));
}

void log_work(struct log *log, const struct log_work *given)
{
    static const char *const messages[] = {[LOG_WORK_CALL] = "call of a provider",
                                           [LOG_WORK_COMMAND] = "command",
                                           [LOG_WORK_REQUEST] = "request over HTTP",
                                           [LOG_WORK_PASS] = "pass",
                                           [LOG_WORK_JOB] = "job"};
    if (!log)
        return;
    struct log_work work = *given;
    if (work.ended == 0)
        work.ended = clock_now(&system_clock);
    if (work.outcome)
        log_debug(log, messages[work.kind], LOG_STR("what", work.what), LOG_STR("who", work.who), LOG_STR("about", work.about),
                  LOG_Z("outcome", work.outcome), LOG_INT("us", (work.ended - work.begun) / 1000));
    lock_check(pthread_rwlock_rdlock(&log->watches_lock));
    for (const struct log_watch *w = log->watches; w; w = w->next)
        w->fn(w->ctx, &work);
    lock_check(pthread_rwlock_unlock(&log->watches_lock));
}

bool log_level_parse(struct str text, enum log_level *ret)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (text.n == strlen(levels[i].name) && strncasecmp(text.p, levels[i].name, text.n) == 0) {
            *ret = (enum log_level)i;
            return true;
        }
    return false;
}

/* Redaction */

static void forget_oldest(struct log *log)
{
    struct secret **oldest = &log->secrets;
    for (struct secret **at = &log->secrets; *at; at = &(*at)->next)
        if ((*at)->number < (*oldest)->number)
            oldest = at;
    struct secret *secret = *oldest;
    if (!secret)
        return;
    *oldest = secret->next;
    log->n_secrets--;
    buf_wipe(&secret->text);
    free(secret);
}

static struct secret *find_secret(const struct log *log, struct str text)
{
    struct secret *s = log->secrets;
    while (s && !str_eq(buf_str(&s->text), text))
        s = s->next;
    return s;
}

static void add_secret(struct log *log, struct str text)
{
    struct secret *secret = find_secret(log, text);
    if (secret) {
        secret->number = ++log->last_secret;
        return;
    }
    if (log->n_secrets == LOG_MAX_SECRETS)
        forget_oldest(log);
    struct secret **at = &log->secrets;
    while (*at && (*at)->text.n >= text.n)
        at = &(*at)->next;
    secret = malloc(sizeof *secret);
    if (!secret)
        abort();
    *secret = (struct secret){.next = *at, .text = BUF_INIT(text.n), .number = ++log->last_secret};
    buf_add(&secret->text, text);
    *at = secret;
    log->n_secrets++;
    log->starts[(unsigned char)text.p[0]] = true;
}

/* Writes the text as it appears between the quotes of a JSON string. */
static void json_escape(struct buf *out, struct str text, bool html_escape)
{
    struct json_writer w = {.out = out, .html_escape = html_escape};
    buf_clear(out);
    /* Reserves room for the worst case: growing would leave copies of the secret in memory. */
    (void)buf_room(out, text.n * 6 + 2);
    json_write_string(&w, text);
}

static struct str inside_quotes(const struct buf *quoted)
{
    return str_slice(buf_str(quoted), 1, quoted->n - 1);
}

static void add_spellings(struct log *log, struct str secret, bool html_escape)
{
    struct buf once = BUF_INIT(SIZE_MAX / 2), twice = BUF_INIT(SIZE_MAX / 2);
    json_escape(&once, secret, html_escape);
    json_escape(&twice, inside_quotes(&once), html_escape);
    add_secret(log, inside_quotes(&once));
    add_secret(log, inside_quotes(&twice));
    buf_wipe(&once);
    buf_wipe(&twice);
}

void log_redact(struct log *log, struct str secret)
{
    if (!log || secret.n < LOG_REDACT_MIN)
        return;
    mutex_lock(&log->lock);
    add_secret(log, secret);
    add_spellings(log, secret, false);
    add_spellings(log, secret, true);
    mutex_unlock(&log->lock);
}

/* Length of the longest secret that `text` starts with, or 0. */
static size_t secret_at(const struct log *log, struct str text)
{
    if (!log->starts[(unsigned char)text.p[0]])
        return 0;
    for (const struct secret *s = log->secrets; s; s = s->next)
        if (str_starts(text, buf_str(&s->text)))
            return s->text.n;
    return 0;
}

struct shown {
    struct str text;  /* valid until the next call of show() */
    size_t cut_bytes; /* of the original, left out at the end */
};

/* Masks every secret in the text (overlapping ones together), then cuts it to MAX_TEXT bytes between two characters. */
static struct shown show(struct log *log, struct str text)
{
    buf_clear(&log->masked);
    size_t i = 0, secret_end = 0;
    for (; i < text.n; i++) {
        bool is_continuation = ((unsigned char)text.p[i] & 0xc0) == 0x80;
        if (log->masked.n >= MAX_TEXT - 4 && i >= secret_end && !is_continuation)
            break;
        size_t n = secret_at(log, str_slice(text, i, text.n));
        if (n > 0 && i >= secret_end)
            buf_addz(&log->masked, mask);
        if (n > 0 && i + n > secret_end)
            secret_end = i + n;
        if (i >= secret_end)
            buf_addc(&log->masked, text.p[i]);
    }
    return (struct shown){buf_str(&log->masked), text.n - i};
}

/* Formatting */

static bool needs_quotes(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (str_find(STR(" \"=\\"), text.p[i], 0) != SIZE_MAX)
            return true;
    return text.n == 0 || !terminal_is_safe(text);
}

static void write_value_text(struct log *log, struct str text)
{
    struct shown s = show(log, text);
    if (needs_quotes(s.text)) {
        struct json_writer w = {.out = &log->line, .for_terminal = true};
        json_write_string(&w, s.text);
    } else {
        buf_add(&log->line, s.text);
    }
    if (s.cut_bytes > 0)
        buf_printf(&log->line, "...(%zu more bytes)", s.cut_bytes);
}

static void write_field_text(struct log *log, const struct log_field *field)
{
    char digits[24];
    buf_addc(&log->line, ' ');
    buf_addz(&log->line, field->key);
    buf_addc(&log->line, '=');
    switch (field->kind) {
    case LOG_FIELD_STR:
        return write_value_text(log, field->text);
    case LOG_FIELD_INT:
        (void)snprintf(digits, sizeof digits, "%" PRId64, field->number);
        return write_value_text(log, str_of(digits));
    case LOG_FIELD_BOOL:
        return buf_addz(&log->line, field->number ? "true" : "false");
    case LOG_FIELD_SECRET:
        return buf_addz(&log->line, mask);
    }
}

static void begin_text(struct log *log, enum log_level level, const char *time, struct str message)
{
    buf_addz(&log->line, time);
    buf_addc(&log->line, ' ');
    buf_addz(&log->line, levels[level].text);
    buf_addc(&log->line, ' ');
    /* Line feeds are escaped, so that a message cannot forge a second record. */
    terminal_write(&log->line, show(log, message).text, TERMINAL_KEEP_NOTHING);
}

static void write_value_json(struct log *log, struct json_writer *w, struct str text)
{
    struct shown s = show(log, text);
    if (s.cut_bytes > 0)
        buf_printf(&log->masked, "...(%zu more bytes)", s.cut_bytes);
    json_write_string(w, buf_str(&log->masked));
}

static void write_field_json(struct log *log, struct json_writer *w, const struct log_field *field)
{
    char digits[24];
    json_key(w, str_of(field->key));
    switch (field->kind) {
    case LOG_FIELD_STR:
        return write_value_json(log, w, field->text);
    case LOG_FIELD_INT:
        (void)snprintf(digits, sizeof digits, "%" PRId64, field->number);
        if (str_eqz(show(log, str_of(digits)).text, digits))
            return json_write_int(w, field->number);
        return write_value_json(log, w, str_of(digits));
    case LOG_FIELD_BOOL:
        return json_write_bool(w, field->number != 0);
    case LOG_FIELD_SECRET:
        return json_write_string(w, str_of(mask));
    }
}

static void begin_json(struct log *log, struct json_writer *w, enum log_level level, const char *time, struct str message)
{
    json_begin_object(w);
    json_key(w, STR("@level"));
    json_write_string(w, str_of(levels[level].name));
    json_key(w, STR("@message"));
    write_value_json(log, w, message);
    json_key(w, STR("@timestamp"));
    json_write_string(w, str_of(time));
}

static void write_field(struct log *log, struct json_writer *w, const struct log_field *field)
{
    if (log->format == LOG_JSON)
        write_field_json(log, w, field);
    else
        write_field_text(log, field);
}

/* Writes fields while the line stays within its limit; the first field that exceeds it is removed again. */
static void write_fields(struct log *log, struct json_writer *w, const struct log_field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t line_before = log->line.n;
        struct json_writer writer_before = *w;
        write_field(log, w, &fields[i]);
        if (buf_ok(&log->line) && log->line.n <= MAX_LINE - MAX_END)
            continue;
        log->line.n = line_before;
        log->line.failed = false;
        *w = writer_before;
        return write_field(log, w, &LOG_INT("fields_left_out", (int64_t)(n - i)));
    }
}

/* Writing */

static bool can_write(const struct log *log)
{
    struct pollfd p = {.fd = log->fd, .events = POLLOUT};
    int n;
    while ((n = poll(&p, 1, log->lost > 0 ? 0 : LOG_PATIENCE_MS)) < 0 && errno == EINTR)
        ;
    return n != 0; /* errors are reported by write() */
}

/* False when the reader does not read; a part may have been written. After other errors the record is lost, because they cannot
 * be reported anywhere. */
static bool write_bytes(struct log *log, struct str rest)
{
    while (rest.n > 0) {
        if (!can_write(log))
            return false;
        ssize_t n = write(log->fd, rest.p, rest.n < log->piece ? rest.n : log->piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return true;
        rest = str_slice(rest, (size_t)n, rest.n);
        log->broken_line = rest.n > 0;
    }
    return true;
}

/* Before the first record after a gap. */
static bool write_gap(struct log *log)
{
    char text[128];
    int n = snprintf(text, sizeof text,
                     log->format == LOG_JSON ? "%s{\"@level\":\"warn\",\"@message\":\"log records lost\",\"n\":%zu}\n"
                                             : "%s[WARN]  log records lost n=%zu\n",
                     log->broken_line ? "\n" : "", log->lost);
    if (!write_bytes(log, (struct str){text, (size_t)n}))
        return false;
    log->lost = 0;
    return true;
}

static void write_line(struct log *log)
{
    if ((log->lost > 0 && !write_gap(log)) || !write_bytes(log, buf_str(&log->line)))
        log->lost++;
}

void log_record(struct log *log, enum log_level level, struct str message, const struct log_field *fields, size_t n)
{
    if (!log_enabled(log, level))
        return;
    char time[CLOCK_TEXT];
    clock_format(log->clock->wall_ns(log->clock), time);
    mutex_lock(&log->lock);
    buf_clear(&log->line);
    struct json_writer w = {.out = &log->line, .for_terminal = true};
    if (log->format == LOG_JSON)
        begin_json(log, &w, level, time, message);
    else
        begin_text(log, level, time, message);
    write_fields(log, &w, fields, n);
    if (log->format == LOG_JSON)
        json_end_object(&w);
    buf_addc(&log->line, '\n');
    write_line(log);
    mutex_unlock(&log->lock);
}
