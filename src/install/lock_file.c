#include "install/lock_file.h"

#include "base/file.h"
#include "base/vec.h"
#include "hcl/hcl.h"
#include "registry/address.h"
#include "registry/version.h"

#include <inttypes.h>
#include <stdlib.h>

#define TERRAFORMS_COMMENT                                                                                                       \
    "# This file is maintained automatically by \"terraform init\".\n"                                                           \
    "# Manual edits may be lost in future updates.\n"

struct reader {
    struct arena *arena;
    const char *source;
    struct diags *diags;
};

static bool fail(struct reader *r, struct hcl_place at, const char *why)
{
    return diags_fail(r->diags, "Invalid dependency lock file", "%s:%" PRIu32 ":%" PRIu32 ": %s.", r->source, at.line, at.column,
                      why);
}

static bool read_text(struct reader *r, const struct hcl_expr *e, const char *why, struct str *ret)
{
    if (e->kind != HCL_EXPR_STRING)
        return fail(r, e->at, why);
    *ret = arena_str(r->arena, e->text);
    return true;
}

/* Sorts and removes duplicates. */
static void sort_hashes(struct str *hashes, size_t *n)
{
    if (*n > 0)
        qsort(hashes, *n, sizeof *hashes, str_cmp_qsort);
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (kept == 0 || !str_eq(hashes[kept - 1], hashes[i]))
            hashes[kept++] = hashes[i];
    *n = kept;
}

static bool read_hashes(struct reader *r, const struct hcl_expr *e, struct lock_entry *entry)
{
    if (e->kind != HCL_EXPR_LIST)
        return fail(r, e->at, "\"hashes\" must be a list of strings");
    struct str *hashes = arena_make_n(r->arena, struct str, e->parts.n);
    for (size_t i = 0; i < e->parts.n; i++) {
        if (!read_text(r, e->parts.v[i], "a hash must be a string", &hashes[i]))
            return false;
        if (str_find(hashes[i], ':', 0) == SIZE_MAX)
            return fail(r, e->parts.v[i]->at, "a hash must start with its kind and a colon, as h1: or zh:");
    }
    if (e->parts.n == 0)
        return fail(r, e->at, "\"hashes\" must be left out or have at least one hash");
    entry->n_hashes = e->parts.n;
    sort_hashes(hashes, &entry->n_hashes);
    entry->hashes = hashes;
    return true;
}

/* Terraform refuses a version that it would write in another way. */
static bool is_version(struct reader *r, struct str text)
{
    struct provider_version version;
    return provider_version_parse(text, &version) && str_eq(provider_version_text(r->arena, &version), text);
}

static bool are_constraints(struct reader *r, struct str text)
{
    struct diags ignored;
    diags_init(&ignored, r->arena);
    return provider_version_constraint_parse(r->arena, text, &ignored) != NULL;
}

static bool read_attr(struct reader *r, const struct hcl_attr *attr, struct lock_entry *entry)
{
    if (str_eq(attr->name, STR("hashes")))
        return read_hashes(r, attr->value, entry);
    if (str_eq(attr->name, STR("constraints")))
        return read_text(r, attr->value, "\"constraints\" must be a string", &entry->constraints) &&
               (are_constraints(r, entry->constraints) || fail(r, attr->value->at, "not valid version constraints"));
    if (!str_eq(attr->name, STR("version")))
        return fail(r, attr->at, "unknown argument; known are version, constraints and hashes");
    return read_text(r, attr->value, "\"version\" must be a string", &entry->version) &&
           (is_version(r, entry->version) || fail(r, attr->value->at, "not a valid version of the form 1.2.3"));
}

static bool read_block(struct reader *r, const struct hcl_block *block, struct lock_file *file)
{
    struct lock_entry entry = {.version = STR_EMPTY, .constraints = STR_EMPTY};
    struct provider_address address;
    struct diags ignored;
    diags_init(&ignored, r->arena);
    if (!str_eq(block->type, STR("provider")) || block->n_labels != 1 || block->body.n_blocks > 0)
        return fail(r, block->at, "only blocks of the form provider \"HOST/NAMESPACE/TYPE\" { ... } are allowed here");
    if (!provider_address_parse(r->arena, block->labels[0], &ignored, &address))
        return fail(r, block->at, "not a valid provider address");
    entry.address = provider_address_text(r->arena, &address);
    if (!str_eq(entry.address, block->labels[0]))
        return fail(
            r, block->at,
            arena_printf(r->arena, "this provider's address must be written as \"" STR_FMT "\"", STR_ARG(entry.address)).p);
    if (lock_file_find(file, entry.address))
        return fail(r, block->at, "a second block for the same provider");
    for (size_t i = 0; i < block->body.n_attrs; i++)
        if (!read_attr(r, &block->body.attrs[i], &entry))
            return false;
    if (entry.version.n == 0)
        return fail(r, block->at, "\"version\" is missing");
    *VEC_PUSH(r->arena, file) = entry;
    return true;
}

