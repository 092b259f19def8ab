/* terrane package: images and archives for distribution. The same input gives the same bytes. */
#include "base/file.h"
#include "base/json.h"
#include "base/vec.h"
#include "cli/progress.h"
#include "cli/shipped_config.h"
#include "install/package_hash.h"
#include "lazy/lazy_curl.h"
#include "lazy/lazy_microhttpd.h"
#include "lazy/lazy_rnp.h"
#include "output/temporary.h"
#include "package/image.h"
#include "package/packed.h"
#include "packs/cloudcontrol.h"
#include "registry/unzip.h"

#include <dirent.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PACKAGE_YAML = 512 << 20, MAX_DOCUMENT = 1 << 20, MAX_SHIPPED = 64 << 20 };

static const char *const certificates = "/etc/ssl/certs/ca-certificates.crt";

struct files {
    struct arena *arena;
    VEC(struct image_file) list;
};

static void add_from(struct files *f, struct str path, const char *from, mode_t mode)
{
    *VEC_PUSH(f->arena, &f->list) = (struct image_file){.path = path, .from = from, .mode = mode};
}

static void add_text(struct files *f, const char *path, const char *text)
{
    *VEC_PUSH(f->arena, &f->list) = (struct image_file){.path = str_of(path), .content = str_of(text), .mode = 0644};
}

/* --- the program with its libraries --- */

static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct files *f = arg;
    struct str name = str_of(info->dlpi_name);
    if (name.n > 1 && name.p[0] == '/')
        add_from(f, arena_str(f->arena, str_slice(name, 1, name.n)), arena_str(f->arena, name).p, 0755);
    return 0;
}

/* Linked libraries, and those that are loaded on demand: these calls load them. */
static bool add_libraries(struct app *app, struct files *f)
{
    if (!lazy_curl(&app->diags) || !lazy_archive(&app->diags) || !lazy_microhttpd(&app->diags) || !lazy_rnp(&app->diags))
        return false;
    (void)dl_iterate_phdr(add_library, f);
    return true;
}

static void add_shipped(struct app *app, struct files *f, const struct shipped_kind *kind)
{
    struct shipped_names names = shipped_names(app, kind);
    for (size_t i = 0; i < names.n; i++) {
        struct image_file file = {.mode = 0644};
        if (!shipped_file(app, kind->folder, names.v[i], kind->ending, MAX_SHIPPED, &file.content))
            continue;
        file.path = arena_printf(f->arena, "usr/share/terrane/%s/" STR_FMT "%s", kind->folder, STR_ARG(names.v[i]), kind->ending);
        *VEC_PUSH(f->arena, &f->list) = file;
    }
}

static bool add_program(struct app *app, struct files *f)
{
    add_from(f, STR("usr/bin/terrane"), "/proc/self/exe", 0755);
    add_text(f, "etc/passwd", "root:x:0:0:root:/:/sbin/nologin\nterrane:x:65532:65532:terrane:/tmp:/sbin/nologin\n");
    add_text(f, "etc/group", "root:x:0:\nterrane:x:65532:\n");
    add_text(f, "tmp/", "");
    if (file_exists(certificates))
        add_from(f, str_of(certificates + 1), certificates, 0644);
    for (const struct shipped_kind *kind = shipped_kinds; kind->folder; kind++)
        add_shipped(app, f, kind);
    return add_libraries(app, f);
}

/* The architecture in Go's terms: what follows the underscore in the platform. */
static const char *architecture(const struct find_context *context)
{
    const char *underscore = strchr(context->platform, '_');
    return underscore ? underscore + 1 : context->platform;
}

static struct str *texts_of(struct arena *a, const struct option_texts *texts)
{
    struct str *list = arena_make_n(a, struct str, texts->n);
    for (size_t i = 0; i < texts->n; i++)
        list[i] = str_of(texts->v[i]);
    return list;
}

struct package_options {
    const char *output, *tag, *pack, *version, *address;
    struct option_texts args;
    bool runtime, json;
};

static bool begin_image(struct app *app, const struct package_options *o, struct image *image)
{
    struct find_context context;
    int64_t date;
    if (!app_find_context(app, &context) || !source_date(app, 0, &date))
        return false;
    *image = (struct image){.tag = o->tag ? o->tag : "terrane:" TERRANE_VERSION, .arch = architecture(&context), .created = date};
    return true;
}

