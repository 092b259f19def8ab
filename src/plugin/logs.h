/*
 * A provider's stderr: its log lines go to our log, and the last lines are kept for error messages.
 *
 * Lines may contain anything that the provider was given, in any form. So our log gets only level, module and call of a record,
 * and none of its text, unless the log accepts foreign text (log.h). Error messages get lines of all kinds before the first call,
 * when the provider has not been given any values; afterwards only its panic, or lines that are not log lines.
 *
 * Providers write hclog's JSON lines, plain lines that begin with "[LEVEL]", or any other text; a Go panic has the level error
 * from its first line to the end (docs/core-rules.md 1.6). Lines longer than PLUGIN_MAX_LOG_LINE are cut.
 */
#pragma once

#include "base/log.h"
#include "plugin/launch.h"

enum {
    LOGS_MAX_FIELDS = 64,        /* of one record; further ones are dropped */
    LOGS_MAX_PANIC = 64 << 10,   /* bytes kept of a panic, from its start */
    LOGS_MAX_TAIL_LINE = 1 << 10 /* bytes of one line in the tail */
};

/* One line, parsed. */
struct log_line {
    enum log_level level;
    bool is_json; /* a record of hclog; otherwise `message` is the line, without its "[LEVEL]" */
    bool is_log;  /* a record, or a line that begins with a level or as Go's log package writes it */
    struct str message;
    const struct log_field *fields;
    size_t n_fields;
};
/* `in_panic`: an earlier line began a panic, so the line's level is error unless it is a record. */
void log_line_parse(struct arena *a, struct str line, bool in_panic, struct log_line *ret);

struct plugin_logs;

/* `log` may be NULL: then only the tail is kept. `name` is the provider's, added to each record; copied. */
struct plugin_logs *plugin_logs_new(struct log *log, struct str name);
void plugin_logs_free(struct plugin_logs *l);

/* Takes bytes as they arrive, on any thread. */
void plugin_logs_feed(struct plugin_logs *l, struct str bytes);
/* Call this before the first call that gives the provider values. */
void plugin_logs_begin_calls(struct plugin_logs *l);
/* The end of the stream: a last line without line feed is processed. */
void plugin_logs_end(struct plugin_logs *l);

/*
 * The panic from its first line, else the last lines (see above; no debug records), safe for a terminal. Empty: there are none.
 */
struct str plugin_logs_tail(struct plugin_logs *l, struct arena *a, bool *ret_panicked);
