/*
 * Bytes -> lines -> records. `line` holds the unfinished line; what does not fit is dropped up to the line feed. `tail` holds
 * whole lines, and drops the oldest first. `panic`, once begun, only grows, because the beginning of a long trace has the reason.
 *
 * One lock guards all state: stderr is read on the loop's thread, the same bytes may come through StreamStdio on another, and
 * error messages are made on a third.
 */
#include "plugin/logs.h"

#include "base/json.h"
#include "base/lock.h"
#include "base/terminal.h"
#include "base/vec.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>

struct plugin_logs {
    struct log *log;
    struct arena *arena; /* for one line; reset for each */
    pthread_mutex_t lock;
    struct buf name;
    struct buf line;
    struct buf tail;
    struct buf panic;
    bool has_values; /* the provider may have been given values */
};

/* ---- one line ---- */

/* Does the text begin with this pattern? 'd' is any digit. */
static bool has_shape(struct str s, struct str shape)
{
    for (size_t i = 0; i < shape.n; i++)
        if (i >= s.n || (shape.p[i] == 'd' ? !isdigit((unsigned char)s.p[i]) : s.p[i] != shape.p[i]))
            return false;
    return true;
}

/*
 * "2026-11-15T07:38:06.570625Z" or with an offset; like other readers of hclog, we treat records with any other time as plain
 * text.
 */
static bool is_timestamp(struct str s)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddddd";
    enum { SHAPE = sizeof shape - 1 };
    if (s.n <= SHAPE || !has_shape(s, STR(shape)))
        return false;
    char zone = s.p[SHAPE];
    return (zone == 'Z' && s.n == SHAPE + 1) || ((zone == '+' || zone == '-') && s.n == SHAPE + sizeof "+hh:mm" - 1);
}

/* Our text log writes keys without quotes, so they must have only harmless characters. */
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
    struct diags ignored; /* a line that is not JSON is not an error */
    diags_init(&ignored, a);
    const struct json *record = json_parse(a, line, "stderr", &ignored);
    const struct json *message = json_get(record, "@message");
    if (!message || message->kind != JSON_STRING || !is_timestamp(json_text(json_get(record, "@timestamp"), STR_EMPTY)))
        return false;
    *ret = (struct log_line){.level = LOG_DEBUG, .is_json = true, .is_log = true, .message = message->text};
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

