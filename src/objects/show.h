/*
 * What people see while objects are reconciled: a line for each change of how an object is or, on a terminal, a table that is
 * kept up to date below these lines. A thread of its own writes, so that a slow terminal holds up nobody who reconciles.
 */
#pragma once

#include "cli/app.h"
#include "controller/controller.h"

struct show;

/* `live`: stdout is a terminal, and gets the table. */
struct show *show_new(struct app *app, bool live);
/* Writes what there is, takes the table away. False: not everything could be written to stdout; stderr has why. */
bool show_free(struct show *s);

/* A line among the others. From any thread. */
void show_line(struct show *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Diagnostics, on stderr. The list is empty afterwards. */
void show_diags(struct show *s, struct diags *diags);
/* controller_listener, with the show as its context. */
void show_news(void *show, const struct controller_news *news);
