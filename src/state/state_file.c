#include "state/state_file.h"

#include "base/file.h"
#include "state/state_read.h"
#include "state/state_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FOLDER/.NAME.unfinished */
static const char *unfinished_path_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return arena_printf(a, "%.*s.%s.unfinished", (int)(name - path), path, name[0] == '.' ? name + 1 : name).p;
}

/* The file's bytes */

static bool fail_errno(const struct state_file *f, struct diags *diags, const char *summary)
{
    return diags_fail(diags, summary, "%s: %s.", f->path, strerror(errno));
}

static bool read_locked(const struct state_file *f, struct diags *diags, struct str *ret)
{
    struct stat st;
    if (fstat(f->lock->fd, &st) != 0)
        return fail_errno(f, diags, "Cannot read the state");
    if (st.st_size > STATE_MAX_FILE)
        return diags_fail(diags, "Cannot read the state", "%s: larger than the limit of %d bytes.", f->path, (int)STATE_MAX_FILE);
    size_t size = (size_t)st.st_size, n = 0;
    char *text = arena_alloc(f->arena, size + 1, 1);
    while (n < size) {
        ssize_t got = pread(f->lock->fd, text + n, size - n, (off_t)n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(f, diags, "Cannot read the state");
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *ret = (struct str){text, n};
    return true;
}

static bool overwrite(int fd, struct str text)
{
    for (size_t n = 0; n < text.n;) {
        ssize_t put = pwrite(fd, text.p + n, text.n - n, (off_t)n);
        if (put < 0 && errno != EINTR)
            return false;
        n += put > 0 ? (size_t)put : 0;
    }
    return ftruncate(fd, (off_t)text.n) == 0 && fsync(fd) == 0;
}

/* Allocates the space for a longer text before the old one is overwritten. Not all file systems support this. */
static bool reserve(int fd, size_t size)
{
    return size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) == 0 || errno == EOPNOTSUPP || errno == ENOSYS;
}

static bool write_locked(const struct state_file *f, struct str text)
{
    /* This fails for another user's file, which then keeps its mode. */
    (void)!fchmod(f->lock->fd, 0600);
    return reserve(f->lock->fd, text.n) && overwrite(f->lock->fd, text);
}

/* Backs up the file as it was read. If that fails, the new state is saved anyway. */
static void back_up(struct state_file *f, struct diags *diags)
{
    if (f->backed_up || f->original.n == 0)
        return;
    struct diags why;
    diags_init(&why, f->arena);
    f->backed_up = file_write(arena_printf(f->arena, "%s.backup", f->path).p, f->original, 0600, &why);
    if (!f->backed_up)
        diags_warn(diags, "No backup of the state", STR_FMT, STR_ARG(why.v[0].detail));
}

/* When the state file cannot be written */

/*
 * Writes a complete copy of the new state, under a name that the next copy does not overwrite. NULL: it could not be written to
 * any folder.
 */
static const char *write_copy(const struct state_file *f, struct str text)
{
    const char *slash = strrchr(f->path, '/');
    const char *beside =
        slash ? arena_str(f->arena, (struct str){f->path, (size_t)(slash - f->path) + (slash == f->path)}).p : ".";
    const char *temporary = getenv("TMPDIR");
    const char *const folders[] = {beside, ".", temporary && temporary[0] ? temporary : "/tmp"};
    const char *copy = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !copy; i++)
        copy = file_save_new(f->arena, folders[i], "errored", ".tfstate", text);
    return copy;
}

#define UNTIL_THEN                                                                                                               \
    "Until it is in place, the state file does not know what was done just now, and an apply would do it a second time."

/* Tells the user where the new state is and what to do. Returns false. */
static bool tell_copy(const struct state_file *f, const char *copy, struct diags *diags)
{
    if (copy && str_eqz(str_of(copy), f->unfinished_path))
        return diags_fail(diags, "State saved beside its file",
                          "The new state is complete in %s. It is put into place when Terrane opens %s the next time; for "
                          "Terraform: terraform state push %s\n" UNTIL_THEN,
                          copy, f->path, copy);
    if (copy)
        return diags_fail(diags, "State saved in another file",
                          "The new state is complete in %s. When the cause is removed, put it into place: terraform state push "
                          "%s, or copy it to %s.\n" UNTIL_THEN,
                          copy, copy, f->path);
    return diags_fail(diags, "State not saved",
                      "No folder takes a copy of it either, so the whole new state was written to standard error, between two "
                      "marker lines. It may hold secrets. Put it into %s when the cause is removed.\n" UNTIL_THEN,
                      f->path);
}

/* The last resort. Not a diagnostic, because it is the whole content of a file. */
static void print_text(struct str text)
{
    (void)file_put(STDERR_FILENO, STR("\n----- the new state, which could not be saved: -----\n"));
    (void)file_put(STDERR_FILENO, text);
    (void)file_put(STDERR_FILENO, STR("----- end of the new state -----\n\n"));
}

static bool fail_replace(const struct state_file *f, const char *copy, struct str text, struct diags *diags)
{
    if (!copy)
        print_text(text);
    return tell_copy(f, copy, diags);
}

/*
 * First the copy is written, wherever there is space, then space is allocated in the file itself, and only then the backup is
 * made, because the new state matters more than the old one. The file is written even if there is no copy. Whatever fails, the
 * new state is kept somewhere, and the user is told where.
 */
