/* A question at the terminal, which only "yes" answers with yes. */
#pragma once

#include "cli/app.h"

enum answer { ANSWER_YES, ANSWER_NO, ANSWER_INTERRUPTED };

/* Is stdin a terminal? */
bool ask_possible(void);
/* Writes `question` and a line feed to stdout, and reads the answer. Ctrl-C and the end of input do not count as "yes". */
enum answer ask_yes(struct app *app, const char *question);
