/* terrane doctor: checks whether this machine has what Terrane needs, and says what to do. */
#include "base/env.h"
#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "kube/client.h"
#include "lazy/lazy_archive.h"
#include "lazy/lazy_curl.h"
#include "lazy/lazy_microhttpd.h"
#include "lazy/lazy_rnp.h"
#include "loop/capture.h"
#include "objects/objects.h"
#include "registry/find_places.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

enum { PROGRAM_SECONDS = 20, API_SECONDS = 10, MAX_VERSION_TEXT = 64 << 10, MAX_NAMED = 5 };

enum check_state { STATE_OK, STATE_NOTE, STATE_WARN, STATE_FAIL };
static const char *const state_words[] = {"ok", "note", "warn", "fail"};

struct finding {
    const char *check;
    enum check_state state;
    struct str detail;
    struct str advice; /* what to do; empty: nothing */
};

struct doctor {
    struct app *app;
    struct arena *arena;
    struct find_context find;
    bool configured; /* the CLI configuration is valid */
    VEC(struct finding) findings;
};

static void found(struct doctor *d, const char *check, enum check_state state, struct str detail, struct str advice)
{
    *VEC_PUSH(d->arena, &d->findings) = (struct finding){check, state, detail, advice};
}

static struct str first_detail(const struct diags *diags)
{
    return diags->n > 0 ? str_trim(diags->v[0].detail) : STR("no reason given");
}

/* Libraries that are loaded on demand */

static void check_library(struct doctor *d, const char *name, bool there, const struct diags *diags)
{
    if (there)
        found(d, "library", STATE_OK, str_of(name), STR_EMPTY);
    else
        found(d, "library", STATE_FAIL, str_of(name), first_detail(diags));
}

static void check_libraries(struct doctor *d)
{
    struct diags diags[4];
    for (size_t i = 0; i < 4; i++)
        diags_init(&diags[i], d->arena);
    check_library(d, "libcurl (registries, APIs)", lazy_curl(&diags[0]) != NULL, &diags[0]);
    check_library(d, "libarchive (packed providers)", lazy_archive(&diags[1]) != NULL, &diags[1]);
    check_library(d, "libmicrohttpd (emulator, health, metrics)", lazy_microhttpd(&diags[2]) != NULL, &diags[2]);
    check_library(d, "librnp (signatures of providers)", lazy_rnp(&diags[3]) != NULL, &diags[3]);
}

/* Providers */

static void check_config(struct doctor *d)
{
    struct app own = *d->app;
    diags_init(&own.diags, d->arena);
    d->configured = app_cli_config(&own, &d->find);
    if (!d->configured) {
        found(d, "CLI configuration", STATE_FAIL, first_detail(&own.diags), STR("Fix the file; terraform reads it, too."));
        return;
    }
    for (size_t i = 0; i < own.diags.n; i++)
        found(d, "CLI configuration", STATE_WARN, own.diags.v[i].detail, STR_EMPTY);
    const struct cli_config *c = d->find.config;
    for (size_t i = 0; i < c->n_files; i++)
        found(d, "CLI configuration", STATE_OK, c->files[i], STR_EMPTY);
}

static void check_providers(struct doctor *d)
{
    struct found_providers all = {0};
    struct diags diags;
    diags_init(&diags, d->arena);
    if (!d->configured || !provider_find_all(&d->find, d->arena, &diags, &all))
        return;
    for (size_t i = 0; i < diags.n; i++)
        found(d, "providers", STATE_WARN, str_trim(diags.v[i].detail), STR_EMPTY);
    for (size_t i = 0; i < all.n && i < MAX_NAMED; i++)
        found(d, "providers", STATE_OK,
              arena_printf(d->arena, STR_FMT " " STR_FMT " (%s)", STR_ARG(provider_address_short(d->arena, &all.v[i].address)),
                           STR_ARG(all.v[i].version), provider_place_name(all.v[i].place)),
              STR_EMPTY);
    if (all.n > MAX_NAMED)
        found(d, "providers", STATE_OK, arena_printf(d->arena, "and %zu more", all.n - MAX_NAMED),
              STR("`terrane provider list` shows all."));
    if (all.n == 0)
        found(d, "providers", STATE_NOTE, STR("none was found on this machine"),
              STR("`terrane provider install hashicorp/random` installs one."));
}

/* Programs */

