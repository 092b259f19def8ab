#include "plugin/sockets.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket's path can have 107 bytes; providers append something like "/plugin4294967295" to the folder. */
enum { LONGEST_NAME = 20, LONGEST_FOLDER = sizeof((struct sockaddr_un *)0)->sun_path - 1 - LONGEST_NAME };

#define PREFIX "terrane-"
enum { LONGEST_PARENT = LONGEST_FOLDER - (sizeof("/" PREFIX "XXXXXX") - 1) };

bool socket_folder_make(struct arena *a, struct diags *diags, struct temporary *ret)
{
    const char *parent = temporary_parent(LONGEST_PARENT);
    return temporary_make(a, parent, PREFIX, ret) ||
           diags_fail(diags, "No folder for the provider's socket",
                      "cannot create a folder in %s: %s. Set TMPDIR to a folder in which you may write.", parent,
                      strerror(errno));
}

void socket_remove_stray(struct str path)
{
    char copy[sizeof((struct sockaddr_un *)0)->sun_path];
    if (path.n == 0 || path.n >= sizeof copy || memchr(path.p, '\0', path.n))
        return;
    memcpy(copy, path.p, path.n);
    copy[path.n] = '\0';
    char *slash = strrchr(copy, '/');
    if (!slash || slash == copy)
        return;
    *slash = '\0';
    if (strcmp(copy, temporary_parent(LONGEST_PARENT)) != 0 && strcmp(copy, "/tmp") != 0)
        return;
    *slash = '/';
    struct stat st;
    if (lstat(copy, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
        (void)unlink(copy);
}
