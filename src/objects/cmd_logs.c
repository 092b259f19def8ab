/* terrane logs: shows the log of `terrane up`. */
#include "base/file.h"
#include "base/terminal.h"
#include "base/vec.h"
#include "objects/objects.h"
#include "objects/up_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 << 10, MAX_LINE = 1 << 20 };
#define LOOK_NS (200 * NS_PER_MS)

struct logging {
    struct app *app;
    bool json;
    struct str object; /* only lines about this object: group/Kind/namespace/name; empty: all */
    bool printed;
};

/* time, level, message, then the other members: the format of the log on a terminal. */
static void write_line(struct buf *out, const struct json *line)
{
    static const char *const first[] = {"@timestamp", "@level", "@message"};
    for (size_t i = 0; i < 3; i++) {
        terminal_write(out, json_text(json_get(line, first[i]), STR_EMPTY), TERMINAL_KEEP_NOTHING);
        buf_addc(out, i < 2 ? ' ' : '\0');
    }
    out->n--; /* remove the last blank */
    for (size_t i = 0; i < line->object.n; i++) {
        const struct json_member *m = &line->object.members[i];
        if (str_eqz(m->key, first[0]) || str_eqz(m->key, first[1]) || str_eqz(m->key, first[2]))
            continue;
        buf_addc(out, ' ');
        terminal_write(out, m->key, TERMINAL_KEEP_NOTHING);
        buf_addc(out, '=');
        terminal_write(
            out, json_text(m->value, m->value->kind == JSON_BOOL ? (m->value->boolean ? STR("true") : STR("false")) : STR_EMPTY),
            TERMINAL_KEEP_NOTHING);
    }
    buf_addc(out, '\n');
}

/* Is this line asked for? *ret_line is NULL if it is no JSON object. */
static bool is_meant(const struct logging *l, struct arena *a, struct str text, const struct json **ret_line)
{
    const struct json *line = json_parse_lenient(a, text);
    *ret_line = line && line->kind == JSON_OBJECT ? line : NULL;
    return l->object.n == 0 || (*ret_line && str_eq(json_text(json_get(line, "object"), STR_EMPTY), l->object));
}

static bool print_line(struct logging *l, struct str text)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(TERMINAL_MAX(MAX_LINE) + 1024);
    const struct json *line;
    if (!is_meant(l, a, text, &line))
        return true;
    l->printed = true;
    if (l->json || !line) {
        terminal_write(&out, text, TERMINAL_KEEP_NOTHING);
        buf_addc(&out, '\n');
    } else {
        write_line(&out, line);
    }
    return app_print(l->app, buf_str(&out));
}

/* Prints all complete lines of a file; `rest` keeps the incomplete last one. */
static bool print_text(struct logging *l, struct buf *rest)
{
    size_t done = 0;
    for (size_t end = str_find(buf_str(rest), '\n', 0); end != SIZE_MAX; end = str_find(buf_str(rest), '\n', done)) {
        if (!print_line(l, str_slice(buf_str(rest), done, end)))
            return false;
        done = end + 1;
    }
    buf_consume(rest, done);
    if (rest->n >= MAX_LINE)
        buf_clear(rest);
    return true;
}

static bool print_rest(struct logging *l, int fd, struct buf *rest)
{
    for (;;) {
        char *room = buf_room(rest, PIECE);
        ssize_t n = room ? read(fd, room, PIECE) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return true;
        buf_grew(rest, (size_t)n);
        if (!print_text(l, rest))
            return false;
    }
}

/* Where the last `*tail` lines that are asked for begin, in whole lines; `*tail` becomes how many there are too few. */
static size_t tail_start(const struct logging *l, struct str text, int64_t *tail)
{
    for (size_t end = text.n; end > 0;) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct json *ignored;
        size_t start = end - 1; /* the end of this line */
        while (start > 0 && text.p[start - 1] != '\n')
            start--;
        if (is_meant(l, a, str_slice(text, start, end - 1), &ignored) && --*tail == 0)
            return start;
        end = start;
    }
    return 0;
}

static bool is_replaced(int fd, const char *path)
{
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && (mine.st_ino != there.st_ino || mine.st_dev != there.st_dev);
}

