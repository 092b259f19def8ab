/*
 * provider_find() checks in this order: is it a path, is there a dev override, does a group of places have a suitable package?
 * The list of places (find_places.c) has all rules about places and their order; better() alone chooses among packages.
 */
#include "registry/find.h"

#include "registry/binary.h"
#include "registry/find_places.h"
#include "registry/find_report.h"
#include "registry/mirror_scan.h"
#include "registry/unzip.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct search {
    const struct find_context *c;
    struct arena *arena;
    struct diags *diags;
    struct provider_address address;
    const struct version_constraint *constraint;
    struct str constraint_text;
    struct search_places places;
};

/* A package and the place it was found in. */
struct choice {
    const struct provider_package *package;
    const struct search_place *place;
};

const char *provider_place_name(enum provider_place place)
{
    static const char *const names[] = {
        [PLACE_PATH] = "path",           [PLACE_DEV_OVERRIDE] = "development override",
        [PLACE_MIRROR] = "mirror",       [PLACE_PLUGIN_CACHE] = "plugin cache",
        [PLACE_INSTALLED] = "installed", [PLACE_WORKING_DIR] = "working folder",
    };
    return names[place];
}

/* Paths */

bool provider_is_path(const struct find_context *c, struct arena *a, struct str what)
{
    struct stat st;
    if (what.n > 0 && (what.p[0] == '/' || what.p[0] == '.'))
        return true;
    return str_find(what, '/', 0) != SIZE_MAX && stat(search_absolute(c, a, what).p, &st) == 0 && S_ISREG(st.st_mode);
}

static struct str folder_of(struct arena *a, struct str path)
{
    size_t n = path.n;
    while (n > 1 && path.p[n - 1] != '/')
        n--;
    return arena_str(a, str_slice(path, 0, n > 1 ? n - 1 : 1));
}

static bool find_path(const struct find_context *c, struct arena *a, struct str what, struct diags *diags,
                      struct found_provider *ret)
{
    struct found_provider found = {.place = PLACE_PATH, .path = search_absolute(c, a, what)};
    if (!provider_binary_check(found.path, diags))
        return false;
    found.where = folder_of(a, found.path);
    provider_binary_describe(a, found.path, &found.address, &found.version);
    *ret = found;
    return true;
}

/* Dev overrides */

static bool open_override(const struct find_context *c, struct arena *a, const struct dev_override *override,
                          const struct provider_address *address, struct diags *diags, struct found_provider *ret)
{
    struct found_provider found = {
        .address = *address, .version = STR_EMPTY, .place = PLACE_DEV_OVERRIDE, .where = search_absolute(c, a, override->folder)};
    struct stat st;
    bool is_file = stat(found.where.p, &st) == 0 && S_ISREG(st.st_mode);
    struct diags problems;
    diags_init(&problems, a);
    bool ok = is_file ? provider_binary_check(found.where, &problems)
                      : provider_binary_in_folder(a, found.where, address->type, &problems, &found.path);
    if (!ok)
        return diags_fail(diags, "Development override cannot be used", STR_FMT " (dev_overrides of " STR_FMT "): " STR_FMT,
                          STR_ARG(override->address), STR_ARG(override->file), STR_ARG(problems.v[0].detail));
    if (is_file) {
        found.path = found.where;
        found.where = folder_of(a, found.path);
    }
    *ret = found;
    return true;
}

/* The address of an override, which was checked when the configuration was read. */
static bool override_address(struct arena *a, const struct dev_override *override, struct diags *diags,
                             struct provider_address *ret)
{
    return provider_address_parse(a, override->address, diags, ret);
}

/* The override for this address; if there are several the last one wins, as in a map. NULL: none. */
static const struct dev_override *find_override(struct search *s)
{
    const struct cli_config *config = s->c->config;
    for (size_t i = config ? config->n_overrides : 0; i-- > 0;) {
        struct provider_address address;
        if (override_address(s->arena, &config->overrides[i], s->diags, &address) &&
            provider_address_matches(&s->address, &address))
            return &config->overrides[i];
    }
    return NULL;
}

/* Mirrors */

/* Build metadata has no precedence; comparing it makes the choice deterministic. */
static int compare(const struct provider_version *a, const struct provider_version *b)
{
    int r = provider_version_cmp(a, b);
    return r != 0 ? r : str_cmp(a->build, b->build);
}

