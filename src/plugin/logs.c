/*
 * Bytes -> lines -> records. `line` holds the unfinished line; what does not fit is dropped until the line feed. `tail` holds
 * whole lines, oldest dropped first, and `panic`, once begun, only grows: of a long trace the beginning says why.
 *
 * All state is guarded by one lock: stderr comes on the loop's thread, the same bytes through StreamStdio on another, and
 * error messages are made on a third.
 */
#include "plugin/logs.h"

#include "base/json.h"
#include "base/vec.h"
#include "plugin/quote.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>

struct plugin_logs {
    struct log *log;
    struct arena *arena; /* of one line; reset for each */
    pthread_mutex_t lock;
    struct buf name;
    struct buf line;
    struct buf tail;
    struct buf panic;
};

/* ---- one line ---- */

/* "2026-11-15T07:38:06.570625Z" or with an offset; records of other shapes are treated as plain text by every reader. */
static bool is_timestamp(struct str s)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddddd";
    enum { SHAPE = sizeof shape - 1 };
    if (s.n <= SHAPE)
        return false;
    for (size_t i = 0; i < SHAPE; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)s.p[i]) : s.p[i] != shape[i])
            return false;
    char zone = s.p[SHAPE];
    return (zone == 'Z' && s.n == SHAPE + 1) || ((zone == '+' || zone == '-') && s.n == SHAPE + sizeof "+hh:mm" - 1);
}

/* Our text log writes keys as they are, so they must not look like anything else. */
static const char *clean_key(struct arena *a, struct str key)
{
    char *z = (char *)arena_str(a, key).p;
    for (size_t i = 0; i < key.n; i++)
        if (!isalnum((unsigned char)z[i]) && str_find(STR("_.-@"), z[i], 0) == SIZE_MAX)
            z[i] = '_';
    return z;
}

