#include "links/pages.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_page(struct str name)
{
    return str_ends(name, STR(".md")) || str_ends(name, STR(".markdown"));
}

static const char *resource_folder(struct arena *a, const char *folder)
{
    static const char *const usual[] = {"docs/resources", "website/docs/r", "resources", "r"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        const char *path = arena_printf(a, "%s/%s", folder, usual[i]).p;
        if (is_folder(path))
            return path;
    }
    return folder;
}

static void close_folder(DIR **dir)
{
    if (*dir)
        (void)closedir(*dir);
}

/* Does not follow symbolic links to folders: they may form cycles. */
static bool add_folder(struct arena *a, const char *folder, unsigned depth, struct diags *diags, struct link_pages *pages)
{
    DIR *dir __attribute__((cleanup(close_folder))) = opendir(folder);
    if (!dir)
        return diags_fail(diags, "Cannot read folder", "%s: %s.", folder, strerror(errno));
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        const char *path = arena_printf(a, "%s/%s", folder, e->d_name).p;
        if (e->d_name[0] == '.' || lstat(path, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            if (depth < PAGES_MAX_DEPTH && !add_folder(a, path, depth + 1, diags, pages))
                return false;
        } else if (is_page(str_of(e->d_name))) {
            if (pages->n == PAGES_MAX)
                return diags_fail(diags, "Too many pages", "%s has more than %d pages.", folder, (int)PAGES_MAX);
            *VEC_PUSH(a, pages) = path;
        }
    }
    return true;
}

static int by_path(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

bool link_pages_find(struct arena *a, const char *folder, struct diags *diags, struct link_pages *ret)
{
    struct link_pages pages = {0};
    const char *from = resource_folder(a, folder);
    if (!add_folder(a, from, 0, diags, &pages))
        return false;
    if (pages.n == 0)
        return diags_fail(diags, "No documentation", "%s has no pages: files that end in .md or .markdown.", from);
    qsort(pages.v, pages.n, sizeof *pages.v, by_path);
    *ret = pages;
    return true;
}
