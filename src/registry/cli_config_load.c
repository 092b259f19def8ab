/*
 * Finds the files and merges them: the first plugin_cache_dir wins, and only one file may have a provider_installation block.
 */
#include "base/file.h"
#include "base/vec.h"
#include "registry/cli_config.h"
#include "registry/hcl1.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef const char *environment_fn(const char *name);

struct files {
    struct str *v;
    size_t n, cap;
};

/* The variable's value; NULL when unset or empty. */
static const char *variable(environment_fn *environment, const char *name)
{
    const char *value = environment(name);
    return value && value[0] != '\0' ? value : NULL;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name in "$NAME..." or "${NAME}...", and how many bytes it takes with its "$" and braces; false if there is none. */
static bool find_name(struct str text, struct str *ret_name, size_t *ret_length)
{
    if (text.n < 2 || text.p[0] != '$')
        return false;
    if (text.p[1] == '{') {
        size_t close = str_find(text, '}', 2);
        *ret_name = str_slice(text, 2, close);
        *ret_length = close + 1;
        return close != SIZE_MAX && close > 2;
    }
    size_t end = 1;
    while (end < text.n && is_name_char(text.p[end]))
        end++;
    *ret_name = str_slice(text, 1, end);
    *ret_length = end;
    return end > 1;
}

/* Unset variables expand to nothing; a "$" without a name after it stays. */
static struct str expand(struct arena *a, struct str text, environment_fn *environment)
{
    struct buf out BUF_AUTO = BUF_INIT(HCL1_MAX_BYTES);
    while (text.n > 0) {
        struct str name;
        size_t length;
        if (find_name(text, &name, &length)) {
            buf_add(&out, str_of(environment(arena_str(a, name).p)));
        } else {
            buf_addc(&out, text.p[0]);
            length = 1;
        }
        text = str_slice(text, length, text.n);
    }
    return buf_copy(&out, a);
}

/* True if the file can be opened; else a warning as in Terraform, unless it is a default file that does not exist. */
static bool may_open(const char *path, bool named, struct diags *diags)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        (void)close(fd);
        return true;
    }
    if (errno == ENOENT && named)
        diags_warn(diags, "Unable to open CLI configuration file", "The CLI configuration file at \"%s\" does not exist.", path);
    else if (errno != ENOENT)
        diags_warn(diags, "Unable to open CLI configuration file", "The CLI configuration file at \"%s\" cannot be opened: %s.",
                   path, strerror(errno));
    return false;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The user's main file; NULL: there is none. */
static const char *default_file(struct arena *a, environment_fn *environment)
{
    const char *home = variable(environment, "HOME"), *xdg = variable(environment, "XDG_CONFIG_HOME");
    const char *candidates[3];
    size_t n = 0;
    if (home) {
        candidates[n++] = arena_printf(a, "%s/.terraformrc", home).p;
        candidates[n++] = arena_printf(a, "%s/.tofurc", home).p;
    }
    if (xdg)
        candidates[n++] = arena_printf(a, "%s/opentofu/tofurc", xdg).p;
    for (size_t i = 0; i < n; i++)
        if (access(candidates[i], F_OK) == 0)
            return candidates[i];
    return NULL;
}

static const char *default_folder(struct arena *a, environment_fn *environment)
{
    const char *home = variable(environment, "HOME"), *xdg = variable(environment, "XDG_CONFIG_HOME");
    const char *folder = home ? arena_printf(a, "%s/.terraform.d", home).p : NULL;
    if (folder && is_folder(folder))
        return folder;
    folder = xdg ? arena_printf(a, "%s/opentofu", xdg).p : NULL;
    return folder && is_folder(folder) ? folder : NULL;
}

static bool is_config_name(struct str name)
{
    return str_ends(name, STR(".tfrc")) || str_ends(name, STR(".tfrc.json"));
}

