/*
 * Writes a container image as one file, without a daemon: the OCI image layout in a tar archive, plus the manifest that `docker
 * load` reads. So skopeo, umoci, podman, docker and the crossplane command line all accept the file.
 *
 * Layers are uncompressed tar archives. The same files give the same bytes; the image's date is SOURCE_DATE_EPOCH, or 1970.
 */
#pragma once

#include "base/diag.h"

#include <sys/types.h>

struct image_file {
    struct str path;    /* in the image, without a slash at the beginning */
    const char *from;   /* a file; NULL: `content` */
    struct str content; /* or the content */
    mode_t mode;
};

struct image_layer {
    const struct image_file *files; /* in any order; parent folders are added */
    size_t n;
    struct str xpkg; /* the layer's annotation for Crossplane: "base"; empty: none */
};

struct image {
    const struct image_layer *layers;
    size_t n_layers;
    const char *tag;        /* for `docker load`, such as terrane:0.1.0 */
    const char *arch;       /* Go's name for it */
    const char *entrypoint; /* NULL: none */
    const struct str *args; /* its arguments */
    size_t n_args;
    const char *user; /* "65532:65532"; NULL: root */
    int64_t created;  /* seconds since 1970 */
};

/* The file appears complete or not at all. */
bool image_write(struct arena *a, const struct image *image, const char *path, struct diags *diags);
