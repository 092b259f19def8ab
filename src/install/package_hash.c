#include "install/package_hash.h"

#include "base/base64.h"
#include "base/vec.h"
#include "registry/content_key.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct listing {
    struct arena *arena;
    const char *root;
    struct diags *diags;
    VEC(struct str) names; /* paths of files, relative to the root */
};

static bool fail(struct diags *diags, struct str path, const char *why)
{
    return diags_fail(diags, "Cannot read a provider package", STR_FMT ": %s.", STR_ARG(path), why);
}

static bool list(struct listing *l, struct str folder, unsigned depth);

static bool list_entry(struct listing *l, struct str name, unsigned depth)
{
    struct stat st;
    struct str path = arena_printf(l->arena, "%s/" STR_FMT, l->root, STR_ARG(name));
    if (stat(path.p, &st) != 0)
        return fail(l->diags, path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return list(l, name, depth + 1);
    if (!S_ISREG(st.st_mode))
        return fail(l->diags, path, "neither file nor folder");
    if (l->names.n == PACKAGE_MAX_FILES)
        return fail(l->diags, str_of(l->root), "too many files");
    *VEC_PUSH(l->arena, &l->names) = name;
    return true;
}

/* `folder`: relative to the root, empty for the root itself. */
static bool list(struct listing *l, struct str folder, unsigned depth)
{
    struct str path = folder.n > 0 ? arena_printf(l->arena, "%s/" STR_FMT, l->root, STR_ARG(folder)) : str_of(l->root);
    if (depth > PACKAGE_MAX_DEPTH)
        return fail(l->diags, path, "too many folders in folders");
    DIR *dir = opendir(path.p);
    if (!dir)
        return fail(l->diags, path, strerror(errno));
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        struct str name = folder.n > 0 ? arena_printf(l->arena, STR_FMT "/%s", STR_ARG(folder), e->d_name)
                                       : arena_str(l->arena, str_of(e->d_name));
        ok = list_entry(l, name, depth);
    }
    (void)closedir(dir);
    return ok;
}

static bool hash_path(struct arena *a, const char *path, struct diags *diags, struct str *ret_hex)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && content_hash(a, fd, ret_hex);
    int reason = errno;
    if (fd >= 0)
        (void)close(fd);
    return ok || fail(diags, str_of(path), strerror(reason));
}

static struct str base64_of_sum(struct arena *a, EVP_MD_CTX *digest)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_DigestFinal_ex(digest, sum, &n) != 1)
        abort();
    struct buf out BUF_AUTO = BUF_INIT(256);
    buf_addz(&out, "h1:");
    base64_write(&out, (struct str){(const char *)sum, n});
    return buf_copy(&out, a);
}

bool package_files(struct arena *a, const char *folder, struct diags *diags, const struct str **ret, size_t *ret_n)
{
    struct listing l = {.arena = a, .root = folder, .diags = diags};
    if (!list(&l, STR_EMPTY, 0))
        return false;
    if (l.names.n > 0)
        qsort(l.names.v, l.names.n, sizeof *l.names.v, str_cmp_qsort);
    *ret = l.names.v;
    *ret_n = l.names.n;
    return true;
}

bool package_hash_folder(struct arena *a, const char *folder, struct diags *diags, struct str *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct str *names;
    size_t n;
    if (!package_files(scratch, folder, diags, &names, &n))
        return false;
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (!digest || EVP_DigestInit_ex(digest, EVP_sha256(), NULL) != 1)
        abort(); /* no memory, or a libcrypto without SHA-256 */
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        struct str hex = STR_EMPTY;
        struct str path = arena_printf(scratch, "%s/" STR_FMT, folder, STR_ARG(names[i]));
        ok = hash_path(scratch, path.p, diags, &hex);
        if (!ok)
            break;
        struct str line = arena_printf(scratch, STR_FMT "  " STR_FMT "\n", STR_ARG(hex), STR_ARG(names[i]));
        if (EVP_DigestUpdate(digest, line.p, line.n) != 1)
            abort();
    }
    if (ok)
        *ret = base64_of_sum(a, digest);
    EVP_MD_CTX_free(digest);
    return ok;
}

bool package_hash_zip(struct arena *a, const char *zip, struct diags *diags, struct str *ret)
{
    struct str hex = STR_EMPTY;
    if (!hash_path(a, zip, diags, &hex))
        return false;
    *ret = arena_printf(a, "zh:" STR_FMT, STR_ARG(hex));
    return true;
}
