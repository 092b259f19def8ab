/*
 * What a provider writes to stderr: its log lines go to our log, and the last lines are kept for error messages.
 *
 * Lines may hold whatever the provider was given, in any form. Of a record the log gets level, module and call, and nothing that
 * the provider worded, unless the log takes foreign text (log.h). In error messages stand: before the first call, when the
 * provider knows nothing yet, all kinds of lines; afterwards its panic, or what it wrote other than log lines.
 *
 * Providers write hclog's JSON lines, plain lines with a "[LEVEL]" in front, or anything at all; a Go panic is an error from
 * its first line to the end (docs/core-rules.md 1.6). Lines longer than PLUGIN_MAX_LOG_LINE are cut.
 */
#pragma once

#include "base/log.h"
#include "plugin/launch.h"

enum {
    LOGS_MAX_FIELDS = 64,        /* of one record; more are dropped */
    LOGS_MAX_PANIC = 64 << 10,   /* bytes kept of a panic, from its start */
    LOGS_MAX_TAIL_LINE = 1 << 10 /* bytes of one line in the tail */
};

/* One line, understood. */
struct log_line {
    enum log_level level;
    bool is_json; /* a record of hclog; otherwise `message` is the line, without its "[LEVEL]" */
    bool is_log;  /* a record, or a line that begins with a level or as Go's log package writes it */
    struct str message;
    const struct log_field *fields;
    size_t n_fields;
};
/* `in_panic`: an earlier line began a panic, so this one is an error too unless it is a record. */
void log_line_parse(struct arena *a, struct str line, bool in_panic, struct log_line *ret);

struct plugin_logs;

/* `log` may be NULL: then only the tail is kept. `name` is the provider's, added to each record; copied. */
struct plugin_logs *plugin_logs_new(struct log *log, struct str name);
void plugin_logs_free(struct plugin_logs *l);

/* Bytes as they come, from any thread. */
void plugin_logs_feed(struct plugin_logs *l, struct str bytes);
/* From now on it is given values. */
void plugin_logs_begin_calls(struct plugin_logs *l);
/* The end of the stream: a last line without line feed counts. */
void plugin_logs_end(struct plugin_logs *l);

/* The panic from its first line, else the last lines (see above; no debug records), safe for a terminal. Empty: nothing. */
struct str plugin_logs_tail(struct plugin_logs *l, struct arena *a, bool *ret_panicked);
