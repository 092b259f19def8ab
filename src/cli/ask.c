#include "cli/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { MAX_ANSWER = 256 };

bool ask_possible(void)
{
    return isatty(STDIN_FILENO);
}

static void wake(void *arg)
{
    const int *fd = arg;
    (void)!write(*fd, "", 1);
}

/* One line, without its end; false when there is none. A terminal gives whole lines. */
static bool read_line(int wake_fd, char *line, size_t size)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno == EINTR)
            continue;
        if (fds[1].revents)
            return false;
        ssize_t n = read(STDIN_FILENO, line, size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        line[n] = '\0';
        line[strcspn(line, "\r\n")] = '\0';
        return true;
    }
}

enum answer ask_yes(struct app *app, const char *question)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    buf_printf(&text, "%s\n  Enter a value: ", question);
    int ends[2];
    if (!app_print(app, buf_str(&text)) || pipe2(ends, O_CLOEXEC) != 0)
        return ANSWER_NO;
    struct cancel_watch watch = {.fn = wake, .arg = &ends[1]};
    cancel_watch(app->cancel, &watch);
    char line[MAX_ANSWER];
    bool answered = read_line(ends[0], line, sizeof line);
    cancel_unwatch(app->cancel, &watch);
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)app_print(app, STR("\n"));
    if (cancel_fired(app->cancel))
        return ANSWER_INTERRUPTED;
    return answered && strcmp(line, "yes") == 0 ? ANSWER_YES : ANSWER_NO;
}
