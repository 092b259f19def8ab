/*
 * The output while objects are reconciled: a line for each change of an object's condition or, on a terminal, also a table below
 * these lines. A thread of its own writes, so that a slow terminal does not hold up the controller.
 */
#pragma once

#include "cli/app.h"
#include "controller/controller.h"

struct show;

/* `live`: stdout is a terminal, and gets the table. */
struct show *show_new(struct app *app, bool live);
/* Writes what is left, and erases the table. False: not everything could be written to stdout; the reason is on stderr. */
bool show_free(struct show *s);

/* Adds a line. From any thread. */
void show_line(struct show *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes diagnostics to stderr, and empties the list. */
void show_diags(struct show *s, struct diags *diags);
/* Implements controller_listener; `show` is the context. */
void show_news(void *show, const struct controller_news *news);