static const char *on_path(struct doctor *d, const char *name)
{
    struct str rest = str_of(app_environment("PATH"));
    while (rest.n > 0) {
        struct str folder = str_cut(&rest, ':');
        const char *path = arena_printf(d->arena, STR_FMT "/%s", STR_ARG(folder), name).p;
        if (folder.n > 0 && access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

static bool check_program(struct doctor *d, const char *name)
{
    const char *path = on_path(d, name);
    if (!path)
        return false;
    const char *argv[] = {path, "version", "-json", NULL};
    struct capture_options options = {
        .loop = app_loop(d->app),
        .path = path,
        .argv = argv,
        .env = (const char *const *)environ,
        .max_out = MAX_VERSION_TEXT,
        .deadline = clock_now(&system_clock) + PROGRAM_SECONDS * NS_PER_S,
        .cancel = d->app->cancel,
    };
    struct buf out BUF_AUTO = BUF_INIT(MAX_VERSION_TEXT);
    struct str why;
    struct diags ignored;
    diags_init(&ignored, d->arena);
    if (!capture_run(d->arena, &options, &out, &why)) {
        found(d, name, STATE_WARN, arena_printf(d->arena, "%s: " STR_FMT, path, STR_ARG(why)),
              STR("`terrane up --scheduler cli` and the proofs of `terrane import` need it."));
        return true;
    }
    const struct json *j = json_parse(d->arena, buf_copy(&out, d->arena), name, &ignored);
    struct str version = json_text(json_get(j, "terraform_version"), STR("version unknown"));
    found(d, name, STATE_OK, arena_printf(d->arena, STR_FMT " (%s)", STR_ARG(version), path), STR_EMPTY);
    return true;
}

static void check_programs(struct doctor *d)
{
    bool terraform = check_program(d, "terraform"), tofu = check_program(d, "tofu");
    if (!terraform && !tofu)
        found(d, "terraform", STATE_NOTE, STR("neither terraform nor tofu is on the search path"),
              STR("Terrane does not need them, but for `terrane up --scheduler cli`; `terrane import` proves more with one."));
}

/* Folders */

/* The folder, or the nearest existing one above it. */
static struct str nearest(struct doctor *d, struct str path)
{
    while (path.n > 1 && !file_exists(arena_str(d->arena, path).p)) {
        while (path.n > 1 && path.p[path.n - 1] != '/')
            path.n--;
        while (path.n > 1 && path.p[path.n - 1] == '/')
            path.n--;
    }
    return arena_str(d->arena, path);
}

static void check_folder(struct doctor *d, const char *check, const char *path, const char *variable, bool secret)
{
    struct stat st;
    if (!path) {
        found(d, check, STATE_FAIL, STR("no folder for it: HOME is not set"),
              arena_printf(d->arena, "Set HOME, or %s to a folder.", variable));
        return;
    }
    struct str there = nearest(d, str_of(path));
    /* Permissions are not enough: the file system may be read-only or full. */
    struct str attempt = arena_printf(d->arena, STR_FMT "/.terrane-doctor.XXXXXX", STR_ARG(there));
    bool writable = mkdtemp((char *)(uintptr_t)attempt.p) != NULL;
    int reason = errno;
    if (writable)
        (void)rmdir(attempt.p);
    if (!writable || stat(there.p, &st) != 0)
        found(d, check, STATE_FAIL,
              arena_printf(d->arena, "%s: " STR_FMT " cannot be written: %s", path, STR_ARG(there), strerror(reason)),
              arena_printf(d->arena, "Make it writable for you with chown or chmod: " STR_FMT ".", STR_ARG(there)));
    else if (secret && strcmp(there.p, path) == 0 && (st.st_mode & 077) != 0)
        found(d, check, STATE_FAIL, arena_printf(d->arena, "%s can be entered by others", path),
              arena_printf(d->arena, "chmod 700 %s", path));
    else
        found(d, check, STATE_OK, str_of(path), STR_EMPTY);
}

static void check_folders(struct doctor *d)
{
    check_folder(d, "cache", d->app->cache_folder, "TERRANE_CACHE", false);
    struct app own = *d->app;
    diags_init(&own.diags, d->arena);
    check_folder(d, "store", objects_folder(&own, NULL), "TERRANE_STORE", true);
    struct str cache = search_plugin_cache(&d->find, d->arena);
    check_folder(d, "installed providers", cache.n > 0 ? cache.p : d->find.installed, "XDG_DATA_HOME", false);
}

/* Time */

static void check_clock(struct doctor *d)
{
    struct stat st;
    struct timex state = {0};
    int64_t now = system_clock.wall_ns(&system_clock) / NS_PER_S;
    char text[CLOCK_TEXT];
    clock_format(now * NS_PER_S, text);
    text[strlen("2006-01-02T15:04:05")] = '\0'; /* without the fraction, which is always 0 here */
    if (stat("/proc/self/exe", &st) == 0 && st.st_mtim.tv_sec > now + 60)
        found(d, "clock", STATE_FAIL, arena_printf(d->arena, "%s UTC, which is before this program was built", text),
              STR("Set the clock: certificates and signatures of requests depend on it."));
    else if (adjtimex(&state) == TIME_ERROR)
        found(d, "clock", STATE_NOTE, arena_printf(d->arena, "%s UTC, not synchronised as far as the system knows", text),
              STR("`timedatectl set-ntp true` turns that on; AWS refuses requests that are minutes off."));
    else
        found(d, "clock", STATE_OK, arena_printf(d->arena, "%s UTC, synchronised", text), STR_EMPTY);
}

/* Kubernetes */

static void ask_api_server(struct doctor *d, const struct kubeconfig *config)
{
    struct diags diags;
    diags_init(&diags, d->arena);
    struct kube_options options = {.loop = app_loop(d->app),
                                   .config = config,
                                   .env = (const char *const *)environ,
                                   .user_agent = STR("terrane/" TERRANE_VERSION),
                                   .log = d->app->log};
    struct kube *whole = kube_new(&options, &diags);
    if (!whole)
        return;
    struct kube_limits limits = {.cancel = d->app->cancel, .tries = 1, .timeout_ns = API_SECONDS * NS_PER_S};
    struct kube *kube = kube_limited(whole, &limits);
    struct kube_request request = {.method = "GET", .target = STR("/version")};
    const struct json *answer = NULL;
    if (kube_do(kube, d->arena, &request, &diags, &answer) == KUBE_OK)
        found(d, "API server", STATE_OK,
              arena_printf(d->arena, "Kubernetes " STR_FMT,
                           STR_ARG(json_text(json_get(answer, "gitVersion"), STR("of unknown version")))),
              STR_EMPTY);
    else
        found(d, "API server", STATE_WARN, first_detail(&diags),
              STR("`terrane controller` needs it; `kubectl version` asks the same server."));
    kube_free(kube);
    kube_free(whole);
}

static void check_api_server(struct doctor *d)
{
    const char *home = app_environment("HOME");
    bool named = app_environment("KUBECONFIG") || app_environment("KUBERNETES_SERVICE_HOST") ||
                 (home && file_exists(arena_printf(d->arena, "%s/.kube/config", home).p));
    struct kubeconfig config;
    struct diags diags;
    diags_init(&diags, d->arena);
    const struct kubeconfig_options from = {.env = (const char *const *)environ};
    if (!named)
        found(d, "API server", STATE_NOTE, STR("no kubeconfig is named"),
              STR("`terrane up` needs none, `terrane controller` does."));
    else if (!kubeconfig_load(d->arena, &from, &diags, &config))
        found(d, "API server", STATE_WARN, first_detail(&diags), STR("Fix the kubeconfig, or name another in KUBECONFIG."));
    else
        ask_api_server(d, &config);
}

/* Output */

static void write_text(struct doctor *d, struct buf *out)
{
    static const char *const colors[] = {"\033[32m", "", "\033[33m", "\033[31m"};
    for (size_t i = 0; i < d->findings.n; i++) {
        const struct finding *f = &d->findings.v[i];
        bool color = d->app->color_out && colors[f->state][0] != '\0';
        buf_printf(out, "%s%-4s%s  %-19s  " STR_FMT "\n", color ? colors[f->state] : "", state_words[f->state],
                   color ? "\033[0m" : "", f->check, STR_ARG(f->detail));
        if (f->advice.n > 0)
            buf_printf(out, "%27s" STR_FMT "\n", "", STR_ARG(f->advice));
    }
}

static void write_json(struct doctor *d, struct buf *out)
{
    struct json_writer w = {.out = out, .indent = 2};
    json_begin_array(&w);
    for (size_t i = 0; i < d->findings.n; i++) {
        const struct finding *f = &d->findings.v[i];
        json_begin_object(&w);
        json_key(&w, STR("check"));
        json_write_string(&w, str_of(f->check));
        json_key(&w, STR("state"));
        json_write_string(&w, str_of(state_words[f->state]));
        json_key(&w, STR("detail"));
        json_write_string(&w, f->detail);
        json_key(&w, STR("advice"));
        json_write_string(&w, f->advice);
        json_end_object(&w);
    }
    json_end_array(&w);
    (void)json_finish(&w);
    buf_addc(out, '\n');
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    bool json = false;
    const struct option options[] = {
        {.name = "json", .kind = OPTION_FLAG, .target = &json, .help = "as JSON"},
        {0},
    };
    int code;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    struct doctor d = {.app = app, .arena = app->arena};
    if (!app_find_context(app, &d.find))
        return EXIT_FAILED;
    found(&d, "terrane", STATE_OK, arena_printf(d.arena, "%s for %s", TERRANE_VERSION, d.find.platform), STR_EMPTY);
    check_libraries(&d);
    check_config(&d);
    check_providers(&d);
    check_programs(&d);
    check_folders(&d);
    check_clock(&d);
    check_api_server(&d);
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (json)
        write_json(&d, &out);
    else
        write_text(&d, &out);
    bool failed = false;
    for (size_t i = 0; i < d.findings.n; i++)
        failed |= d.findings.v[i].state == STATE_FAIL;
    return app_print(app, buf_str(&out)) && !failed ? EXIT_OK : EXIT_FAILED;
}

const struct command command_doctor = {
    .name = "doctor",
    .usage = "[--json]",
    .summary = "check this machine: libraries, providers, programs, folders, clock, API server",
    .details = "Each finding is ok, a note, a warning, or a failure with what to do about it. Exit code 1: something failed.",
    .example = "  terrane doctor\n"
               "  terrane doctor --json | jq '.[] | select(.state == \"fail\")'",
    .run = run,
};
