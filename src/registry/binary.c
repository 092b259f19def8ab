#include "registry/binary.h"

#include "base/vec.h"
#include "registry/version.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most files in a package folder that are considered as its binary. */
enum { MAX_CANDIDATES = 256 };

/* Number of folders above a binary in the layout HOST/NAMESPACE/TYPE/VERSION/OS_ARCH. */
enum { LAYOUT_LEVELS = 5 };

#define PREFIX "terraform-provider-"

static bool is_candidate(struct str name, struct str type)
{
    struct str prefix = STR(PREFIX);
    if (!str_starts(name, prefix))
        return false;
    struct str rest = str_slice(name, prefix.n, name.n);
    if (!str_starts(rest, type))
        return false;
    return rest.n == type.n || rest.p[type.n] == '_' || rest.p[type.n] == '.';
}

static bool is_file(struct str path)
{
    struct stat st;
    return stat(path.p, &st) == 0 && S_ISREG(st.st_mode);
}

bool provider_binary_check(struct str path, struct diags *diags)
{
    static const char summary[] = "Cannot run provider";
    struct stat st;
    if (stat(path.p, &st) != 0)
        return diags_fail(diags, summary, STR_FMT ": %s.", STR_ARG(path), strerror(errno));
    if (S_ISDIR(st.st_mode))
        return diags_fail(diags, summary, STR_FMT ": expected a provider's binary, found a folder.", STR_ARG(path));
    if (!S_ISREG(st.st_mode))
        return diags_fail(diags, summary, STR_FMT ": expected a provider's binary, found something that is not a regular file.",
                          STR_ARG(path));
    if (access(path.p, X_OK) != 0)
        return diags_fail(diags, summary, STR_FMT " may not be run: %s. Make it executable: chmod +x.", STR_ARG(path),
                          strerror(errno));
    return true;
}

bool provider_binary_in_folder(struct arena *a, struct str folder, struct str type, struct diags *diags, struct str *ret_path)
{
    static const char summary[] = "Damaged provider package";
    DIR *dir = opendir(folder.p);
    if (!dir)
        return diags_fail(diags, summary, STR_FMT ": %s.", STR_ARG(folder), strerror(errno));
    VEC(struct str) paths = {0};
    for (struct dirent *e; paths.n < MAX_CANDIDATES && (e = readdir(dir));)
        if (is_candidate(str_of(e->d_name), type))
            *VEC_PUSH(a, &paths) = arena_printf(a, STR_FMT "/%s", STR_ARG(folder), e->d_name);
    (void)closedir(dir);
    if (paths.n > 0)
        qsort(paths.v, paths.n, sizeof *paths.v, str_cmp_qsort);
    for (size_t i = 0; i < paths.n; i++)
        if (is_file(paths.v[i]) && access(paths.v[i].p, X_OK) == 0) {
            *ret_path = paths.v[i];
            return true;
        }
    if (paths.n > 0)
        return provider_binary_check(paths.v[0], diags);
    return diags_fail(diags, summary, STR_FMT " contains no binary: expected a file named " PREFIX STR_FMT ".", STR_ARG(folder),
                      STR_ARG(type));
}

/* Removes the last name from the path, and returns it. */
static struct str cut_last(struct str *path)
{
    size_t at = path->n;
    while (at > 0 && path->p[at - 1] != '/')
        at--;
    struct str name = str_slice(*path, at, path->n);
    *path = str_slice(*path, 0, at > 0 ? at - 1 : 0);
    return name;
}

static bool describe_by_layout(struct arena *a, struct str path, struct provider_address *ret_address, struct str *ret_version)
{
    struct str level[LAYOUT_LEVELS + 1];
    struct provider_version version;
    for (int i = LAYOUT_LEVELS; i >= 0; i--)
        level[i] = cut_last(&path);
    /* Only a name with a dot counts as a host: many other folder names would be accepted otherwise. */
    if (str_find(level[0], '.', 0) == SIZE_MAX || !provider_version_parse(level[3], &version) ||
        !is_candidate(level[5], level[2]) || !provider_address_from_parts(a, level[0], level[1], level[2], ret_address))
        return false;
    *ret_version = provider_version_text(a, &version);
    return true;
}

/* "terraform-provider-aws_v5.100.0_x5" */
static void describe_by_name(struct arena *a, struct str name, struct provider_address *ret_address, struct str *ret_version)
{
    struct str prefix = STR(PREFIX);
    if (str_starts(name, prefix) && name.n > prefix.n)
        name = str_slice(name, prefix.n, name.n);
    struct str rest = name, type = str_cut(&rest, '_'), text = str_cut(&rest, '_');
    struct provider_version version;
    if (text.n > 0 && text.p[0] == 'v')
        text = str_slice(text, 1, text.n);
    bool has_version = provider_version_parse(text, &version);
    *ret_version = has_version ? provider_version_text(a, &version) : STR_EMPTY;
    if (!has_version || type.n == 0)
        type = name;
    *ret_address =
        (struct provider_address){.host = STR(REGISTRY_TERRAFORM), .namespace = STR("hashicorp"), .type = arena_str(a, type)};
}

void provider_binary_describe(struct arena *a, struct str path, struct provider_address *ret_address, struct str *ret_version)
{
    if (describe_by_layout(a, path, ret_address, ret_version))
        return;
    struct str folder = path;
    describe_by_name(a, cut_last(&folder), ret_address, ret_version);
}