/* Does a panic of the Go runtime begin here? */
static bool begins_panic(struct str line)
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
    bool is_panic = in_panic || begins_panic(line);
    *ret = (struct log_line){
        .level = is_panic ? LOG_ERROR : LOG_DEBUG,
        .is_log = !is_panic && (has_shape(line, STR("dddd/dd/dd dd:dd:dd")) || str_starts(line, STR("{"))),
        .message = line,
    };
    for (size_t i = 0; !in_panic && i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (str_starts(line, prefixes[i].prefix)) {
            ret->level = prefixes[i].level;
            ret->is_log = true;
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
    mutex_init(&l->lock);
    return l;
}

void plugin_logs_free(struct plugin_logs *l)
{
    if (!l)
        return;
    mutex_destroy(&l->lock);
    arena_free(l->arena);
    buf_free(&l->name);
    buf_free(&l->line);
    buf_free(&l->tail);
    buf_free(&l->panic);
    free(l);
}

/* Is it a name from the provider's code, such as "sdk.proto"? Only short names of plain characters are. */
static bool is_plain_name(const struct log_field *f)
{
    enum { MAX_NAME = 64 };
    bool ok = f->kind == LOG_FIELD_STR && f->text.n <= MAX_NAME;
    for (size_t i = 0; ok && i < f->text.n; i++)
        ok = isalnum((unsigned char)f->text.p[i]) || str_find(STR("_.-"), f->text.p[i], 0) != SIZE_MAX;
    return ok;
}

/* Writes only what the provider's libraries add to a record: the module and the call. */
static void write_shape(struct plugin_logs *l, const struct log_line *line)
{
    static const char *const shown[] = {"@module", "tf_rpc"};
    struct log_field fields[1 + sizeof shown / sizeof shown[0]] = {LOG_STR("provider", buf_str(&l->name))};
    size_t n = 1;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        for (size_t k = 0; k < line->n_fields; k++)
            if (strcmp(line->fields[k].key, shown[i]) == 0 && is_plain_name(&line->fields[k])) {
                fields[n++] = line->fields[k];
                break;
            }
    log_record(l->log, line->level, STR("provider log line withheld"), fields, n);
}

/* A panic is logged once; its text goes into the error message of the call that failed. */
static void write_panic(struct plugin_logs *l)
{
    if (l->panic.n == 0)
        log_error(l->log, "provider panicked", LOG_STR("provider", buf_str(&l->name)));
}

static void write_text(struct plugin_logs *l, const struct log_line *line)
{
    struct log_field fields[LOGS_MAX_FIELDS + 1] = {LOG_STR("provider", buf_str(&l->name))};
    if (line->n_fields > 0)
        memcpy(fields + 1, line->fields, line->n_fields * sizeof *fields);
    log_record(l->log, line->level, line->message, fields, line->n_fields + 1);
}

static void write_record(struct plugin_logs *l, const struct log_line *line, bool is_panic)
{
    if (!log_enabled(l->log, line->level))
        return;
    switch (log_foreign(l->log)) {
    case LOG_FOREIGN_NOTHING:
        return;
    case LOG_FOREIGN_SHAPE:
        return is_panic ? write_panic(l) : write_shape(l, line);
    case LOG_FOREIGN_TEXT:
        return write_text(l, line);
    }
}

/* May the line be part of an error message? Log lines are full of values. */
static bool belongs_to_tail(const struct plugin_logs *l, const struct log_line *line)
{
    if (l->has_values && log_foreign(l->log) != LOG_FOREIGN_TEXT)
        return !line->is_log;
    return !line->is_json || line->level >= LOG_INFO;
}

static void add_to_tail(struct plugin_logs *l, struct str text)
{
    struct str clean = terminal_line(l->arena, text);
    size_t end = clean.n > LOGS_MAX_TAIL_LINE ? LOGS_MAX_TAIL_LINE : clean.n;
    while (end > 0 && end < clean.n && ((unsigned char)clean.p[end] & 0xc0) == 0x80)
        end--;
    buf_add(&l->tail, str_slice(clean, 0, end));
    buf_addc(&l->tail, '\n');
    while (l->tail.n > PLUGIN_STDERR_TAIL) {
        size_t line_end = str_find(buf_str(&l->tail), '\n', 0);
        buf_consume(&l->tail, line_end + 1);
    }
}

/* Adds a line of the trace; a trace that does not fit ends after the last line that did. */
static void add_to_panic(struct plugin_logs *l, struct str text)
{
    struct str clean = terminal_line(l->arena, text);
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
    bool is_panic = !line.is_json && (in_panic || begins_panic(text));
    /* Blank lines matter only inside a trace. */
    if (line.is_json || text.n > 0)
        write_record(l, &line, is_panic);
    if (is_panic)
        add_to_panic(l, text);
    if (text.n > 0 && belongs_to_tail(l, &line))
        add_to_tail(l, line.is_json ? line.message : text);
    arena_reset(l->arena);
    buf_clear(&l->line);
}

void plugin_logs_feed(struct plugin_logs *l, struct str bytes)
{
    mutex_lock(&l->lock);
    while (bytes.n > 0) {
        size_t line_end = str_find(bytes, '\n', 0);
        struct str piece = str_slice(bytes, 0, line_end);
        size_t room = PLUGIN_MAX_LOG_LINE - l->line.n;
        buf_add(&l->line, str_slice(piece, 0, room));
        bytes = str_slice(bytes, line_end == SIZE_MAX ? bytes.n : line_end + 1, bytes.n);
        if (line_end != SIZE_MAX)
            end_line(l);
    }
    mutex_unlock(&l->lock);
}

void plugin_logs_begin_calls(struct plugin_logs *l)
{
    mutex_lock(&l->lock);
    l->has_values = true;
    mutex_unlock(&l->lock);
}

void plugin_logs_end(struct plugin_logs *l)
{
    mutex_lock(&l->lock);
    if (l->line.n > 0)
        end_line(l);
    mutex_unlock(&l->lock);
}

struct str plugin_logs_tail(struct plugin_logs *l, struct arena *a, bool *ret_panicked)
{
    mutex_lock(&l->lock);
    *ret_panicked = l->panic.n > 0;
    struct str text = buf_copy(*ret_panicked ? &l->panic : &l->tail, a);
    mutex_unlock(&l->lock);
    return text;
}
