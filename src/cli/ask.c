#include "cli/ask.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ANSWER = 256 };

bool ask_possible(void)
{
    return isatty(STDIN_FILENO);
}

/* Reads one line, without its end; false at the end of input. A terminal delivers whole lines. */
static bool read_line(char *line, size_t size)
{
    while (file_wait(STDIN_FILENO)) {
        ssize_t n = read(STDIN_FILENO, line, size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        line[n] = '\0';
        line[strcspn(line, "\r\n")] = '\0';
        return true;
    }
    return false;
}

enum answer ask_yes(struct app *app, const char *question)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    buf_printf(&text, "%s\n  Enter a value: ", question);
    if (!app_print(app, buf_str(&text)))
        return ANSWER_NO;
    char line[MAX_ANSWER];
    bool answered = read_line(line, sizeof line);
    (void)app_print(app, STR("\n"));
    if (cancel_fired(app->cancel))
        return ANSWER_INTERRUPTED;
    return answered && strcmp(line, "yes") == 0 ? ANSWER_YES : ANSWER_NO;
}
