#include "install/install.h"

#include "base/file.h"
#include "base/vec.h"
#include "install/package_hash.h"
#include "output/temporary.h"
#include "registry/binary.h"
#include "registry/content_key.h"
#include "registry/find_places.h"
#include "registry/mirror_scan.h"
#include "registry/unzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_REPORT = 16 << 10, MAX_NAMED_VERSIONS = 8, COPY_BYTES = 1 << 20 };

struct run {
    const struct install_context *c;
    struct arena *arena;
    struct diags *diags;
    const struct install_wanted *wanted;
    struct provider_address address;
    struct str address_text;
    const struct version_constraint *constraint;
    const struct lock_entry *locked; /* NULL: not locked, or to be upgraded */
    struct origin_context origin_context;
    VEC(struct origin) sources;
    struct str folder; /* where packages are installed */
};

/* Sources */

static void add_origin(struct run *r, struct origin source)
{
    *VEC_PUSH(r->arena, &r->sources) = source;
}

static void add_folder(struct run *r, const struct search_place *place)
{
    add_origin(
        r, (struct origin){
               .kind = METHOD_FOLDER, .place = place->folder, .name = place->folder, .rule = place->rule, .named = place->named});
}

static bool add_method(struct run *r, const struct install_method *method)
{
    struct origin s = {.kind = method->kind, .place = method->path, .name = method->path, .rule = method, .named = true};
    if (method->kind == METHOD_FOLDER)
        s.place = s.name = search_absolute(&r->c->find, r->arena, method->path);
    if (method->kind == METHOD_NETWORK)
        s.name = fetch_shown(r->arena, method->path);
    if (method->kind == METHOD_DIRECT)
        s.name = arena_printf(r->arena, "the registry " STR_FMT, STR_ARG(r->address.host));
    if (method->kind == METHOD_NETWORK && !str_starts(method->path, STR("https://")))
        return diags_fail(r->diags, "Invalid CLI configuration",
                          STR_FMT ": \"" STR_FMT "\" is not an https URL, which a network_mirror must have.",
                          STR_ARG(method->file), STR_ARG(s.name));
    add_origin(r, s);
    return true;
}

/* Does one of the folders have a version of the provider, for any platform? */
static bool folders_have_it(struct run *r)
{
    for (size_t i = 0; i < r->sources.n; i++) {
        struct provider_packages packages = {0};
        struct mirror_problem problem;
        if (mirror_scan(r->arena, r->sources.v[i].place.p, &r->address, &packages, &problem) && packages.n > 0)
            return true;
    }
    return false;
}

static bool find_origins(struct run *r)
{
    const struct find_context *find = &r->c->find;
    struct search_places places = search_places(find, r->arena);
    bool stated = find->config && find->config->has_installation;
    for (size_t i = 0; i < places.n; i++) {
        bool ours = places.v[i].kind == PLACE_MIRROR && find->mirror && str_eq(places.v[i].origin, STR("TERRANE_MIRROR"));
        if (places.v[i].kind == PLACE_MIRROR && (ours || !stated))
            add_folder(r, &places.v[i]);
    }
    for (size_t i = 0; stated && i < find->config->n_methods; i++)
        if (!add_method(r, &find->config->methods[i]))
            return false;
    if (!stated && !folders_have_it(r))
        add_origin(r, (struct origin){.kind = METHOD_DIRECT,
                                      .place = STR_EMPTY,
                                      .name = arena_printf(r->arena, "the registry " STR_FMT, STR_ARG(r->address.host))});
    return true;
}

/* Choosing the version */

static int newest_first(const void *a, const void *b)
{
    const struct origin_version *x = a, *y = b;
    return provider_version_cmp(&y->version, &x->version);
}