/* Is `a` preferred to `b`, which was found earlier? */
static bool better(const struct search *s, struct choice a, struct choice b)
{
    if (!b.package)
        return true;
    int r = compare(&a.package->version, &b.package->version);
    if (r != 0 || a.place != b.place)
        return r > 0;
    /* Of the two default registries, the one that is the default for an address without host. */
    return str_eq(a.package->address.host, s->address.host) && !str_eq(b.package->address.host, s->address.host);
}

static bool fail_place(struct diags *diags, const struct search_place *place, const struct mirror_problem *problem)
{
    return diags_fail(diags, "Cannot search for providers", STR_FMT " (" STR_FMT "): " STR_FMT ": %s.", STR_ARG(place->folder),
                      STR_ARG(place->origin), STR_ARG(problem->path), strerror(problem->error));
}

static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

/* Updates the best packages, for this platform and for any platform, with the packages of a place. */
static bool search_place(struct search *s, const struct search_place *place, struct choice *best, struct choice *best_anywhere)
{
    struct provider_packages *packages = arena_make(s->arena, struct provider_packages);
    struct mirror_problem problem;
    if (!search_place_allows_wanted(place, &s->address))
        return true;
    if (!mirror_scan(s->arena, place->folder.p, &s->address, packages, &problem))
        return (!place->named && is_absence(problem.error)) || fail_place(s->diags, place, &problem);
    log_debug(s->c->log, "searched for provider", LOG_STR("folder", place->folder), LOG_INT("packages", (int64_t)packages->n));
    for (size_t i = 0; i < packages->n; i++) {
        struct choice candidate = {&packages->v[i], place};
        if (!search_place_allows(place, &candidate.package->address) ||
            !provider_version_allowed(s->constraint, &candidate.package->version))
            continue;
        if (better(s, candidate, *best_anywhere))
            *best_anywhere = candidate;
        if (str_eqz(candidate.package->platform, s->c->platform) && better(s, candidate, *best))
            *best = candidate;
    }
    return true;
}

static void warn_platform(struct search *s, struct choice best, struct choice anywhere)
{
    if (compare(&anywhere.package->version, &best.package->version) <= 0)
        return;
    struct str newer = provider_version_text(s->arena, &anywhere.package->version);
    struct str taken = provider_version_text(s->arena, &best.package->version);
    diags_warn(s->diags, "A newer provider version is not for this platform",
               STR_FMT " " STR_FMT " in " STR_FMT " is there for " STR_FMT ", not for %s; " STR_FMT " is used.",
               STR_ARG(provider_address_short(s->arena, &s->address)), STR_ARG(newer), STR_ARG(anywhere.place->folder),
               STR_ARG(anywhere.package->platform), s->c->platform, STR_ARG(taken));
}

static bool open_choice(struct search *s, struct choice chosen, struct found_provider *ret)
{
    const struct provider_package *p = chosen.package;
    struct found_provider found = {
        .address = p->address,
        .version = provider_version_text(s->arena, &p->version),
        .place = chosen.place->kind,
        .where = chosen.place->folder,
    };
    struct str folder = p->path;
    if (p->packed && !s->c->cache_folder)
        return diags_fail(s->diags, "Cannot unpack provider", STR_FMT ": there is no cache folder to unpack it into.",
                          STR_ARG(p->path));
    if (p->packed && !unzip_once(s->arena, p->path.p, s->c->cache_folder, s->diags, &folder))
        return false;
    if (!provider_binary_in_folder(s->arena, folder, p->address.type, s->diags, &found.path))
        return false;
    *ret = found;
    return true;
}

static bool find_in_places(struct search *s, struct found_provider *ret)
{
    for (size_t i = 0; i < s->places.n;) {
        struct choice best = {0}, anywhere = {0};
        unsigned rank = s->places.v[i].rank;
        for (; i < s->places.n && s->places.v[i].rank == rank; i++)
            if (!search_place(s, &s->places.v[i], &best, &anywhere))
                return false;
        if (!best.package)
            continue;
        warn_platform(s, best, anywhere);
        return open_choice(s, best, ret);
    }
    struct search_absent absent = {&s->address, s->constraint_text};
    return search_report_absent(s->c, &s->places, &absent, s->diags);
}

/* Is the provider part of Terraform itself? Then it has no binary. */
static bool is_built_in(struct str what, const struct provider_address *address)
{
    return str_eq(what, STR("terraform")) ||
           (str_eq(address->host, STR("terraform.io")) && str_eq(address->namespace, STR("builtin")));
}