static struct str leading_comment(struct str text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] == '#') {
        size_t end = str_find(text, '\n', n);
        n = end == SIZE_MAX ? text.n : end + 1;
    }
    return str_slice(text, 0, n);
}

bool lock_file_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct lock_file *ret)
{
    struct reader r = {a, source, diags};
    struct lock_file file = {.comment = arena_str(a, leading_comment(text))};
    const struct hcl_body *body = hcl_parse(a, text, source, 1, diags);
    if (!body)
        return false;
    if (body->n_attrs > 0)
        return fail(&r, body->attrs[0].at, "only provider blocks are allowed here");
    for (size_t i = 0; i < body->n_blocks; i++)
        if (!read_block(&r, &body->blocks[i], &file))
            return false;
    *ret = file;
    return true;
}

bool lock_file_read(struct arena *a, const char *path, struct diags *diags, struct lock_file *ret)
{
    struct str text;
    if (!file_exists(path)) {
        *ret = (struct lock_file){.comment = STR_EMPTY};
        return true;
    }
    return file_read(a, path, LOCK_FILE_MAX_BYTES, diags, &text) && lock_file_parse(a, text, path, diags, ret);
}

const struct lock_entry *lock_file_find(const struct lock_file *file, struct str address)
{
    for (size_t i = 0; i < file->n; i++)
        if (str_eq(file->v[i].address, address))
            return &file->v[i];
    return NULL;
}

void lock_file_put(struct arena *a, struct lock_file *file, const struct lock_entry *entry)
{
    struct lock_entry made = *entry;
    struct str *hashes = arena_make_n(a, struct str, entry->n_hashes);
    for (size_t i = 0; i < entry->n_hashes; i++)
        hashes[i] = entry->hashes[i];
    sort_hashes(hashes, &made.n_hashes);
    made.hashes = hashes;
    file->changed = true;
    for (size_t i = 0; i < file->n; i++)
        if (str_eq(file->v[i].address, entry->address)) {
            file->v[i] = made;
            return;
        }
    *VEC_PUSH(a, file) = made;
}

/* By host, namespace and type, part by part, so that a slash sorts before all other characters. */
static int entry_cmp(const void *a, const void *b)
{
    struct str x = ((const struct lock_entry *)a)->address, y = ((const struct lock_entry *)b)->address;
    while (x.n > 0 || y.n > 0) {
        int r = str_cmp(str_cut(&x, '/'), str_cut(&y, '/'));
        if (r != 0)
            return r;
    }
    return 0;
}

/* Addresses, versions, constraints and hashes need only these escapes. */
static void write_quoted(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\')
            buf_addc(out, '\\');
        buf_addc(out, text.p[i]);
        if ((text.p[i] == '$' || text.p[i] == '%') && i + 1 < text.n && text.p[i + 1] == '{')
            buf_addc(out, text.p[i]);
    }
    buf_addc(out, '"');
}

static void write_entry(struct buf *out, const struct lock_entry *e)
{
    buf_addz(out, "\nprovider ");
    write_quoted(out, e->address);
    buf_addz(out, e->constraints.n > 0 ? " {\n  version     = " : " {\n  version = ");
    write_quoted(out, e->version);
    if (e->constraints.n > 0) {
        buf_addz(out, "\n  constraints = ");
        write_quoted(out, e->constraints);
    }
    buf_addz(out, "\n");
    if (e->n_hashes > 0) {
        buf_addz(out, "  hashes = [\n");
        for (size_t i = 0; i < e->n_hashes; i++) {
            buf_addz(out, "    ");
            write_quoted(out, e->hashes[i]);
            buf_addz(out, ",\n");
        }
        buf_addz(out, "  ]\n");
    }
    buf_addz(out, "}\n");
}

void lock_file_text(struct buf *out, struct arena *a, const struct lock_file *file)
{
    struct lock_entry *sorted = arena_make_n(a, struct lock_entry, file->n);
    for (size_t i = 0; i < file->n; i++)
        sorted[i] = file->v[i];
    if (file->n > 0)
        qsort(sorted, file->n, sizeof *sorted, entry_cmp);
    buf_add(out, file->comment.n > 0 ? file->comment : STR(TERRAFORMS_COMMENT));
    for (size_t i = 0; i < file->n; i++)
        write_entry(out, &sorted[i]);
}

bool lock_file_write(struct arena *a, const char *path, const struct lock_file *file, struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(LOCK_FILE_MAX_BYTES);
    if (!file->changed)
        return true;
    lock_file_text(&out, a, file);
    if (!buf_ok(&out))
        return diags_fail(diags, "Cannot write the dependency lock file", "%s: it would have more than %d bytes.", path,
                          (int)LOCK_FILE_MAX_BYTES);
    return file_write(path, buf_str(&out), 0644, diags);
}