static void write_found(struct run *r, const struct origin *s, const struct origin_versions *all, struct buf *out)
{
    size_t n = 0;
    buf_printf(out, "  - " STR_FMT ": ", STR_ARG(s->name));
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].from == s && ++n <= MAX_NAMED_VERSIONS)
            buf_printf(out, "%s" STR_FMT, n > 1 ? ", " : "has ", STR_ARG(all->v[i].text));
    if (n > MAX_NAMED_VERSIONS)
        buf_printf(out, " and %zu more", n - MAX_NAMED_VERSIONS);
    if (n == 0)
        buf_addz(out,
                 origin_allows(s, &r->address) ? "has no version of it" : "excluded for this provider by include or exclude");
    buf_addc(out, '\n');
}

static bool report_no_version(struct run *r, struct origin_versions *all)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_REPORT);
    struct str constraint = str_trim(r->wanted->constraint);
    buf_printf(&out, "There is no version of " STR_FMT, STR_ARG(r->address_text));
    if (constraint.n > 0)
        buf_printf(&out, " that \"" STR_FMT "\" allows", STR_ARG(constraint));
    buf_addz(&out, r->sources.n > 0 ? ". Asked:\n" : ": the CLI configuration names no place to install from.\n");
    if (all->v)
        qsort(all->v, all->n, sizeof *all->v, newest_first);
    for (size_t i = 0; i < r->sources.n; i++)
        if (r->sources.v[i].named || r->sources.v[i].kind == METHOD_DIRECT) /* most implied folders do not exist */
            write_found(r, &r->sources.v[i], all, &out);
    return diags_fail(r->diags, "Provider not found", STR_FMT, STR_ARG(buf_str(&out)));
}

static bool report_protocol(struct run *r, const struct origin_version *best, const struct origin_versions *all)
{
    const struct origin_version *other = NULL;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].speaks && provider_version_allowed(r->constraint, &all->v[i].version) &&
            (!other || provider_version_cmp(&all->v[i].version, &other->version) > 0))
            other = &all->v[i];
    struct str advice = other ? arena_printf(r->arena, " The newest version that does is " STR_FMT ": ask for it by its version.",
                                             STR_ARG(other->text))
                              : STR_EMPTY;
    return diags_fail(r->diags, "Provider protocol not supported",
                      STR_FMT " " STR_FMT " supports protocols " STR_FMT "; Terrane supports 5 and 6." STR_FMT,
                      STR_ARG(r->address_text), STR_ARG(best->text), STR_ARG(best->protocols), STR_ARG(advice));
}

static bool choose_newest(struct run *r, struct origin_version *ret)
{
    struct origin_versions all = {0};
    const struct origin_version *best = NULL;
    for (size_t i = 0; i < r->sources.n; i++)
        if (!origin_list(&r->origin_context, &r->sources.v[i], &r->address, &all))
            return false;
    for (size_t i = 0; i < all.n; i++)
        if (provider_version_allowed(r->constraint, &all.v[i].version) &&
            (!best || provider_version_cmp(&all.v[i].version, &best->version) > 0))
            best = &all.v[i];
    if (!best)
        return report_no_version(r, &all);
    if (!best->speaks)
        return report_protocol(r, best, &all);
    *ret = *best;
    return true;
}

static struct origin_version version_of(struct str text)
{
    struct origin_version v = {.text = text, .protocols = STR_EMPTY, .speaks = true};
    (void)provider_version_parse(text, &v.version);
    return v;
}

/* The newest allowed version among the installed ones; false: none. */
static bool choose_installed(struct run *r, struct origin_version *ret)
{
    struct provider_packages packages = {0};
    struct mirror_problem problem;
    const struct provider_package *best = NULL;
    if (r->folder.n == 0 || !mirror_scan(r->arena, r->folder.p, &r->address, &packages, &problem))
        return false;
    for (size_t i = 0; i < packages.n; i++) {
        const struct provider_package *p = &packages.v[i];
        if (!p->packed && str_eq(p->platform, r->wanted->platform) && provider_version_allowed(r->constraint, &p->version) &&
            (!best || provider_version_cmp(&p->version, &best->version) > 0))
            best = p;
    }
    if (best)
        *ret = version_of(provider_version_text(r->arena, &best->version));
    return best != NULL;
}