static struct log_field field_from_json(struct arena *a, const struct json_member *member)
{
    const char *key = clean_key(a, member->key);
    const struct json *j = member->value;
    int64_t i;
    switch (j->kind) {
    case JSON_BOOL:
        return LOG_BOOL(key, j->boolean);
    case JSON_STRING:
        return LOG_STR(key, j->text);
    case JSON_NUMBER:
        return str_to_i64(j->text, &i) ? LOG_INT(key, i) : LOG_STR(key, j->text);
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    struct buf text BUF_AUTO = BUF_INIT(PLUGIN_MAX_LOG_LINE * 6);
    struct json_writer w = {.out = &text};
    json_write(&w, j);
    return LOG_STR(key, json_finish(&w) ? buf_copy(&text, a) : STR_EMPTY);
}

static bool parse_record(struct arena *a, struct str line, struct log_line *ret)
{
    if (line.n == 0 || line.p[0] != '{')
        return false;
    struct diags ignored; /* a line that is no JSON is no error */
    diags_init(&ignored, a);
    const struct json *record = json_parse(a, line, "stderr", &ignored);
    const struct json *message = json_get(record, "@message");
    if (!message || message->kind != JSON_STRING || !is_timestamp(json_text(json_get(record, "@timestamp"), STR_EMPTY)))
        return false;
    *ret = (struct log_line){.level = LOG_DEBUG, .is_json = true, .message = message->text};
    (void)log_level_parse(json_text(json_get(record, "@level"), STR_EMPTY), &ret->level);
    if (ret->level == LOG_OFF)
        ret->level = LOG_DEBUG;
    VEC(struct log_field) fields = {0};
    for (size_t i = 0; i < record->object.n && fields.n < LOGS_MAX_FIELDS; i++) {
        const struct json_member *m = &record->object.members[i];
        if (str_eq(m->key, STR("@level")) || str_eq(m->key, STR("@message")) || str_eq(m->key, STR("@timestamp")))
            continue;
        *VEC_PUSH(a, &fields) = field_from_json(a, m);
    }
    ret->fields = fields.v;
    ret->n_fields = fields.n;
    return true;
}

bool log_line_is_panic(struct str line)
{
    return str_starts(line, STR("panic: ")) || str_starts(line, STR("fatal error: "));
}

static void parse_plain(struct str line, bool in_panic, struct log_line *ret)
{
    static const struct {
        struct str prefix;
        enum log_level level;
    } prefixes[] = {
        {STR("[TRACE]"), LOG_TRACE}, {STR("[DEBUG]"), LOG_DEBUG}, {STR("[INFO]"), LOG_INFO},
        {STR("[WARN]"), LOG_WARN},   {STR("[ERROR]"), LOG_ERROR},
    };
    *ret = (struct log_line){.level = in_panic || log_line_is_panic(line) ? LOG_ERROR : LOG_DEBUG, .message = line};
    for (size_t i = 0; !in_panic && i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (str_starts(line, prefixes[i].prefix)) {
            ret->level = prefixes[i].level;
            ret->message = str_trim(str_slice(line, prefixes[i].prefix.n, line.n));
            return;
        }
}

void log_line_parse(struct arena *a, struct str line, bool in_panic, struct log_line *ret)
{
    if (!parse_record(a, line, ret))
        parse_plain(line, in_panic, ret);
}

/* ---- the stream ---- */

struct plugin_logs *plugin_logs_new(struct log *log, struct str name)
{
    struct plugin_logs *l = malloc(sizeof *l);
    if (!l)
        abort();
    *l = (struct plugin_logs){
        .log = log,
        .arena = arena_new(NULL, 0),
        .name = BUF_INIT(name.n),
        .line = BUF_INIT(PLUGIN_MAX_LOG_LINE),
        .tail = BUF_INIT(PLUGIN_STDERR_TAIL + LOGS_MAX_TAIL_LINE + 1),
        .panic = BUF_INIT(LOGS_MAX_PANIC),
    };
    buf_add(&l->name, name);
    (void)pthread_mutex_init(&l->lock, NULL);
    return l;
}

void plugin_logs_free(struct plugin_logs *l)
{
    if (!l)
        return;
    (void)pthread_mutex_destroy(&l->lock);
    arena_free(l->arena);
    buf_free(&l->name);
    buf_free(&l->line);
    buf_free(&l->tail);
    buf_free(&l->panic);
    free(l);
}

static void write_record(struct plugin_logs *l, const struct log_line *line)
{
    if (!log_enabled(l->log, line->level))
        return;
    struct log_field fields[LOGS_MAX_FIELDS + 1] = {LOG_STR("provider", buf_str(&l->name))};
    if (line->n_fields > 0)
        memcpy(fields + 1, line->fields, line->n_fields * sizeof *fields);
    log_record(l->log, line->level, line->message, fields, line->n_fields + 1);
}

static void add_to_tail(struct plugin_logs *l, struct str text)
{
    buf_add(&l->tail, str_slice(quote_line(l->arena, text), 0, LOGS_MAX_TAIL_LINE));
    buf_addc(&l->tail, '\n');
    while (l->tail.n > PLUGIN_STDERR_TAIL) {
        size_t line_end = str_find(buf_str(&l->tail), '\n', 0);
        buf_consume(&l->tail, line_end + 1);
    }
}

/* The whole trace goes here; one that does not fit ends at the last line that did. */
static void add_to_panic(struct plugin_logs *l, struct str text)
{
    struct str clean = quote_line(l->arena, text);
    if (l->panic.failed || l->panic.n + clean.n + 1 > LOGS_MAX_PANIC) {
        l->panic.failed = true;
        return;
    }
    buf_add(&l->panic, clean);
    buf_addc(&l->panic, '\n');
}

static void end_line(struct plugin_logs *l)
{
    struct str text = buf_str(&l->line);
    if (text.n > 0 && text.p[text.n - 1] == '\r')
        text.n--;
    bool in_panic = l->panic.n > 0;
    struct log_line line;
    log_line_parse(l->arena, text, in_panic, &line);
    /* Blank lines mean something inside a trace only. */
    if (line.is_json || text.n > 0)
        write_record(l, &line);
    if (!line.is_json && (in_panic || log_line_is_panic(text)))
        add_to_panic(l, text);
    if (text.n > 0 && (!line.is_json || line.level >= LOG_INFO))
        add_to_tail(l, line.is_json ? line.message : text);
    arena_reset(l->arena);
    buf_clear(&l->line);
}

void plugin_logs_feed(struct plugin_logs *l, struct str bytes)
{
    (void)pthread_mutex_lock(&l->lock);
    while (bytes.n > 0) {
        size_t line_end = str_find(bytes, '\n', 0);
        struct str piece = str_slice(bytes, 0, line_end);
        size_t room = PLUGIN_MAX_LOG_LINE - l->line.n;
        buf_add(&l->line, str_slice(piece, 0, room));
        bytes = str_slice(bytes, line_end == SIZE_MAX ? bytes.n : line_end + 1, bytes.n);
        if (line_end != SIZE_MAX)
            end_line(l);
    }
    (void)pthread_mutex_unlock(&l->lock);
}

void plugin_logs_end(struct plugin_logs *l)
{
    (void)pthread_mutex_lock(&l->lock);
    if (l->line.n > 0)
        end_line(l);
    (void)pthread_mutex_unlock(&l->lock);
}

struct str plugin_logs_tail(struct plugin_logs *l, struct arena *a)
{
    (void)pthread_mutex_lock(&l->lock);
    struct str text = buf_copy(l->panic.n > 0 ? &l->panic : &l->tail, a);
    (void)pthread_mutex_unlock(&l->lock);
    return text;
}
