/* The log of `terrane up`: a file in the store's folder, for `terrane logs`. One JSON object per line. */
#pragma once

#include "cli/app.h"

#define UP_LOG_FILE "up.log"
#define UP_LOG_OLD "up.log.1"
enum { UP_LOG_MAX = 8 << 20 }; /* bytes; then it replaces the old file */

struct up_log;

/* NULL: TERRANE_LOG is set, so the log goes to stderr; or the file cannot be created. */
struct up_log *up_log_open(struct app *app, const char *folder);
void up_log_close(struct up_log *l); /* NULL is accepted */
struct log *up_log(struct up_log *l);
/* Starts a new file if this one is large. Accepts NULL. */
void up_log_bound(struct up_log *l);
