/*
 * A store for tests in other languages: requests as JSON lines on stdin, an answer for each on stdout. Not installed.
 *
 *     {"do": "create" | "update" | "status", "object": {...}}
 *     {"do": "get" | "delete", "key": {"group", "kind", "namespace", "name"}, "uid": "", "version": ""}
 *     {"do": "watch", "version": "0"}     all changes since then, without waiting
 *     {"do": "watch", "version": "7", "count": 3, "group": "", "kind": "", "selector": ""}     waits for 3 changes
 *                                             ("seconds": time limit, by default 120)
 *     {"do": "list", "group": "", "kind": "", "namespace": "", "selector": ""}
 *     {"do": "record", "key": {...}, "uid": "", "type": "", "reason": "", "message": ""} | {"do": "events", "uid": ""}
 *
 * usage: store_drive FOLDER [visit] | store_drive --kubeconfig FILE [GROUP/KIND]...      visit: without the lease
 */
#include "kube/client.h"
#include "store/kube.h"
#include "store/object.h"
#include "store/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_ANSWER = 64 << 20, MAX_KINDS = 16, PATIENCE_S = 120 };

static const char *const results[] = {
    [STORE_OK] = "ok",           [STORE_NOT_FOUND] = "not found", [STORE_EXISTS] = "exists",     [STORE_CONFLICT] = "conflict",
    [STORE_INVALID] = "invalid", [STORE_TOO_LARGE] = "too large", [STORE_TOO_MANY] = "too many", [STORE_EXPIRED] = "expired",
    [STORE_TIMEOUT] = "timeout", [STORE_STOPPED] = "stopped",     [STORE_FAILED] = "failed",
};

static struct str member(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static struct store_query query_of(struct arena *a, const struct json *request, struct selector *selector, struct diags *diags)
{
    *selector = (struct selector){0};
    (void)selector_parse(a, member(request, "selector"), diags, selector);
    return (struct store_query){.group = member(request, "group"),
                                .kind = member(request, "kind"),
                                .namespace = member(request, "namespace"),
                                .selector = selector};
}

static void write_changes(struct store *s, struct arena *a, const struct json *request, struct diags *diags,
                          struct json_writer *out)
{
    static const char *const kinds[] = {[STORE_ADDED] = "ADDED", [STORE_MODIFIED] = "MODIFIED", [STORE_DELETED] = "DELETED"};
    struct store_watch *watch = NULL;
    struct store_change change;
    struct selector selector;
    struct store_query query = query_of(a, request, &selector, diags);
    int64_t count = json_int(json_get(request, "count"), -1);
    int64_t seconds = json_int(json_get(request, "seconds"), count < 0 ? 0 : PATIENCE_S);
    int64_t deadline = clock_now(&system_clock) + seconds * NS_PER_S;
    json_key(out, STR("changes"));
    json_begin_array(out);
    enum store_result result = store_watch_open(s, &query, member(request, "version"), diags, &watch);
    while (result == STORE_OK && count-- != 0 && (result = store_watch_next(watch, a, deadline, diags, &change)) == STORE_OK) {
        json_begin_object(out);
        json_key(out, STR("type"));
        json_write_string(out, str_of(kinds[change.kind]));
        json_key(out, STR("object"));
        json_write(out, change.object);
        json_end_object(out);
    }
    store_watch_close(watch);
    json_end_array(out);
    json_key(out, STR("result"));
    json_write_string(out, str_of(results[result]));
}

static bool write_object(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    json_write(ctx, object);
    return true;
}

static void write_list(struct store *s, struct arena *a, const struct json *request, struct diags *diags, struct json_writer *out)
{
    struct selector selector;
    struct store_query query = query_of(a, request, &selector, diags);
    struct str version = STR_EMPTY;
    json_key(out, STR("objects"));
    json_begin_array(out);
    enum store_result result = store_list(s, a, &query, write_object, out, diags, &version);
    json_end_array(out);
    json_key(out, STR("result"));
    json_write_string(out, str_of(results[result]));
    json_key(out, STR("version"));
    json_write_string(out, version);
}

static void write_events(struct store *s, struct arena *a, const struct json *request, struct diags *diags,
                         struct json_writer *out)
{
    struct store_events events = {0};
    enum store_result result = store_events(s, a, member(request, "uid"), diags, &events);
    json_key(out, STR("events"));
    json_begin_array(out);
    for (size_t i = 0; i < events.n; i++) {
        json_begin_object(out);
        json_key(out, STR("reason"));
        json_write_string(out, events.v[i].reason);
        json_key(out, STR("message"));
        json_write_string(out, events.v[i].message);
        json_key(out, STR("type"));
        json_write_string(out, events.v[i].type);
        json_key(out, STR("count"));
        json_write_int(out, events.v[i].count);
        json_end_object(out);
    }
    json_end_array(out);
    json_key(out, STR("result"));
    json_write_string(out, str_of(results[result]));
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
    if (str_eqz(what, "record"))
        return store_record(s,
                            &(struct store_event){.about = key,
                                                  .uid = must.uid,
                                                  .type = member(request, "type"),
                                                  .reason = member(request, "reason"),
                                                  .message = member(request, "message")},
                            diags);
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
    struct str what = member(request, "do");
    json_begin_object(&out);
    if (str_eqz(what, "watch")) {
        write_changes(s, a, request, &diags, &out);
    } else if (str_eqz(what, "list")) {
        write_list(s, a, request, &diags, &out);
    } else if (str_eqz(what, "events")) {
        write_events(s, a, request, &diags, &out);
    } else {
        json_key(&out, STR("result"));
        json_write_string(&out, str_of(results[perform(s, a, request, &diags, &object)]));
        json_key(&out, STR("object"));
        json_write(&out, object ? object : json_make_null(a));
    }
    json_key(&out, STR("said"));
    json_write_string(&out, diags.n > 0 ? diags.v[0].detail : STR_EMPTY);
    json_end_object(&out);
    (void)json_finish(&out);
    (void)printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
    (void)fflush(stdout);
}

static void serve(struct store *s)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        arena_reset(a);
        answer(s, a, (struct str){line, (size_t)n});
    }
    free(line);
}

