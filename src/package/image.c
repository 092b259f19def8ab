#include "package/image.h"

#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "package/packed.h"
#include "registry/content_key.h"
#include "registry/unzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JSON = 1 << 20 };

struct blob {
    struct str hex;
    int64_t size;
    struct str path; /* in the staging folder */
};

struct writing {
    struct arena *arena;
    const struct image *image;
    struct diags *diags;
    struct str staging;
    VEC(struct blob) layers;
    struct blob config, manifest;
};

static bool fail_errno(struct writing *w, struct str path)
{
    return diags_fail(w->diags, "Cannot write an image", STR_FMT ": %s.", STR_ARG(path), strerror(errno));
}

/* Layers */

static int by_path(const void *a, const void *b)
{
    const struct image_file *x = *(const struct image_file *const *)a, *y = *(const struct image_file *const *)b;
    return str_cmp(x->path, y->path);
}

/* Adds the parent folders of `path` that the archive does not have yet. */
static bool add_parents(struct writing *w, struct packed_out *o, struct map *seen, struct str path)
{
    for (size_t i = 0; i < path.n; i++) {
        if (path.p[i] != '/')
            continue;
        struct str folder = arena_str(w->arena, str_slice(path, 0, i + 1));
        if (map_add(seen, folder, w->arena) && !packed_add_folder(o, folder.p, str_eq(folder, STR("tmp/")) ? 01777 : 0755))
            return false;
    }
    return true;
}

static bool write_layer(struct writing *w, const struct image_layer *layer, const char *path)
{
    struct packed_out o;
    struct map seen;
    map_init(&seen, w->arena);
    const struct image_file **sorted = arena_make_n(w->arena, const struct image_file *, layer->n);
    for (size_t i = 0; i < layer->n; i++)
        sorted[i] = &layer->files[i];
    if (layer->n > 0)
        qsort(sorted, layer->n, sizeof(struct image_file *), by_path);
    bool ok = packed_begin(&o, PACKED_TAR, path, w->diags);
    for (size_t i = 0; ok && i < layer->n; i++) {
        const struct image_file *f = sorted[i];
        ok = add_parents(w, &o, &seen, f->path);
        if (!ok || str_ends(f->path, STR("/")))
            continue; /* a folder that has been added already */
        const char *name = arena_str(w->arena, f->path).p;
        ok = f->from ? packed_add_file(&o, name, f->from, f->mode) : packed_add(&o, name, f->content, f->mode);
    }
    return packed_end(&o) && ok;
}

