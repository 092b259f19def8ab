/* A question at the terminal that only "yes" answers. */
#pragma once

#include "cli/app.h"

enum answer { ANSWER_YES, ANSWER_NO, ANSWER_INTERRUPTED };

/* Is there somebody to ask? */
bool ask_possible(void);
/* `question` is written to stdout, with a line feed at its end. Ctrl-C and the end of input are no "yes". */
enum answer ask_yes(struct app *app, const char *question);