static bool choose_version(struct run *r, struct origin_version *ret)
{
    if (r->locked) {
        *ret = version_of(r->locked->version);
        return provider_version_allowed(r->constraint, &ret->version) ||
               diags_fail(r->diags, "The lock file forbids this version",
                          STR_FMT " is locked at " STR_FMT ", which \"" STR_FMT "\" does not allow. --upgrade chooses again.",
                          STR_ARG(r->address_text), STR_ARG(r->locked->version), STR_ARG(r->wanted->constraint));
    }
    return (!r->wanted->upgrade && choose_installed(r, ret)) || choose_newest(r, ret);
}

/* Checking the package */

static bool has(const struct str *list, size_t n, struct str text)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i], text))
            return true;
    return false;
}

/* One of the hashes that the source has must be ours, as for Terraform: a source that lists only others vouches for nothing. */
static bool hashes_fit(struct run *r, const struct origin_package *p, struct str h1, struct str zh)
{
    if (p->n_hashes == 0 || has(p->hashes, p->n_hashes, h1) || (zh.n > 0 && has(p->hashes, p->n_hashes, zh)))
        return true;
    return diags_fail(r->diags, "Package does not match its hash",
                      STR_FMT ": its hash is " STR_FMT
                              ", which is not one of those that its source lists. Nothing was installed.",
                      STR_ARG(fetch_shown(r->arena, p->place)), STR_ARG(h1));
}

static bool lock_fits(struct run *r, struct str h1, struct str zh, struct str place)
{
    const struct lock_entry *l = r->locked;
    if (!l || l->n_hashes == 0 || has(l->hashes, l->n_hashes, h1) || (zh.n > 0 && has(l->hashes, l->n_hashes, zh)))
        return true;
    return diags_fail(r->diags, "The lock file forbids this package",
                      STR_FMT ": its hash " STR_FMT " is not one of the %zu that the lock file has for " STR_FMT " " STR_FMT
                              ". It is a different package, or for a platform that is not locked.",
                      STR_ARG(fetch_shown(r->arena, place)), STR_ARG(h1), l->n_hashes, STR_ARG(r->address_text),
                      STR_ARG(l->version));
}

/* Putting it into its folder */

static bool copy_file(const char *from, const char *to)
{
    struct stat st;
    bool ok = false;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    if (in >= 0 && fstat(in, &st) == 0)
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, st.st_mode & 0111 ? 0755 : 0644);
    if (out >= 0) {
        ssize_t n;
        while ((n = copy_file_range(in, NULL, out, NULL, COPY_BYTES, 0)) > 0)
            ;
        if (n < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
            char block[16 << 10];
            while ((n = read(in, block, sizeof block)) > 0 && file_put(out, (struct str){block, (size_t)n}))
                ;
        }
        ok = n == 0 && fsync(out) == 0;
    }
    int reason = errno;
    if (in >= 0)
        (void)close(in);
    if (out >= 0)
        (void)close(out);
    errno = reason;
    return ok;
}

static bool copy_package(struct run *r, const char *from, const char *to)
{
    const struct str *names;
    size_t n;
    if (!package_files(r->arena, from, r->diags, &names, &n))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct str target = arena_printf(r->arena, "%s/" STR_FMT, to, STR_ARG(names[i]));
        struct str source = arena_printf(r->arena, "%s/" STR_FMT, from, STR_ARG(names[i]));
        struct str parent = target;
        while (parent.n > 0 && parent.p[parent.n - 1] != '/')
            parent.n--;
        if (!file_make_folder(arena_str(r->arena, parent).p, 0755, r->diags))
            return false;
        if (!copy_file(source.p, target.p))
            return diags_fail(r->diags, "Cannot install a provider", STR_FMT ": %s.", STR_ARG(target), strerror(errno));
    }
    return true;
}