/* Makes a blob of a file in the staging folder: its hash and size. */
static bool make_blob(struct writing *w, struct str path, struct blob *ret)
{
    struct stat st;
    int fd = open(path.p, O_RDONLY | O_CLOEXEC);
    *ret = (struct blob){.path = path};
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && content_hash(w->arena, fd, &ret->hex);
    if (!ok)
        (void)fail_errno(w, path);
    else
        ret->size = st.st_size;
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static bool write_layers(struct writing *w)
{
    for (size_t i = 0; i < w->image->n_layers; i++) {
        struct str path = arena_printf(w->arena, STR_FMT "/layer%zu", STR_ARG(w->staging), i);
        if (!write_layer(w, &w->image->layers[i], path.p) || !make_blob(w, path, VEC_PUSH(w->arena, &w->layers)))
            return false;
    }
    return true;
}

/* Documents */

static struct str digest(struct writing *w, const struct blob *b)
{
    return arena_printf(w->arena, "sha256:" STR_FMT, STR_ARG(b->hex));
}

static void write_runtime(struct writing *w, struct json_writer *j)
{
    const struct image *image = w->image;
    json_key(j, STR("config"));
    json_begin_object(j);
    if (image->user)
        json_put_text(j, "User", str_of(image->user));
    if (image->entrypoint) {
        json_key(j, STR("Entrypoint"));
        json_begin_array(j);
        json_write_string(j, str_of(image->entrypoint));
        json_end_array(j);
        json_key(j, STR("Env"));
        json_begin_array(j);
        json_write_string(j, STR("PATH=/usr/bin"));
        json_write_string(j, STR("HOME=/tmp"));
        json_end_array(j);
    }
    if (image->n_args > 0) {
        json_key(j, STR("Cmd"));
        json_begin_array(j);
        for (size_t i = 0; i < image->n_args; i++)
            json_write_string(j, image->args[i]);
        json_end_array(j);
    }
    json_key(j, STR("Labels"));
    json_begin_object(j);
    for (size_t i = 0; i < image->n_layers; i++)
        if (image->layers[i].xpkg.n > 0)
            json_put_text(j, arena_printf(w->arena, "io.crossplane.xpkg:" STR_FMT, STR_ARG(digest(w, &w->layers.v[i]))).p,
                          image->layers[i].xpkg);
    json_end_object(j);
    json_end_object(j);
}

static void write_config(struct writing *w, struct json_writer *j)
{
    char date[32];
    time_t seconds = (time_t)w->image->created;
    struct tm tm;
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &tm));
    json_begin_object(j);
    json_put_text(j, "created", str_of(date));
    json_put_text(j, "architecture", str_of(w->image->arch));
    json_put_text(j, "os", STR("linux"));
    write_runtime(w, j);
    json_key(j, STR("rootfs"));
    json_begin_object(j);
    json_put_text(j, "type", STR("layers"));
    json_key(j, STR("diff_ids"));
    json_begin_array(j);
    for (size_t i = 0; i < w->layers.n; i++)
        json_write_string(j, digest(w, &w->layers.v[i]));
    json_end_array(j);
    json_end_object(j);
    json_end_object(j);
}

static void write_descriptor(struct writing *w, struct json_writer *j, const char *type, const struct blob *b, struct str xpkg)
{
    json_begin_object(j);
    json_put_text(j, "mediaType", str_of(type));
    json_put_text(j, "digest", digest(w, b));
    json_key(j, STR("size"));
    json_write_int(j, b->size);
    if (xpkg.n > 0) {
        json_key(j, STR("annotations"));
        json_begin_object(j);
        json_put_text(j, "io.crossplane.xpkg", xpkg);
        json_end_object(j);
    }
    json_end_object(j);
}

static void write_manifest(struct writing *w, struct json_writer *j)
{
    json_begin_object(j);
    json_key(j, STR("schemaVersion"));
    json_write_int(j, 2);
    json_put_text(j, "mediaType", STR("application/vnd.oci.image.manifest.v1+json"));
    json_key(j, STR("config"));
    write_descriptor(w, j, "application/vnd.oci.image.config.v1+json", &w->config, STR_EMPTY);
    json_key(j, STR("layers"));
    json_begin_array(j);
    for (size_t i = 0; i < w->layers.n; i++)
        write_descriptor(w, j, "application/vnd.oci.image.layer.v1.tar", &w->layers.v[i], w->image->layers[i].xpkg);
    json_end_array(j);
    json_end_object(j);
}

static void write_index(struct writing *w, struct json_writer *j)
{
    struct str tag = str_of(w->image->tag), name = str_cut(&tag, ':');
    json_begin_object(j);
    json_key(j, STR("schemaVersion"));
    json_write_int(j, 2);
    json_key(j, STR("manifests"));
    json_begin_array(j);
    json_begin_object(j);
    json_put_text(j, "mediaType", STR("application/vnd.oci.image.manifest.v1+json"));
    json_put_text(j, "digest", digest(w, &w->manifest));
    json_key(j, STR("size"));
    json_write_int(j, w->manifest.size);
    json_key(j, STR("annotations"));
    json_begin_object(j);
    json_put_text(j, "org.opencontainers.image.ref.name", tag.n > 0 ? tag : name);
    json_end_object(j);
    json_end_object(j);
    json_end_array(j);
    json_end_object(j);
}

static struct str blob_name(struct writing *w, const struct blob *b)
{
    return arena_printf(w->arena, "blobs/sha256/" STR_FMT, STR_ARG(b->hex));
}