static int complain(const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_ANSWER);
    diags_write(&text, diags, false);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    return 1;
}

static int serve_kubernetes(struct arena *a, const char *file, char **kinds, int n)
{
    struct diags diags;
    struct kubeconfig config;
    struct store_kube_kind asked[MAX_KINDS];
    diags_init(&diags, a);
    const char *const *env = (const char *const *)environ;
    if (!kubeconfig_load(a, &(struct kubeconfig_options){.env = env, .file = file}, &diags, &config))
        return complain(&diags);
    for (int i = 0; i < n && i < MAX_KINDS; i++) {
        struct str kind = str_of(kinds[i]), group = str_cut(&kind, '/');
        asked[i] = (struct store_kube_kind){.group = group, .kind = kind};
    }
    struct loop *loop = loop_new();
    struct kube_options options = {.loop = loop, .config = &config, .env = env, .user_agent = STR("store_drive")};
    struct kube *client = kube_new(&options, &diags);
    if (client) {
        struct store_kube_options how = {.client = client, .kinds = asked, .n_kinds = (size_t)n};
        struct store *s = store_kube_open(&how);
        serve(s);
        store_close(s);
        kube_free(client);
    }
    loop_free(loop);
    return client ? 0 : complain(&diags);
}

static int serve_folder(struct arena *a, const char *folder, bool visit)
{
    struct diags diags;
    diags_init(&diags, a);
    struct store *s = store_sqlite_open(folder, &(struct store_sqlite_options){.visit = visit}, &diags);
    if (!s)
        return complain(&diags);
    serve(s);
    store_close(s);
    return 0;
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    if (argc >= 3 && argc - 3 <= MAX_KINDS && strcmp(argv[1], "--kubeconfig") == 0)
        return serve_kubernetes(a, argv[2], argv + 3, argc - 3);
    bool visit = argc == 3 && strcmp(argv[2], "visit") == 0;
    return argc == 2 || visit ? serve_folder(a, argv[1], visit) : 64;
}