static struct str package_folder(struct run *r, const struct origin_version *v)
{
    return arena_printf(r->arena, STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(r->folder), STR_ARG(r->address_text),
                        STR_ARG(provider_version_text(r->arena, &v->version)), STR_ARG(r->wanted->platform));
}

/*
 * Checks the package in its temporary folder, and renames that. If another process was faster, it must have installed the same
 * package.
 */
static bool put_in_place(struct run *r, const struct origin_package *p, struct str temporary, struct str zh, struct str place,
                         struct str *ret_hash)
{
    struct str binary, there;
    if (!provider_binary_in_folder(r->arena, temporary, r->address.type, r->diags, &binary) ||
        !package_hash_folder(r->arena, temporary.p, r->diags, ret_hash) || !hashes_fit(r, p, *ret_hash, zh) ||
        !lock_fits(r, *ret_hash, zh, p->place))
        return false;
    struct str parent = str_slice(place, 0, place.n - r->wanted->platform.n - 1);
    if (!file_make_folder(arena_str(r->arena, parent).p, 0755, r->diags))
        return false;
    if (chmod(temporary.p, 0755) == 0 && rename(temporary.p, place.p) == 0)
        return true;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
        return diags_fail(r->diags, "Cannot install a provider", STR_FMT ": %s.", STR_ARG(place), strerror(errno));
    if (!package_hash_folder(r->arena, place.p, r->diags, &there))
        return false;
    return str_eq(there, *ret_hash) ||
           diags_fail(r->diags, "A different package is installed already",
                      STR_FMT " has the hash " STR_FMT ", and " STR_FMT " has " STR_FMT
                              ". Remove the folder to have it installed again.",
                      STR_ARG(place), STR_ARG(there), STR_ARG(fetch_shown(r->arena, p->place)), STR_ARG(*ret_hash));
}

/* `zip` NULL: the package is a folder. */
static bool unpack(struct run *r, const struct origin_package *p, const char *zip, struct str zh, struct str place,
                   struct str *ret_hash)
{
    if (!file_make_folder(r->folder.p, 0755, r->diags))
        return false;
    struct temporary temporary; /* if this run is killed, the next one removes the folder */
    if (!temporary_make(r->arena, r->folder.p, ".tmp.", &temporary))
        return diags_fail(r->diags, "Cannot install a provider", STR_FMT ": %s.", STR_ARG(r->folder), strerror(errno));
    struct str package = arena_printf(r->arena, "%s/package", temporary.path);
    bool ok = file_make_folder(package.p, 0700, r->diags);
    ok = ok && (zip ? unzip_into(zip, package.p, r->diags) : copy_package(r, p->place.p, package.p));
    ok = ok && put_in_place(r, p, package, zh, place, ret_hash);
    unzip_remove(package.p); /* not limited in depth */
    temporary_remove(&temporary);
    return ok;
}

static struct str downloads_folder(struct run *r)
{
    if (r->c->find.cache_folder)
        return arena_printf(r->arena, "%s/downloads", r->c->find.cache_folder);
    return arena_printf(r->arena, STR_FMT "/.downloads", STR_ARG(r->folder));
}

static bool install_url(struct run *r, const struct origin_package *p, struct str place, struct str *ret_hash)
{
    struct str name = p->sha256.n > 0 ? p->sha256 : content_key_of_path(r->arena, p->place.p);
    struct fetch_file wanted = {
        .url = p->place, .token = p->token, .sha256 = p->sha256, .key = name, .folder = downloads_folder(r).p};
    struct fetched_file file;
    const char *what = arena_printf(r->arena, STR_FMT " for " STR_FMT, STR_ARG(r->address_text), STR_ARG(r->wanted->platform)).p;
    if (!fetch_file(&r->c->fetcher, r->arena, &wanted, what, r->diags, &file))
        return false;
    struct str zh = arena_printf(r->arena, "zh:" STR_FMT, STR_ARG(file.sha256));
    bool ok = unpack(r, p, file.path.p, zh, place, ret_hash);
    fetched_file_remove(&file);
    return ok;
}

