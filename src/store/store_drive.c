/*
 * A store for tests in other languages: requests as JSON lines on stdin, an answer for each on stdout. Not installed.
 *
 *     {"do": "create" | "update" | "status", "object": {...}}
 *     {"do": "get" | "delete", "key": {"group", "kind", "namespace", "name"}, "uid": "", "version": ""}
 *     {"do": "watch", "version": "0"}     all changes since then, as they are known now
 */
#include "store/object.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ANSWER = 64 << 20 };

static const char *const results[] = {
    [STORE_OK] = "ok",           [STORE_NOT_FOUND] = "not found", [STORE_EXISTS] = "exists",     [STORE_CONFLICT] = "conflict",
    [STORE_INVALID] = "invalid", [STORE_TOO_LARGE] = "too large", [STORE_TOO_MANY] = "too many", [STORE_EXPIRED] = "expired",
    [STORE_TIMEOUT] = "timeout", [STORE_STOPPED] = "stopped",     [STORE_FAILED] = "failed",
};

static struct str member(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static void write_changes(struct store *s, struct arena *a, struct str version, struct diags *diags, struct json_writer *out)
{
    static const char *const kinds[] = {[STORE_ADDED] = "ADDED", [STORE_MODIFIED] = "MODIFIED", [STORE_DELETED] = "DELETED"};
    struct store_watch *watch = NULL;
    struct store_change change;
    json_key(out, STR("changes"));
    json_begin_array(out);
    if (store_watch_open(s, &(struct store_query){0}, version, diags, &watch) == STORE_OK) {
        while (store_watch_next(watch, a, clock_now(&system_clock), diags, &change) == STORE_OK) {
            json_begin_object(out);
            json_key(out, STR("type"));
            json_write_string(out, str_of(kinds[change.kind]));
            json_key(out, STR("object"));
            json_write(out, change.object);
            json_end_object(out);
        }
        store_watch_close(watch);
    }
    json_end_array(out);
}

static enum store_result perform(struct store *s, struct arena *a, const struct json *request, struct diags *diags,
                                 const struct json **ret)
{
    struct str what = member(request, "do");
    const struct json *object = json_get(request, "object"), *k = json_get(request, "key");
    struct store_key key = {member(k, "group"), member(k, "kind"), member(k, "namespace"), member(k, "name")};
    struct store_preconditions must = {member(request, "uid"), member(request, "version")};
    if (str_eqz(what, "create"))
        return store_create(s, a, object, diags, ret);
    if (str_eqz(what, "update"))
        return store_update(s, a, object, diags, ret);
    if (str_eqz(what, "status"))
        return store_update_status(s, a, object, diags, ret);
    if (str_eqz(what, "delete"))
        return store_remove(s, a, &key, &must, diags, ret);
    return store_get(s, a, &key, diags, ret);
}

static void answer(struct store *s, struct arena *a, struct str line)
{
    struct diags diags;
    struct buf text BUF_AUTO = BUF_INIT(MAX_ANSWER);
    struct json_writer out = {.out = &text};
    const struct json *object = NULL;
    diags_init(&diags, a);
    const struct json *request = json_parse(a, line, "request", &diags);
    json_begin_object(&out);
    if (str_eqz(member(request, "do"), "watch")) {
        write_changes(s, a, member(request, "version"), &diags, &out);
    } else {
        json_key(&out, STR("result"));
        json_write_string(&out, str_of(results[perform(s, a, request, &diags, &object)]));
        json_key(&out, STR("object"));
        json_write(&out, object ? object : json_make_null(a));
        json_key(&out, STR("said"));
        json_write_string(&out, diags.n > 0 ? diags.v[0].detail : STR_EMPTY);
    }
    json_end_object(&out);
    (void)json_finish(&out);
    (void)printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    struct arena *a = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct store *s = argc == 2 ? store_sqlite_open(argv[1], NULL, &diags) : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t n = 0;
    while (s && (n = getline(&line, &room, stdin)) > 0) {
        arena_reset(a);
        answer(s, a, (struct str){line, (size_t)n});
    }
    free(line);
    store_close(s);
    arena_free(a);
    return s ? 0 : 1;
}