static bool add_folder(struct arena *a, const char *folder, struct diags *diags, struct files *files)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return diags_fail(diags, "Unable to read CLI configuration folder", "%s: %s.", folder, strerror(errno));
    size_t first = files->n;
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(dir));) {
        if (!is_config_name(str_of(e->d_name)))
            continue;
        ok = files->n - first < CLI_CONFIG_MAX_FILES ||
             diags_fail(diags, "Too many CLI configuration files", "%s holds more than %d.", folder, (int)CLI_CONFIG_MAX_FILES);
        *VEC_PUSH(a, files) = arena_printf(a, "%s/%s", folder, e->d_name);
    }
    (void)closedir(dir);
    if (files->n > first)
        qsort(files->v + first, files->n - first, sizeof *files->v, str_cmp_qsort);
    return ok;
}

static bool list_files(struct arena *a, environment_fn *environment, struct diags *diags, struct files *files)
{
    const char *named = variable(environment, "TF_CLI_CONFIG_FILE");
    if (!named)
        named = variable(environment, "TERRAFORM_CONFIG");
    const char *file = named ? named : default_file(a, environment);
    if (file && may_open(file, named != NULL, diags))
        *VEC_PUSH(a, files) = arena_str(a, str_of(file));
    /* If a file was named, only that one is read. */
    const char *folder = named ? NULL : default_folder(a, environment);
    return !folder || add_folder(a, folder, diags, files);
}

/* The two lists concatenated. */
static const void *joined(struct arena *a, const void *first, size_t n_first, const void *second, size_t n_second, size_t size)
{
    char *all = arena_alloc_n(a, size, n_first + n_second, alignof(max_align_t));
    if (n_first > 0)
        memcpy(all, first, n_first * size);
    if (n_second > 0)
        memcpy(all + n_first * size, second, n_second * size);
    return all;
}

static void merge_hosts(struct arena *a, struct cli_config *into, const struct cli_config *next)
{
    into->tokens = joined(a, into->tokens, into->n_tokens, next->tokens, next->n_tokens, sizeof *next->tokens);
    into->n_tokens += next->n_tokens;
    into->services = joined(a, into->services, into->n_services, next->services, next->n_services, sizeof *next->services);
    into->n_services += next->n_services;
    if (next->helper.name.n > 0)
        into->helper = next->helper;
}

static bool merge(struct arena *a, struct diags *diags, struct cli_config *into, const struct cli_config *next)
{
    if (into->plugin_cache_dir.n == 0)
        into->plugin_cache_dir = next->plugin_cache_dir;
    merge_hosts(a, into, next);
    if (!next->has_installation)
        return true;
    if (into->has_installation)
        return diags_fail(diags, "Invalid CLI configuration",
                          STR_FMT ": a second provider_installation block; only one is allowed in all files together.",
                          STR_ARG(next->files[0]));
    into->has_installation = true;
    into->has_downloads = next->has_downloads;
    into->methods = next->methods;
    into->n_methods = next->n_methods;
    into->overrides = next->overrides;
    into->n_overrides = next->n_overrides;
    return true;
}

bool cli_config_load(struct arena *a, environment_fn *environment, struct diags *diags, struct cli_config *ret)
{
    struct files files = {0};
    bool ok = list_files(a, environment, diags, &files);
    struct cli_config all = {.files = files.v, .n_files = files.n, .plugin_cache_dir = STR_EMPTY, .helper.name = STR_EMPTY};
    for (size_t i = 0; i < files.n; i++) {
        struct str text;
        struct cli_config one;
        ok &= file_read(a, files.v[i].p, HCL1_MAX_BYTES, diags, &text) && cli_config_parse(a, text, files.v[i].p, diags, &one) &&
              merge(a, diags, &all, &one);
    }
    if (!ok)
        return false;
    all.plugin_cache_dir = expand(a, all.plugin_cache_dir, environment);
    *ret = all;
    return true;
}
