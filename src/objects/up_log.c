#include "objects/up_log.h"

#include "base/must.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct up_log {
    struct log *log;
    int fd;
    char *path, *old;
};

static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
}

struct up_log *up_log_open(struct app *app, const char *folder)
{
    struct str path = arena_printf(app->arena, "%s/" UP_LOG_FILE, folder),
               old = arena_printf(app->arena, "%s/" UP_LOG_OLD, folder);
    int fd = app_environment("TERRANE_LOG") ? -1 : open_file(path.p);
    if (fd < 0)
        return NULL;
    struct up_log *l = must(calloc(1, sizeof *l));
    *l = (struct up_log){.fd = fd, .path = must(strdup(path.p)), .old = must(strdup(old.p))};
    l->log = log_new(fd, LOG_INFO, LOG_JSON, &system_clock);
    log_set_foreign(l->log, LOG_FOREIGN_NOTHING);
    up_log_bound(l);
    return l;
}

void up_log_close(struct up_log *l)
{
    if (!l)
        return;
    log_free(l->log);
    (void)close(l->fd);
    free(l->path);
    free(l->old);
    free(l);
}

struct log *up_log(struct up_log *l)
{
    return l->log;
}

/* The log keeps its descriptor, which gets another file. */
void up_log_bound(struct up_log *l)
{
    struct stat st;
    if (!l || fstat(l->fd, &st) != 0 || st.st_size < UP_LOG_MAX || rename(l->path, l->old) != 0)
        return;
    int fd = open_file(l->path);
    if (fd < 0)
        return;
    (void)dup3(fd, l->fd, O_CLOEXEC);
    (void)close(fd);
}
