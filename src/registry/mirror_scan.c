/*
 * One function per level, which lists a folder in order of names and calls the next. The depth is fixed by the layout, so the
 * scan always ends.
 */
#include "registry/mirror_scan.h"

#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct names {
    struct str *v;
    size_t n, cap;
};

struct scan {
    struct arena *arena;
    const struct provider_address *only;
    struct provider_packages *out;
    struct mirror_problem problem;
};

static bool fail(struct scan *s, struct str path, int error)
{
    s->problem = (struct mirror_problem){error, path};
    return false;
}

static bool list(struct scan *s, struct str folder, struct names *ret)
{
    DIR *dir = opendir(folder.p);
    if (!dir)
        return fail(s, folder, errno);
    struct names names = {0};
    bool ok = true;
    errno = 0;
    for (struct dirent *e; ok && (e = readdir(dir)); errno = 0) {
        if (e->d_name[0] == '.')
            continue;
        ok = names.n < MIRROR_MAX_NAMES;
        if (ok)
            *VEC_PUSH(s->arena, &names) = arena_str(s->arena, str_of(e->d_name));
    }
    int error = ok ? errno : EOVERFLOW;
    (void)closedir(dir);
    if (error != 0)
        return fail(s, folder, error);
    if (names.n > 0)
        qsort(names.v, names.n, sizeof *names.v, str_cmp_qsort);
    *ret = names;
    return true;
}

static struct str join(struct scan *s, struct str folder, struct str name)
{
    return arena_printf(s->arena, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(name));
}

/* Is it a folder, and not a symbolic link to one? */
static bool is_real_folder(struct scan *s, struct str path)
{
    struct stat st;
    if (lstat(path.p, &st) != 0)
        return false;
    if (S_ISLNK(st.st_mode) && stat(path.p, &st) == 0 && S_ISDIR(st.st_mode)) {
        s->out->ignored_link = path;
        return false;
    }
    return S_ISDIR(st.st_mode);
}

static bool is_a(struct str path, mode_t type)
{
    struct stat st;
    return stat(path.p, &st) == 0 && (st.st_mode & S_IFMT) == type;
}

static bool add(struct scan *s, const struct provider_package *package)
{
    if (s->out->n == MIRROR_MAX_PACKAGES)
        return fail(s, package->path, EOVERFLOW);
    *VEC_PUSH(s->arena, s->out) = *package;
    return true;
}

/* "linux_amd64": two words. */
static bool is_platform(struct str name)
{
    size_t at = str_find(name, '_', 0);
    return at != SIZE_MAX && at > 0 && at + 1 < name.n && str_find(name, '_', at + 1) == SIZE_MAX;
}

static bool scan_version(struct scan *s, const struct provider_address *address, struct str folder, struct str name)
{
    struct provider_package package = {.address = *address};
    struct names names;
    if (!provider_version_parse(name, &package.version) || !is_real_folder(s, folder))
        return true;
    if (!list(s, folder, &names))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        package.platform = names.v[i];
        package.path = join(s, folder, names.v[i]);
        if (is_platform(names.v[i]) && is_a(package.path, S_IFDIR) && !add(s, &package))
            return false;
    }
    return true;
}

/* Version and platform from "terraform-provider-TYPE_VERSION_OS_ARCH.zip"; the name has been converted to lower case. */
static bool parse_zip_name(struct arena *a, struct str name, struct str type, struct provider_package *package)
{
    struct str prefix = arena_printf(a, "terraform-provider-" STR_FMT "_", STR_ARG(type)), suffix = STR(".zip");
    if (!str_starts(name, prefix) || !str_ends(name, suffix) || name.n <= prefix.n + suffix.n)
        return false;
    struct str rest = str_slice(name, prefix.n, name.n - suffix.n);
    struct str version = str_cut(&rest, '_'), os = str_cut(&rest, '_'), arch = str_cut(&rest, '_');
    if (!provider_version_parse(version, &package->version) || os.n == 0 || arch.n == 0)
        return false;
    package->platform = arena_printf(a, STR_FMT "_" STR_FMT, STR_ARG(os), STR_ARG(arch));
    return true;
}

static bool scan_zip(struct scan *s, const struct provider_address *address, struct str path, struct str name)
{
    struct provider_package package = {.address = *address, .path = path, .packed = true};
    char *lower = arena_alloc(s->arena, name.n + 1, 1);
    for (size_t i = 0; i < name.n; i++)
        lower[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] - 'A' + 'a' : name.p[i]);
    if (!parse_zip_name(s->arena, (struct str){lower, name.n}, address->type, &package) || !is_a(path, S_IFREG))
        return true;
    return add(s, &package);
}

static bool scan_type(struct scan *s, const struct provider_address *address, struct str folder)
{
    struct names names;
    if (!list(s, folder, &names))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct str path = join(s, folder, names.v[i]);
        if (!scan_version(s, address, path, names.v[i]) || !scan_zip(s, address, path, names.v[i]))
            return false;
    }
    return true;
}

/* Can these names be those of a wanted provider? Levels that are not known yet are empty. */
static bool is_wanted(struct scan *s, struct str host, struct str owner, struct str type, struct provider_address *ret)
{
    const struct provider_address *only = s->only;
    struct str any = STR("any");
    if (owner.n == 0)
        owner = only ? only->namespace : any;
    if (type.n == 0)
        type = only ? only->type : any;
    return provider_address_from_parts(s->arena, host, owner, type, ret) && (!only || provider_address_matches(only, ret));
}

static bool scan_namespace(struct scan *s, struct str host, struct str namespace, struct str folder)
{
    struct names names;
    if (!list(s, folder, &names))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct provider_address address;
        struct str path = join(s, folder, names.v[i]);
        if (is_wanted(s, host, namespace, names.v[i], &address) && is_real_folder(s, path) && !scan_type(s, &address, path))
            return false;
    }
    return true;
}

static bool scan_host(struct scan *s, struct str host, struct str folder)
{
    struct names names;
    if (!list(s, folder, &names))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct provider_address address;
        struct str path = join(s, folder, names.v[i]);
        if (is_wanted(s, host, names.v[i], STR_EMPTY, &address) && is_real_folder(s, path) &&
            !scan_namespace(s, host, names.v[i], path))
            return false;
    }
    return true;
}

static bool scan_mirror(struct scan *s, struct str folder)
{
    struct names names;
    if (!list(s, folder, &names))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        struct provider_address address;
        struct str path = join(s, folder, names.v[i]);
        if (is_wanted(s, names.v[i], STR_EMPTY, STR_EMPTY, &address) && is_real_folder(s, path) &&
            !scan_host(s, names.v[i], path))
            return false;
    }
    return true;
}

bool mirror_scan(struct arena *a, const char *folder, const struct provider_address *only, struct provider_packages *ret,
                 struct mirror_problem *ret_problem)
{
    struct scan s = {.arena = a, .only = only, .out = ret};
    if (scan_mirror(&s, arena_str(a, str_of(folder))))
        return true;
    *ret_problem = s.problem;
    return false;
}