static void make_runnable(struct app *app, const struct package_options *o, struct image *image)
{
    image->entrypoint = "/usr/bin/terrane";
    image->args = texts_of(app->arena, &o->args);
    image->n_args = o->args.n;
    image->user = "65532:65532";
}

/* With --json, on stdout: the file, its size, and for a provider its entry in the mirror. */
static bool say_done(struct app *app, const struct package_options *o, const char *path, const struct json *archive)
{
    struct arena *a = app->arena;
    struct stat st;
    if (stat(path, &st) != 0)
        return diags_fail(&app->diags, "Cannot read file", "%s: %s.", path, strerror(errno));
    app_say(app, "%s: %.1f MiB\n", path, (double)st.st_size / (1 << 20));
    if (!o->json)
        return true;
    struct json_member members[] = {
        {.key = STR("file"), .value = json_make_string(a, str_of(path))},
        {.key = STR("bytes"), .value = json_make_number(a, arena_printf(a, "%lld", (long long)st.st_size))},
        {.key = STR("archive"), .value = archive}};
    return app_print_json(app, json_make_object(a, members, archive ? 3 : 2));
}

static bool write_image(struct app *app, const struct package_options *o, const struct image *image)
{
    struct bar bar;
    bar_start(&bar, arena_printf(app->arena, "Writing %s", o->output).p, BAR_SECONDS);
    bool ok = image_write(app->arena, image, o->output, &app->diags);
    bar_end(&bar);
    return ok && say_done(app, o, o->output, NULL);
}

static bool package_image(struct app *app, const struct package_options *o)
{
    struct files program = {.arena = app->arena};
    struct image image;
    if (!begin_image(app, o, &image) || !add_program(app, &program))
        return false;
    struct image_layer layer = {program.list.v, program.list.n, STR_EMPTY};
    image.layers = &layer;
    image.n_layers = 1;
    make_runnable(app, o, &image);
    return write_image(app, o, &image);
}

/* --- a Crossplane package --- */

static bool add_document(struct app *app, struct buf *out, const char *path)
{
    struct str text;
    if (!file_read(app->arena, path, MAX_PACKAGE_YAML, &app->diags, &text))
        return false;
    if (out->n > 0)
        buf_addz(out, "---\n");
    buf_add(out, text);
    if (!str_ends(text, STR("\n")))
        buf_addc(out, '\n');
    return buf_ok(out) || diags_fail(&app->diags, "Package too large", "More than %d bytes.", (int)MAX_PACKAGE_YAML);
}