/* The manifest that `docker load` and go-containerregistry read. */
static void write_docker(struct writing *w, struct json_writer *j)
{
    json_begin_array(j);
    json_begin_object(j);
    json_put_text(j, "Config", blob_name(w, &w->config));
    json_key(j, STR("RepoTags"));
    json_begin_array(j);
    json_write_string(j, str_of(w->image->tag));
    json_end_array(j);
    json_key(j, STR("Layers"));
    json_begin_array(j);
    for (size_t i = 0; i < w->layers.n; i++)
        json_write_string(j, blob_name(w, &w->layers.v[i]));
    json_end_array(j);
    json_end_object(j);
    json_end_array(j);
}

static struct str document(struct writing *w, void (*write)(struct writing *w, struct json_writer *j))
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    struct json_writer j = {.out = &out};
    write(w, &j);
    (void)json_finish(&j);
    return buf_copy(&out, w->arena);
}

static bool document_blob(struct writing *w, const char *name, void (*write)(struct writing *w, struct json_writer *j),
                          struct blob *ret)
{
    struct str path = arena_printf(w->arena, STR_FMT "/%s", STR_ARG(w->staging), name);
    return file_write(path.p, document(w, write), 0600, w->diags) && make_blob(w, path, ret);
}

static bool add_blob(struct writing *w, struct packed_out *o, const struct blob *b)
{
    return packed_add_file(o, blob_name(w, b).p, b->path.p, 0644);
}

/* Sorts blobs by hash, so that duplicates can be dropped: two layers may be equal. */
static int by_hex(const void *a, const void *b)
{
    return str_cmp(((const struct blob *)a)->hex, ((const struct blob *)b)->hex);
}

static bool write_archive(struct writing *w, const char *path)
{
    struct packed_out o;
    VEC(struct blob) blobs = {0};
    for (size_t i = 0; i < w->layers.n; i++)
        *VEC_PUSH(w->arena, &blobs) = w->layers.v[i];
    *VEC_PUSH(w->arena, &blobs) = w->config;
    *VEC_PUSH(w->arena, &blobs) = w->manifest;
    qsort(blobs.v, blobs.n, sizeof *blobs.v, by_hex);
    bool ok = packed_begin(&o, PACKED_TAR, path, w->diags) && packed_add_folder(&o, "blobs/", 0755) &&
              packed_add_folder(&o, "blobs/sha256/", 0755);
    for (size_t i = 0; ok && i < blobs.n; i++)
        if (i == 0 || !str_eq(blobs.v[i].hex, blobs.v[i - 1].hex))
            ok = add_blob(w, &o, &blobs.v[i]);
    ok = ok && packed_add(&o, "index.json", document(w, write_index), 0644) &&
         packed_add(&o, "manifest.json", document(w, write_docker), 0644) &&
         packed_add(&o, "oci-layout", STR("{\"imageLayoutVersion\":\"1.0.0\"}"), 0644);
    return packed_end(&o) && ok;
}

static bool write_image(struct writing *w, const char *path)
{
    struct str temporary = arena_printf(w->arena, STR_FMT "/image", STR_ARG(w->staging));
    if (!write_layers(w) || !document_blob(w, "config", write_config, &w->config) ||
        !document_blob(w, "manifest", write_manifest, &w->manifest) || !write_archive(w, temporary.p))
        return false;
    if (chmod(temporary.p, 0644) == 0 && rename(temporary.p, path) == 0)
        return true;
    return fail_errno(w, str_of(path));
}

bool image_write(struct arena *a, const struct image *image, const char *path, struct diags *diags)
{
    struct writing w = {.arena = a, .image = image, .diags = diags};
    struct str template = arena_printf(a, "%s.tmp.XXXXXX", path);
    if (!mkdtemp((char *)(uintptr_t)template.p))
        return fail_errno(&w, str_of(path));
    w.staging = template;
    bool ok = write_image(&w, path);
    unzip_remove(template.p);
    return ok;
}
