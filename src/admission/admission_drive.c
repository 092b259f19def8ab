/*
 * Admission for tests in other languages: requests as JSON lines on stdin, an answer for each on stdout. Not installed.
 *
 *     {"crd": {...}}                                      compiled and kept under its group and kind
 *     {"object": {...}, "old": {...} or null, "strict": false, "namespace": ""}
 *
 * An answer is {"ok": true, "object": {...} or null, "said": [{"error": true, "path": [...], "text": ""}]}.
 */
#include "admission/admission.h"
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_ANSWER = 64 << 20 };

static struct str key_of(struct arena *a, struct str group, struct str kind)
{
    return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(kind));
}

static bool compile(struct map *kinds, const struct json *crd, struct diags *diags)
{
    const struct admission_kind *k = NULL;
    if (!admission_compile(kinds->arena, crd, diags, &k))
        return false;
    map_put(kinds, key_of(kinds->arena, k->group, k->kind), (void *)(uintptr_t)k);
    return true;
}

static bool check(struct arena *a, const struct map *kinds, const struct json *request, struct diags *diags,
                  const struct json **ret)
{
    const struct json *object = json_get(request, "object"), *old = json_get(request, "old");
    struct admission_options options = {json_bool(json_get(request, "strict"), false),
                                        json_text(json_get(request, "namespace"), STR_EMPTY)};
    old = old && old->kind == JSON_OBJECT ? old : NULL;
    if (admission_is_core(object))
        return admission_check_core(a, object, old, &options, diags, ret);
    struct str group = json_text(json_get(request, "group"), STR_EMPTY), kind = json_text(json_get(request, "kind"), STR_EMPTY);
    const struct admission_kind *k = map_get(kinds, key_of(a, group, kind));
    return k ? admission_check(a, k, object, old, &options, diags, ret) : diags_fail(diags, "Unknown kind", "It has no CRD.");
}

static void write_said(struct json_writer *out, const struct diag *d)
{
    json_begin_object(out);
    json_key(out, STR("error"));
    json_write_bool(out, d->severity == DIAG_ERROR);
    json_key(out, STR("path"));
    json_begin_array(out);
    for (size_t i = 0; i < d->path.n; i++)
        if (d->path.steps[i].kind == PATH_INDEX)
            json_write_int(out, d->path.steps[i].index);
        else
            json_write_string(out, d->path.steps[i].name);
    json_end_array(out);
    json_key(out, STR("text"));
    json_write_string(out, d->detail);
    json_end_object(out);
}

static void answer(struct arena *a, struct map *kinds, struct str line)
{
    struct diags diags;
    struct buf text BUF_AUTO = BUF_INIT(MAX_ANSWER);
    struct json_writer out = {.out = &text};
    const struct json *object = NULL;
    diags_init(&diags, a);
    /* The compiled kind refers to its CRD, so the CRD is kept. */
    const struct json *request = json_parse(str_starts(line, STR("{\"crd\"")) ? kinds->arena : a, line, "request", &diags);
    const struct json *crd = json_get(request, "crd");
    bool ok = request && (crd ? compile(kinds, crd, &diags) : check(a, kinds, request, &diags, &object));
    json_begin_object(&out);
    json_key(&out, STR("ok"));
    json_write_bool(&out, ok);
    json_key(&out, STR("object"));
    json_write(&out, object ? object : json_make_null(a));
    json_key(&out, STR("said"));
    json_begin_array(&out);
    for (size_t i = 0; i < diags.n; i++)
        write_said(&out, &diags.v[i]);
    json_end_array(&out);
    json_end_object(&out);
    (void)json_finish(&out);
    (void)printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
    (void)fflush(stdout);
}

int main(void)
{
    struct arena *a = arena_new(NULL, 0), *forever = arena_new(NULL, 0);
    struct map kinds;
    map_init(&kinds, forever);
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, stdin)) > 0) {
        arena_reset(a);
        answer(a, &kinds, (struct str){line, (size_t)n});
    }
    free(line);
    arena_free(a);
    arena_free(forever);
    return 0;
}