static bool replace_locked(struct state_file *f, struct str text, struct diags *diags)
{
    struct diags ignored;
    struct str old = STR_EMPTY;
    diags_init(&ignored, f->arena);
    if (!state_lock_is_in_place(f->lock)) {
        (void)diags_fail(diags, "Cannot write the state", "%s: it was removed or replaced by another program meanwhile.",
                         f->path);
        return fail_replace(f, write_copy(f, text), text, diags);
    }
    if (!read_locked(f, diags, &old))
        return fail_replace(f, write_copy(f, text), text, diags);
    bool beside = file_write(f->unfinished_path, text, 0600, &ignored);
    const char *copy = beside ? f->unfinished_path : write_copy(f, text);
    bool room = reserve(f->lock->fd, text.n);
    if (room)
        back_up(f, diags);
    if (room && write_locked(f, text)) {
        if (copy)
            (void)unlink(copy);
        return true;
    }
    (void)fail_errno(f, diags, "Cannot write the state");
    if (room)
        (void)overwrite(f->lock->fd, old); /* the old state is better than half of the new one */
    return fail_replace(f, copy, text, diags);
}

/* Opening */

/* The state that an interrupted save left beside the file, if it is newer than the file or the file cannot be read; else NULL. */
static struct state *unfinished_state(const struct state_file *f, const struct state *current, struct str *ret_text)
{
    struct diags ignored;
    diags_init(&ignored, f->arena);
    if (!file_exists(f->unfinished_path) || !file_read(f->arena, f->unfinished_path, STATE_MAX_FILE, &ignored, ret_text))
        return NULL;
    struct state *s = state_read(f->arena, *ret_text, f->unfinished_path, &ignored);
    if (s && current && (!str_eq(s->lineage, current->lineage) || s->serial <= current->serial))
        s = NULL;
    return s;
}

static bool complete_save(struct state_file *f, struct state *unfinished, struct str text, struct diags *diags)
{
    if (!write_locked(f, text))
        return fail_errno(f, diags, "Cannot write the state");
    diags_warn(diags, "State save completed",
               "An earlier save of %s was cut short. Its result, serial %" PRIu64 ", was found beside it and is in place now.",
               f->path, unfinished->serial);
    f->state = unfinished;
    f->original = text;
    return true;
}

static bool load(struct state_file *f, struct diags *diags)
{
    struct diags problems;
    struct str text;
    diags_init(&problems, f->arena);
    if (!read_locked(f, diags, &f->original))
        return false;
    /* As in Terraform, an empty file is not a state. */
    bool empty = f->original.n == 0;
    f->state = empty ? NULL : state_read(f->arena, f->original, f->path, &problems);
    struct state *unfinished = unfinished_state(f, f->state, &text);
    if (unfinished && !complete_save(f, unfinished, text, diags))
        return false;
    if (!f->state && !empty) {
        diags_append(diags, &problems);
        return false;
    }
    if (!f->state)
        f->state = state_new(f->arena);
    (void)unlink(f->unfinished_path); /* the save is complete now, or the file is not needed */
    return true;
}

static void free_content(void *f)
{
    buf_free(&((struct state_file *)f)->content);
}

bool state_file_open(struct arena *a, const char *path, const struct state_lock_request *request, struct diags *diags,
                     struct state_file **ret)
{
    struct state_file *f = arena_make(a, struct state_file);
    f->arena = a;
    f->path = arena_str(a, str_of(path)).p;
    f->unfinished_path = unfinished_path_of(a, path);
    if (!state_lock_take(a, path, request, diags, &f->lock))
        return false;
    f->content = BUF_INIT(STATE_MAX_FILE);
    arena_on_free(a, free_content, f);
    if (!load(f, diags) || !state_write_content(&f->content, f->state, diags)) {
        state_lock_release(f->lock);
        return false;
    }
    *ret = f;
    return true;
}

void state_file_close(struct state_file *f)
{
    state_lock_release(f->lock);
}

/* Saving */

static bool write_next(struct state_file *f, struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    struct state *s = f->state;
    struct state next = *s;
    next.serial++;
    if (next.lineage.n == 0)
        next.lineage = state_new_uuid(f->arena);
    if (next.read_version != 4) {
        next.terraform_version = STR(STATE_TERRAFORM_VERSION);
        next.layout = STATE_INDENTED;
    }
    next.read_version = 4;
    if (!state_write(&text, &next, diags))
        return false;
    if (!replace_locked(f, buf_str(&text), diags))
        return false;
    *s = next;
    return true;
}

bool state_file_save(struct state_file *f, struct diags *diags)
{
    struct buf content BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    if (!state_write_content(&content, f->state, diags))
        return false;
    bool first = f->original.n == 0 && f->state->serial == 0;
    if (!first && str_eq(buf_str(&content), buf_str(&f->content)))
        return true;
    if (!write_next(f, diags))
        return false;
    struct buf old = f->content;
    f->content = content;
    content = old;
    return true;
}

struct state *state_file_look(struct arena *a, const char *path, struct diags *diags)
{
    struct str text;
    if (!file_exists(path))
        return state_new(a);
    if (!file_read(a, path, STATE_MAX_FILE, diags, &text))
        return NULL;
    return text.n == 0 ? state_new(a) : state_read(a, text, path, diags);
}