/* Installs a package from a local mirror, by copying or unpacking it. */
static bool install_local(struct run *r, const struct origin_package *p, struct str place, struct str *ret_hash)
{
    struct str zh = STR_EMPTY;
    const char *zip = p->kind == PACKAGE_ZIP ? p->place.p : NULL;
    return (!zip || package_hash_zip(r->arena, zip, r->diags, &zh)) && unpack(r, p, zip, zh, place, ret_hash);
}

/* Checks a package in a local mirror, which is used from there since it is found there anyway. */
static bool use_in_place(struct run *r, const struct origin_package *p, struct str *ret_folder, struct str *ret_hash)
{
    struct str zh = STR_EMPTY, folder = p->place, binary;
    if (p->kind == PACKAGE_ZIP && !r->c->find.cache_folder)
        return diags_fail(r->diags, "Cannot unpack provider", STR_FMT ": there is no cache folder to unpack it into.",
                          STR_ARG(p->place));
    if (p->kind == PACKAGE_ZIP && (!package_hash_zip(r->arena, p->place.p, r->diags, &zh) ||
                                   !unzip_once(r->arena, p->place.p, r->c->find.cache_folder, r->diags, &folder)))
        return false;
    *ret_folder = p->place;
    return provider_binary_in_folder(r->arena, folder, r->address.type, r->diags, &binary) &&
           package_hash_folder(r->arena, folder.p, r->diags, ret_hash) && lock_fits(r, *ret_hash, zh, p->place);
}

/* The sequence */

static bool find_package(struct run *r, const struct origin_version *v, const struct origin **ret_from,
                         struct origin_package *ret)
{
    for (size_t i = 0; i < r->sources.n; i++) {
        bool found = false;
        const struct origin *s = &r->sources.v[i];
        if (s->kind == METHOD_OCI || !origin_allows(s, &r->address))
            continue;
        if (!origin_package(&r->origin_context, s, &r->address, v, r->wanted->platform, &found, ret))
            return false;
        if (found) {
            *ret_from = s;
            return true;
        }
    }
    return diags_fail(r->diags, "No package for this platform",
                      STR_FMT " " STR_FMT " is not available for " STR_FMT ". Other versions or platforms may be.",
                      STR_ARG(r->address_text), STR_ARG(v->text), STR_ARG(r->wanted->platform));
}

static void lock(struct run *r, const struct origin_package *p, const struct installed *done)
{
    struct lock_file *file = r->wanted->lock;
    if (!file)
        return;
    const struct lock_entry *old = lock_file_find(file, r->address_text);
    bool same = old && str_eq(old->version, done->version);
    struct lock_entry entry = {.address = r->address_text, .version = done->version};
    entry.constraints = provider_version_constraint_text(r->arena, r->constraint);
    if (entry.constraints.n == 0 && same)
        entry.constraints = old->constraints;
    bool news = !same || !has(old->hashes, old->n_hashes, done->hash);
    for (size_t i = 0; i < p->n_signed && !news; i++)
        news = !has(old->hashes, old->n_hashes, p->signed_zh[i]);
    if (!news) /* constraints alone are no reason to write: terraform init leaves the file as it is, too */
        return;
    size_t n = 0, n_old = same ? old->n_hashes : 0;
    struct str *hashes = arena_make_n(r->arena, struct str, n_old + p->n_signed + 1);
    for (size_t i = 0; i < n_old; i++)
        hashes[n++] = old->hashes[i];
    for (size_t i = 0; i < p->n_signed; i++)
        hashes[n++] = p->signed_zh[i];
    hashes[n++] = done->hash;
    entry.hashes = hashes;
    entry.n_hashes = n;
    lock_file_put(r->arena, file, &entry);
}