static bool follow(struct logging *l, const char *path, size_t from)
{
    struct buf rest BUF_AUTO = BUF_INIT(MAX_LINE + (2 * PIECE));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && lseek(fd, (off_t)from, SEEK_SET) >= 0;
    while (ok && !cancel_fired(l->app->cancel)) {
        bool replaced = is_replaced(fd, path); /* asked first, so that the old file is read to its end */
        ok = print_rest(l, fd, &rest);
        if (ok && replaced) {
            (void)close(fd);
            fd = open(path, O_RDONLY | O_CLOEXEC);
            ok = fd >= 0;
        }
        (void)usleep(LOOK_NS / 1000);
    }
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static bool show(struct logging *l, const char *folder, int64_t tail, bool follows)
{
    struct app *app = l->app;
    const char *path = arena_printf(app->arena, "%s/" UP_LOG_FILE, folder).p;
    const char *old = arena_printf(app->arena, "%s/" UP_LOG_OLD, folder).p;
    struct str before = STR_EMPTY, text = STR_EMPTY;
    if (file_exists(old) && !file_read(app->arena, old, 4 * (size_t)UP_LOG_MAX, &app->diags, &before))
        return false;
    if (!file_exists(path))
        return diags_fail(&app->diags, "No log", "There is no %s: no `terrane up` has run with this store.", path);
    if (!file_read(app->arena, path, 4 * (size_t)UP_LOG_MAX, &app->diags, &text))
        return false;
    size_t end = text.n;
    while (end > 0 && text.p[end - 1] != '\n')
        end--; /* the rest is still being written */
    int64_t lack = tail;
    size_t from = tail > 0 ? tail_start(l, str_slice(text, 0, end), &lack) : 0;
    size_t from_before = tail == 0 ? 0 : lack > 0 ? tail_start(l, before, &lack) : before.n;
    struct str parts[] = {str_slice(before, from_before, before.n), str_slice(text, from, end)};
    for (size_t i = 0; i < 2; i++)
        for (struct str rest = parts[i]; rest.n > 0;)
            if (!print_line(l, str_cut(&rest, '\n')))
                return false;
    if (!l->printed && !follows)
        app_say(app, "No lines found.\n");
    return !follows || follow(l, path, end);
}

/* The object's name in the controller's log. */
static bool find_object(struct objects *o, int n, const char **words, struct str *ret)
{
    struct objects_meant meant;
    size_t used;
    if (!objects_understand(o, words, (size_t)n, &meant, &used))
        return false;
    if (meant.n_names != 1 || used != (size_t)n || meant.n_kinds == 0)
        return diags_fail(&o->app->diags, "Name is missing",
                          "The log is shown of one object, or all of it: terrane logs KIND NAME.");
    const struct kind *kind = meant.kinds[0];
    const struct kind *found = NULL;
    if (objects_get(o, &meant, meant.names[0], true, &found)) /* an object that is gone may still be in the log */
        kind = found;
    struct str namespace = objects_namespace(o, kind);
    *ret = arena_printf(o->app->arena, STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->kind),
                        STR_ARG(namespace), STR_ARG(meant.names[0]));
    return true;
}

static int run_logs(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct objects_options o = {0};
    struct logging l = {.app = app, .object = STR_EMPTY};
    bool follows = false;
    int64_t tail = 0;
    const struct option options[] = {
        {"follow", 'f', OPTION_FLAG, &follows, NULL, "follow the log"},
        {"tail", 0, OPTION_NUMBER, &tail, "N", "only the last lines"},
        {"json", 0, OPTION_FLAG, &l.json, NULL, "one JSON object a line, as it is in the file"},
        OBJECTS_OPTION_NAMESPACE(&o),
        OBJECTS_OPTION_DATA(&o),
        {0},
    };
    struct objects objects;
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    bool ok = objects_open(&objects, app, &o) && (n == 0 || find_object(&objects, n, argv, &l.object)) &&
              show(&l, objects.folder, tail, follows);
    objects_close(&objects);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct command command_logs = {
    .name = "logs",
    .usage = "[KIND NAME] [options]",
    .summary = "show what `terrane up` logged",
    .details = "The log is up.log in the store's folder; with TERRANE_LOG set, `terrane up` writes to stderr instead. What "
               "providers write is\n"
               "not in it.",
    .example = "  terrane logs -f\n"
               "  terrane logs bucket logs -n shop --tail 20",
    .run = run_logs,
    .complete = objects_complete,
};
