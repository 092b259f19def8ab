/*
 * Work that has ended, as a file in the Trace Event Format that browsers show (chrome://tracing, ui.perfetto.dev): a line for
 * each pass, job, call, command and request, by the thread that did it. Nothing of what was sent or received is in it.
 */
#pragma once

#include "base/diag.h"
#include "base/log.h"

struct trace;
/* A new file (0600), in place of an old one. NULL and a diagnostic: it cannot be written. */
struct trace *trace_open(const char *path, struct diags *diags);
/* The end of the file: from now on it is whole, or the log (may be NULL) says that it is not. NULL is accepted. Nobody may tell
 * it anything any more. */
void trace_close(struct trace *t, struct log *log);
/* For log_watch(): `ctx` is the trace. */
void trace_work(void *trace, const struct log_work *work);