/* Is it installed already, with a hash that the lock file has? */
static bool is_installed(struct run *r, struct str place, struct str *ret_hash)
{
    struct diags ignored;
    diags_init(&ignored, r->arena);
    struct str binary;
    const struct lock_entry *l = r->locked;
    return r->folder.n > 0 && file_exists(place.p) &&
           provider_binary_in_folder(r->arena, place, r->address.type, &ignored, &binary) &&
           package_hash_folder(r->arena, place.p, &ignored, ret_hash) &&
           (!l || l->n_hashes == 0 || has(l->hashes, l->n_hashes, *ret_hash));
}

static bool install(struct run *r, struct installed *ret)
{
    struct origin_version version = {.text = STR_EMPTY};
    struct origin_package package = {.key = STR_EMPTY};
    const struct origin *from = NULL;
    if (!find_origins(r) || !choose_version(r, &version))
        return false;
    struct installed done = {.address = r->address,
                             .version = provider_version_text(r->arena, &version.version),
                             .platform = r->wanted->platform,
                             .from = STR_EMPTY,
                             .key = STR_EMPTY};
    done.folder = package_folder(r, &version);
    /* If the lock file does not have the provider yet, the signed hashes are needed too. */
    bool known = !r->wanted->lock || r->locked;
    if (!known || !is_installed(r, done.folder, &done.hash)) {
        if (!find_package(r, &version, &from, &package) || !from)
            return false;
        bool stays = package.kind != PACKAGE_URL && !r->wanted->folder;
        if (!stays && r->folder.n == 0)
            return diags_fail(r->diags, "No folder to install to", "HOME is not set. Name a folder: --dir DIR.");
        if (stays                         ? !use_in_place(r, &package, &done.folder, &done.hash)
            : package.kind == PACKAGE_URL ? !install_url(r, &package, done.folder, &done.hash)
                                          : !install_local(r, &package, done.folder, &done.hash))
            return false;
        done.from = from->name;
        done.key = package.key;
    }
    lock(r, &package, &done);
    *ret = done;
    return true;
}

static bool check_platform(struct run *r)
{
    struct str arch = r->wanted->platform, os = str_cut(&arch, '_');
    bool ok = os.n > 0 && arch.n > 0;
    for (size_t i = 0; ok && i < r->wanted->platform.n; i++) {
        char ch = r->wanted->platform.p[i];
        ok = (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '_';
    }
    return ok || diags_fail(r->diags, "Invalid platform", "\"" STR_FMT "\" is not of the form OS_ARCH, as linux_amd64.",
                            STR_ARG(r->wanted->platform));
}

bool provider_install(const struct install_context *c, struct arena *a, const struct install_wanted *wanted, struct diags *diags,
                      struct installed *ret)
{
    struct run r = {.c = c, .arena = a, .diags = diags, .wanted = wanted};
    r.origin_context = (struct origin_context){a, &c->fetcher, &c->credentials, &c->find, diags};
    r.constraint = provider_version_constraint_parse(a, wanted->constraint, diags);
    if (!r.constraint || !provider_address_parse(a, wanted->provider, diags, &r.address) || !check_platform(&r))
        return false;
    r.address.host_given = true; /* only packages of this host count as installed, not those of the other default one */
    r.address_text = provider_address_text(a, &r.address);
    r.locked = wanted->lock && !wanted->upgrade ? lock_file_find(wanted->lock, r.address_text) : NULL;
    r.folder = search_plugin_cache(&c->find, a);
    if (wanted->folder)
        r.folder = search_absolute(&c->find, a, str_of(wanted->folder));
    else if (r.folder.n == 0 && c->find.installed)
        r.folder = search_absolute(&c->find, a, str_of(c->find.installed));
    return install(&r, ret);
}
