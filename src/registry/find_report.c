/*
 * Used only if nothing was found: every place is searched again, for everything in it. The report has one line per place, in
 * search order, then providers with similar names.
 */
#include "registry/find_report.h"

#include "base/buf.h"
#include "registry/mirror_scan.h"

#include <errno.h>
#include <stdlib.h>

enum {
    MAX_REPORT = 64 << 10,
    MAX_VERSIONS = 6, /* versions in one line */
    MAX_SIMILAR = 5,
    MAX_TYPO = 2, /* changed letters */
};

struct report {
    const struct find_context *c;
    const struct search_absent *wanted;
    struct arena *scratch;
    struct buf *out;
    struct provider_address similar[MAX_SIMILAR];
    struct str similar_at[MAX_SIMILAR];
    size_t n_similar;
};

static bool is_similar(struct str a, struct str b)
{
    /* In a name of three letters, two changes make a different name. */
    size_t allowed = a.n < 4 || b.n < 4 ? 1 : MAX_TYPO;
    return str_distance(a, b) <= allowed || (a.n >= 3 && str_starts(b, a)) || (b.n >= 3 && str_starts(a, b));
}

static void note_similar(struct report *r, const struct provider_address *address, struct str folder)
{
    if (r->n_similar == MAX_SIMILAR || !is_similar(r->wanted->address->type, address->type))
        return;
    for (size_t i = 0; i < r->n_similar; i++)
        if (provider_address_cmp(&r->similar[i], address) == 0)
            return;
    r->similar[r->n_similar] = *address;
    r->similar_at[r->n_similar++] = folder;
}

static int newest_first(const void *a, const void *b)
{
    const struct provider_package *x = a, *y = b;
    return provider_version_cmp(&y->version, &x->version);
}

/* "5.100.0, 5.99.0 and 12 more" of the packages for this platform (`here`), or for other ones. */
static size_t write_versions(struct report *r, const struct provider_packages *packages, bool here, struct buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < packages->n; i++) {
        const struct provider_package *p = &packages->v[i];
        if (str_eqz(p->platform, r->c->platform) != here)
            continue;
        if (n++ >= MAX_VERSIONS)
            continue;
        struct str version = provider_version_text(r->scratch, &p->version);
        buf_printf(out, "%s" STR_FMT, n > 1 ? ", " : "", STR_ARG(version));
        if (!here)
            buf_printf(out, " for " STR_FMT, STR_ARG(p->platform));
    }
    if (n > MAX_VERSIONS)
        buf_printf(out, " and %zu more", n - MAX_VERSIONS);
    return n;
}

static void write_misses(struct report *r, const struct provider_packages *packages)
{
    struct buf here BUF_AUTO = BUF_INIT(MAX_REPORT), elsewhere BUF_AUTO = BUF_INIT(MAX_REPORT);
    size_t n_here = write_versions(r, packages, true, &here), n_elsewhere = write_versions(r, packages, false, &elsewhere);
    if (n_here > 0) {
        buf_addz(r->out, "has ");
        buf_add(r->out, buf_str(&here));
        if (r->wanted->constraint_text.n > 0)
            buf_printf(r->out, ", which \"" STR_FMT "\" does not allow", STR_ARG(r->wanted->constraint_text));
        else
            buf_addz(r->out, ", a pre-release or 0.0.0: ask for it by its version");
    }
    if (n_elsewhere > 0) {
        buf_printf(r->out, "%shas ", n_here > 0 ? "; " : "");
        buf_add(r->out, buf_str(&elsewhere));
        buf_printf(r->out, ", not for %s", r->c->platform);
    }
}

/* Writes what a place contains. */
static void write_content(struct report *r, const struct search_place *place, const struct provider_packages *all)
{
    struct provider_packages same = {0};
    for (size_t i = 0; i < all->n; i++) {
        if (!provider_address_matches(r->wanted->address, &all->v[i].address))
            note_similar(r, &all->v[i].address, place->folder);
        else if (search_place_allows(place, &all->v[i].address))
            *VEC_PUSH(r->scratch, &same) = all->v[i];
    }
    if (same.n > 0) {
        qsort(same.v, same.n, sizeof *same.v, newest_first);
        write_misses(r, &same);
    } else {
        buf_addz(r->out, all->n > 0 ? "has other providers only" : "holds no provider");
    }
    if (all->ignored_link.n > 0)
        buf_printf(r->out, " (" STR_FMT " is a symbolic link, which is not followed there)", STR_ARG(all->ignored_link));
}

static void write_place(struct report *r, const struct search_place *place)
{
    struct provider_packages all = {0};
    struct mirror_problem problem;
    buf_printf(r->out, "  - " STR_FMT " (" STR_FMT "): ", STR_ARG(place->folder), STR_ARG(place->origin));
    if (!search_place_allows_wanted(place, r->wanted->address))
        buf_addz(r->out, "excluded for this provider by include or exclude");
    else if (mirror_scan(r->scratch, place->folder.p, NULL, &all, &problem))
        write_content(r, place, &all);
    else if (problem.error == ENOENT)
        buf_addz(r->out, "does not exist");
    else
        buf_printf(r->out, STR_FMT ": %s", STR_ARG(problem.path), strerror(problem.error));
    buf_addc(r->out, '\n');
}

static void write_similar(struct report *r)
{
    if (r->n_similar == 0)
        return;
    buf_addz(r->out, "\nSimilar names that are there:\n");
    for (size_t i = 0; i < r->n_similar; i++)
        buf_printf(r->out, "  - " STR_FMT " in " STR_FMT "\n", STR_ARG(provider_address_text(r->scratch, &r->similar[i])),
                   STR_ARG(r->similar_at[i]));
}

static void write_advice(struct report *r)
{
    const struct cli_config *config = r->c->config;
    bool downloads = !config || !config->has_installation || config->has_downloads;
    struct str name = provider_address_short(r->scratch, r->wanted->address);
    if (downloads)
        buf_printf(r->out,
                   "\n`terrane provider install " STR_FMT
                   "` installs it, and --install does so wherever a provider is missing. Or put",
                   STR_ARG(name));
    else
        buf_addz(r->out, "\nThe CLI configuration allows no downloads. Put");
    buf_addz(r->out,
             " the provider into one of these folders (terraform init or terraform providers mirror does), name a mirror in "
             "TERRANE_MIRROR, or give the path of the binary.");
}

bool search_report_absent(const struct find_context *c, const struct search_places *places, const struct search_absent *wanted,
                          struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(MAX_REPORT);
    struct report r = {.c = c, .wanted = wanted, .scratch = scratch, .out = &out};
    struct str address = provider_address_text(scratch, wanted->address);
    buf_printf(&out, "No version of " STR_FMT " for %s", STR_ARG(address), c->platform);
    if (wanted->constraint_text.n > 0)
        buf_printf(&out, " that \"" STR_FMT "\" allows", STR_ARG(wanted->constraint_text));
    buf_addz(&out, " is on this machine. Looked at:\n");
    for (size_t i = 0; i < places->n; i++)
        write_place(&r, &places->v[i]);
    write_similar(&r);
    write_advice(&r);
    struct str text = buf_str(&out);
    return diags_fail(diags, "Provider not found", STR_FMT, STR_ARG(text));
}
