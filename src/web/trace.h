/*
 * Writes finished work into a file in the Trace Event Format of browsers (chrome://tracing, ui.perfetto.dev): one line for each
 * pass, job, call, command and request, by thread. The file contains nothing that was sent or received.
 */
#pragma once

#include "base/diag.h"
#include "base/log.h"

struct trace;
/* Creates the file (mode 0600) or replaces an old one. NULL with a diagnostic: it cannot be written. */
struct trace *trace_open(const char *path, struct diags *diags);
/* Completes the file; the log (may be NULL) says so if that fails. NULL is accepted. trace_work() must not be called any more. */
void trace_close(struct trace *t, struct log *log);
/* For log_watch(): `ctx` is the trace. */
void trace_work(void *trace, const struct log_work *work);