static int yaml_only(const struct dirent *e)
{
    return str_ends(str_of(e->d_name), STR(".yaml"));
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* crossplane.yaml, then the CRDs sorted by name. */
static bool read_package(struct app *app, const char *folder, struct buf *out)
{
    struct dirent **names;
    const char *crds = arena_printf(app->arena, "%s/crds", folder).p;
    if (!add_document(app, out, arena_printf(app->arena, "%s/crossplane.yaml", folder).p))
        return false;
    int n = scandir(crds, &names, yaml_only, by_bytes);
    if (n < 0)
        return diags_fail(&app->diags, "Not a package", "%s: %s. `terrane generate PROVIDER -o DIR` makes one.", crds,
                          strerror(errno));
    bool ok = true;
    for (int i = 0; i < n; i++) {
        ok = ok && add_document(app, out, arena_printf(app->arena, "%s/%s", crds, names[i]->d_name).p);
        free(names[i]);
    }
    free(names);
    return ok;
}

static bool package_xpkg(struct app *app, const struct package_options *o, const char *folder)
{
    struct buf stream BUF_AUTO = BUF_INIT(MAX_PACKAGE_YAML);
    struct files program = {.arena = app->arena};
    struct image image;
    if (!read_package(app, folder, &stream) || !begin_image(app, o, &image) || (o->runtime && !add_program(app, &program)))
        return false;
    struct image_file file = {.path = STR("package.yaml"), .content = buf_str(&stream), .mode = 0644};
    struct image_layer layers[] = {{program.list.v, program.list.n, STR_EMPTY}, {&file, 1, STR("base")}};
    image.layers = o->runtime ? layers : layers + 1;
    image.n_layers = o->runtime ? 2 : 1;
    if (o->runtime)
        make_runnable(app, o, &image);
    return write_image(app, o, &image);
}

/* --- our provider as a mirror, for terraform init --- */

struct mirror {
    struct app *app;
    struct str folder; /* the provider's folder in the mirror */
    struct str type, version, platform;
    struct str zip; /* its file name */
    struct str h1, zh;
    struct str sums_path, version_path, index_path;
    struct str sums; /* content of the SHA256SUMS file */
    const struct json *archives, *versions;
};

static struct str in_mirror(struct mirror *m, struct str name)
{
    return arena_printf(m->app->arena, STR_FMT "/" STR_FMT, STR_ARG(m->folder), STR_ARG(name));
}

/* Creates the zip in a temporary folder, and a hash of its content. */
static bool write_zip(struct mirror *m, const char *pack)
{
    struct app *app = m->app;
    struct temporary folder; /* a folder left by a killed run is removed by the next one */
    if (!temporary_make(app->arena, arena_str(app->arena, m->folder).p, ".tmp.", &folder))
        return diags_fail(&app->diags, "Cannot write an archive", STR_FMT ": %s.", STR_ARG(m->folder), strerror(errno));
    struct packed_out o;
    struct str temporary = arena_printf(app->arena, "%s/zip", folder.path);
    struct str files = arena_printf(app->arena, "%s/files", folder.path);
    struct str binary =
        arena_printf(app->arena, "terraform-provider-" STR_FMT "_v" STR_FMT, STR_ARG(m->type), STR_ARG(m->version));
    bool ok = packed_begin(&o, PACKED_ZIP, temporary.p, &app->diags) && packed_add_file(&o, "awscc.pack", pack, 0644) &&
              packed_add_file(&o, binary.p, "/proc/self/exe", 0755);
    ok = packed_end(&o) && ok && file_make_folder(files.p, 0700, &app->diags) && unzip_into(temporary.p, files.p, &app->diags) &&
         package_hash_folder(app->arena, files.p, &app->diags, &m->h1) &&
         package_hash_zip(app->arena, temporary.p, &app->diags, &m->zh);
    if (ok && (chmod(temporary.p, 0644) != 0 || rename(temporary.p, in_mirror(m, m->zip).p) != 0))
        ok = diags_fail(&app->diags, "Cannot write an archive", STR_FMT ": %s.", STR_ARG(in_mirror(m, m->zip)), strerror(errno));
    temporary_remove(&folder);
    return ok;
}

/* Reads a member of a document in the mirror; NULL: it does not exist yet. A document that cannot be read is never replaced. */
static bool read_document(struct mirror *m, struct str path, const char *key, const struct json **ret)
{
    struct app *app = m->app;
    struct str text;
    *ret = NULL;
    if (!file_exists(path.p))
        return true;
    const struct json *found = file_read(app->arena, path.p, MAX_DOCUMENT, &app->diags, &text)
                                   ? json_parse(app->arena, text, path.p, &app->diags)
                                   : NULL;
    if (!found)
        return false;
    *ret = json_get(found, key);
    if (*ret && (*ret)->kind == JSON_OBJECT)
        return true;
    return diags_fail(&app->diags, "Not a network mirror",
                      STR_FMT " has no object \"%s\", as such a file of a network mirror has. Remove it, or name another folder.",
                      STR_ARG(path), key);
}

/* Reads the existing documents before anything is written. */
static bool read_documents(struct mirror *m)
{
    struct arena *a = m->app->arena;
    m->sums_path = in_mirror(
        m, arena_printf(a, "terraform-provider-" STR_FMT "_" STR_FMT "_SHA256SUMS", STR_ARG(m->type), STR_ARG(m->version)));
    m->version_path = in_mirror(m, arena_printf(a, STR_FMT ".json", STR_ARG(m->version)));
    m->index_path = in_mirror(m, STR("index.json"));
    return (!file_exists(m->sums_path.p) || file_read(a, m->sums_path.p, MAX_DOCUMENT, &m->app->diags, &m->sums)) &&
           read_document(m, m->version_path, "archives", &m->archives) &&
           read_document(m, m->index_path, "versions", &m->versions);
}

/* A document with one member: {KEY: {...}} */
static struct str document(struct mirror *m, const char *key, const struct json *members)
{
    struct buf out BUF_AUTO = BUF_INIT(2 * MAX_DOCUMENT);
    struct json_writer w = {.out = &out, .indent = 2};
    json_begin_object(&w);
    json_key(&w, str_of(key));
    json_write(&w, json_sorted(m->app->arena, members));
    json_end_object(&w);
    (void)json_finish(&w); /* cannot exceed the limit: what was read is at most half as long */
    buf_addc(&out, '\n');
    return buf_copy(&out, m->app->arena);
}

static const struct json *archive(struct mirror *m)
{
    struct arena *a = m->app->arena;
    const struct json *hashes[] = {json_make_string(a, m->h1), json_make_string(a, m->zh)};
    const struct json_member members[] = {{.key = STR("hashes"), .value = json_make_array(a, hashes, 2)},
                                          {.key = STR("url"), .value = json_make_string(a, m->zip)}};
    return json_make_object(a, members, 2);
}

static int by_name(const void *x, const void *y)
{
    struct str a = *(const struct str *)x, b = *(const struct str *)y;
    (void)str_cut(&a, ' ');
    (void)str_cut(&b, ' ');
    return str_cmp(a, b);
}

/* Lines as sha256sum writes them, including those of other platforms. */
static struct str sums_text(struct mirror *m)
{
    struct arena *a = m->app->arena;
    VEC(struct str) lines = {0};
    struct str rest = m->sums,
               own = arena_printf(a, STR_FMT "  " STR_FMT, STR_ARG(str_slice(m->zh, 3, m->zh.n)), STR_ARG(m->zip));
    struct buf out BUF_AUTO = BUF_INIT(2 * MAX_DOCUMENT);
    *VEC_PUSH(a, &lines) = own;
    while (rest.n > 0) {
        struct str line = str_cut(&rest, '\n');
        if (line.n > 0 && by_name(&line, &own) != 0)
            *VEC_PUSH(a, &lines) = line;
    }
    qsort(lines.v, lines.n, sizeof *lines.v, by_name);
    for (size_t i = 0; i < lines.n; i++)
        buf_printf(&out, STR_FMT "\n", STR_ARG(lines.v[i]));
    return buf_copy(&out, a);
}

static bool write_documents(struct mirror *m)
{
    struct arena *a = m->app->arena;
    const struct json *archives = json_with(a, m->archives, m->platform, archive(m));
    const struct json *versions = json_with(a, m->versions, m->version, json_make_object(a, NULL, 0));
    const struct file_content files[] = {
        {m->sums_path.p, sums_text(m)},
        {m->version_path.p, document(m, "archives", archives)},
        {m->index_path.p, document(m, "versions", versions)},
    };
    return file_write_all(files, sizeof files / sizeof files[0], 0644, &m->app->diags);
}

static bool package_provider(struct app *app, const struct package_options *o)
{
    struct find_context context;
    struct provider_address address;
    struct provider_version version;
    struct mirror m = {.app = app, .version = str_of(o->version ? o->version : TERRANE_VERSION)};
    const char *pack = o->pack ? o->pack : cloudcontrol_pack_path(app);
    if (!app_find_context(app, &context) ||
        !provider_address_parse(app->arena, str_of(o->address ? o->address : "hashicorp/awscc"), &app->diags, &address))
        return false;
    if (!provider_version_parse(m.version, &version))
        return diags_fail(&app->diags, "Invalid version", "\"" STR_FMT "\" is not a version of three numbers.",
                          STR_ARG(m.version));
    if (!str_eq(address.type, STR("awscc")))
        return diags_fail(&app->diags, "Invalid address", "The provider is awscc; its address must end with /awscc.");
    if (!pack)
        return cloudcontrol_no_pack_path(app);
    if (!file_exists(pack))
        return diags_fail(&app->diags, "No schema pack", "%s is not there. `terrane cloudcontrol pack FROM` makes one.", pack);
    m.version = provider_version_text(app->arena, &version);
    m.type = address.type;
    m.platform = str_of(context.platform);
    m.folder = arena_printf(app->arena, "%s/" STR_FMT, o->output, STR_ARG(provider_address_text(app->arena, &address)));
    m.zip = arena_printf(app->arena, "terraform-provider-" STR_FMT "_" STR_FMT "_" STR_FMT ".zip", STR_ARG(m.type),
                         STR_ARG(m.version), STR_ARG(m.platform));
    struct bar bar;
    bar_start(&bar, arena_printf(app->arena, "Writing " STR_FMT, STR_ARG(m.zip)).p, BAR_SECONDS);
    bool ok = file_make_folder(m.folder.p, 0755, &app->diags) && read_documents(&m) && write_zip(&m, pack) && write_documents(&m);
    bar_end(&bar);
    return ok && say_done(app, o, in_mirror(&m, m.zip).p, archive(&m));
}

/* --- commands --- */

#define OPTION_OUTPUT(o, what, text) {"output", 'o', OPTION_TEXT, &(o).output, what, text}
#define OPTION_TAG(o) {"tag", 0, OPTION_TEXT, &(o).tag, "NAME:TAG", "name of the image (default terrane:" TERRANE_VERSION ")"}
#define OPTION_JSON(o) {"json", 0, OPTION_FLAG, &(o).json, NULL, "what was written, as JSON"}
#define OPTION_ARG(o)                                                                                                            \
    {"arg", 0, OPTION_LIST, &(o).args, "WORD", "an argument of the command that the image runs; may be repeated"}

static int run_image(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct package_options o = {0};
    const struct option options[] = {
        OPTION_OUTPUT(o, "FILE", "where to write"), OPTION_TAG(o), OPTION_ARG(o), OPTION_JSON(o), {0}};
    int code;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    if (!o.output)
        return app_usage(app, self, "Name the file to write: -o terrane.tar.");
    return package_image(app, &o) ? EXIT_OK : EXIT_FAILED;
}

static int run_xpkg(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct package_options o = {0};
    const struct option options[] = {
        OPTION_OUTPUT(o, "FILE", "where to write"),
        OPTION_TAG(o),
        {"runtime", 0, OPTION_FLAG, &o.runtime, NULL, "with this program as the image that Crossplane runs"},
        OPTION_ARG(o),
        OPTION_JSON(o),
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1 || !o.output)
        return app_usage(app, self, "Name the folder of the package and the file to write: DIR -o provider.xpkg.");
    return package_xpkg(app, &o, argv[0]) ? EXIT_OK : EXIT_FAILED;
}

static int run_provider(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct package_options o = {0};
    const struct option options[] = {
        OPTION_OUTPUT(o, "DIR", "the mirror to write to or to add to"),
        {"pack", 0, OPTION_TEXT, &o.pack, "FILE", "the schema pack (default: the pack in use)"},
        {"version", 0, OPTION_TEXT, &o.version, "VERSION", "the provider's version (default " TERRANE_VERSION ")"},
        {"address", 0, OPTION_TEXT, &o.address, "ADDRESS", "its address (default hashicorp/awscc)"},
        OPTION_JSON(o),
        {0},
    };
    int code;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    if (!o.output)
        return app_usage(app, self, "Name the folder to write to: -o mirror.");
    return package_provider(app, &o) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_package_image = {
    .name = "package image",
    .usage = "-o FILE [options]",
    .summary = "write a container image with this program and the libraries it needs",
    .details = "The file is an OCI layout and what `docker load` reads, at once; no daemon is needed. It runs as user 65532.\n"
               "The same program and libraries give the same bytes; SOURCE_DATE_EPOCH is the image's date.",
    .example = "  terrane package image -o terrane.tar --arg controller\n"
               "  skopeo copy oci-archive:terrane.tar docker://registry.example.com/terrane:1",
    .run = run_image,
};
const struct command command_package_xpkg = {
    .name = "package xpkg",
    .usage = "DIR -o FILE [options]",
    .summary = "write a Crossplane package archive of a folder that `terrane generate` made",
    .details =
        "crossplane.yaml and the definitions in crds/ become package.yaml in a layer with the annotation that Crossplane looks\n"
        "for. With --runtime the image also has this program, which Crossplane then runs with the words of --arg.",
    .example = "  terrane package xpkg package/ -o provider.xpkg\n"
               "  terrane package xpkg package/ -o provider.xpkg --runtime --arg controller --arg --install --arg --provider "
               "--arg hashicorp/aws",
    .run = run_xpkg,
};
const struct command command_package_provider = {
    .name = "package provider",
    .usage = "-o DIR [options]",
    .summary = "write our provider awscc as a mirror that `terraform init` installs from",
    .details =
        "The zip has this program under the provider's name and the schema pack; beside it are SHA256SUMS and the documents of\n"
        "the network mirror protocol. DIR serves as filesystem_mirror, and on a web server as network_mirror.",
    .example = "  terrane package provider -o mirror --version 1.0.0\n"
               "  terrane package provider -o mirror --address registry.example.com/acme/awscc",
    .run = run_provider,
};
