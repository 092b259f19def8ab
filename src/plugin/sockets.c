#include "plugin/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket's path has room for 107 bytes; what providers put behind the folder is about "/plugin4294967295". */
enum { LONGEST_NAME = 20, LONGEST_FOLDER = sizeof((struct sockaddr_un *)0)->sun_path - 1 - LONGEST_NAME };

#define TEMPLATE "terrane-XXXXXX"

static const char *temporary_folder(void)
{
    const char *path = getenv("TMPDIR");
    return path && path[0] == '/' && strlen(path) + sizeof("/" TEMPLATE) - 1 <= LONGEST_FOLDER ? path : "/tmp";
}

const char *socket_folder_make(struct arena *a, struct diags *diags)
{
    const char *parent = temporary_folder();
    char *path = (char *)arena_printf(a, "%s/" TEMPLATE, parent).p;
    if (mkdtemp(path))
        return path;
    (void)diags_fail(diags, "No folder for the provider's socket",
                     "cannot create a folder in %s: %s. Set TMPDIR to a folder in "
                     "which you may write.",
                     parent, strerror(errno));
    return NULL;
}

void socket_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    if (folder) {
        for (struct dirent *e; (e = readdir(folder));)
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
                (void)unlinkat(dirfd(folder), e->d_name, 0);
        (void)closedir(folder);
    }
    (void)rmdir(path);
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
    if (strcmp(copy, temporary_folder()) != 0 && strcmp(copy, "/tmp") != 0)
        return;
    *slash = '/';
    struct stat st;
    if (lstat(copy, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
        (void)unlink(copy);
}