static bool search_init(struct search *s, struct str what, struct str constraint)
{
    s->constraint_text = str_trim(constraint);
    s->constraint = provider_version_constraint_parse(s->arena, constraint, s->diags);
    if (!s->constraint || !provider_address_parse(s->arena, what, s->diags, &s->address))
        return false;
    if (is_built_in(what, &s->address))
        return diags_fail(s->diags, "Provider not found",
                          "The provider \"" STR_FMT "\" is built into Terraform and has no binary of its own.", STR_ARG(what));
    s->places = search_places(s->c, s->arena);
    return true;
}

bool provider_find(const struct find_context *c, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                   struct found_provider *ret)
{
    if (provider_is_path(c, a, what))
        return find_path(c, a, what, diags, ret);
    struct search s = {.c = c, .arena = a, .diags = diags};
    if (!search_init(&s, what, constraint))
        return false;
    const struct dev_override *override = find_override(&s);
    bool ok = override ? open_override(c, a, override, &s.address, diags, ret) : find_in_places(&s, ret);
    if (ok)
        log_debug(c->log, "found provider", LOG_STR("path", ret->path), LOG_Z("place", provider_place_name(ret->place)));
    return ok;
}

/* Lists */

struct listed {
    struct found_provider found;
    struct provider_version version;
    size_t order;
};

struct listing {
    struct listed *v;
    size_t n, cap;
};

static void list_add(struct arena *a, struct listing *listing, const struct found_provider *found,
                     struct provider_version version)
{
    size_t order = listing->n;
    *VEC_PUSH(a, listing) = (struct listed){*found, version, order};
}

/* Adds the errors of `from` as warnings, since listing continues. */
static void warn_of(struct diags *diags, const struct diags *from)
{
    for (size_t i = 0; i < from->n; i++) {
        struct diag copy = from->v[i];
        copy.severity = DIAG_WARNING;
        diags_add(diags, &copy);
    }
}

static void list_overrides(const struct find_context *c, struct arena *a, struct diags *diags, struct listing *listing)
{
    for (size_t i = 0; c->config && i < c->config->n_overrides; i++) {
        struct diags problems;
        diags_init(&problems, a);
        struct provider_address address;
        struct found_provider found;
        if (override_address(a, &c->config->overrides[i], &problems, &address) &&
            open_override(c, a, &c->config->overrides[i], &address, &problems, &found))
            list_add(a, listing, &found, (struct provider_version){.major = UINT64_MAX}); /* sorts before all versions */
        warn_of(diags, &problems);
    }
}

static bool list_package(const struct find_context *c, struct arena *a, const struct search_place *place,
                         const struct provider_package *p, struct diags *diags, struct found_provider *ret)
{
    if (!str_eqz(p->platform, c->platform) || !search_place_allows(place, &p->address))
        return false;
    *ret = (struct found_provider){
        .address = p->address,
        .version = provider_version_text(a, &p->version),
        .place = place->kind,
        .where = place->folder,
        .path = p->path,
        .packed = p->packed,
    };
    return p->packed || provider_binary_in_folder(a, p->path, p->address.type, diags, &ret->path);
}

static void list_place(const struct find_context *c, struct arena *a, const struct search_place *place, struct diags *diags,
                       struct listing *listing)
{
    struct provider_packages packages = {0};
    struct mirror_problem problem;
    struct diags problems;
    diags_init(&problems, a);
    bool expected = place->named || place->kind == PLACE_PLUGIN_CACHE;
    if (!mirror_scan(a, place->folder.p, NULL, &packages, &problem) && (expected || !is_absence(problem.error)))
        (void)fail_place(&problems, place, &problem);
    for (size_t i = 0; i < packages.n; i++) {
        struct found_provider found;
        if (list_package(c, a, place, &packages.v[i], &problems, &found))
            list_add(a, listing, &found, packages.v[i].version);
    }
    warn_of(diags, &problems);
}

static int listed_cmp(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    int r = provider_address_cmp(&x->found.address, &y->found.address);
    if (r == 0)
        r = compare(&y->version, &x->version);
    return r != 0 ? r : (x->order > y->order) - (x->order < y->order);
}

bool provider_find_all(const struct find_context *c, struct arena *a, struct diags *diags, struct found_providers *ret)
{
    struct listing listing = {0};
    struct search_places places = search_places(c, a);
    list_overrides(c, a, diags, &listing);
    for (size_t i = 0; i < places.n; i++)
        list_place(c, a, &places.v[i], diags, &listing);
    if (listing.n > 0)
        qsort(listing.v, listing.n, sizeof *listing.v, listed_cmp);
    *ret = (struct found_providers){0};
    for (size_t i = 0; i < listing.n; i++)
        *VEC_PUSH(a, ret) = listing.v[i].found;
    return true;
}
