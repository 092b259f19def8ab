/* terrane describe: shows one object with its events. */
#include "base/terminal.h"
#include "base/vec.h"
#include "managed/object.h"
#include "manifests/merge.h"
#include "objects/events.h"
#include "yaml/yaml.h"

enum { MAX_TEXT = 64 << 20, LABEL = 14 };

static void line(struct buf *out, const char *label, struct str text)
{
    buf_printf(out, "%-*s", LABEL, label);
    terminal_write(out, text, TERMINAL_KEEP_NOTHING);
    buf_addc(out, '\n');
}

/* Labels or annotations, one per line; those that only programs read are left out. */
static void texts(struct buf *out, const char *label, const struct json *object)
{
    size_t n = 0;
    for (size_t i = 0; managed_is_object(object) && i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        if (str_eqz(m->key, MERGE_LAST_APPLIED) || str_eqz(m->key, MANAGED_PROVIDER_META))
            continue;
        buf_printf(out, "%-*s", LABEL, n++ == 0 ? label : "");
        terminal_write(out, m->key, TERMINAL_KEEP_NOTHING);
        buf_addz(out, ": ");
        terminal_write(out, json_text(m->value, STR_EMPTY), TERMINAL_KEEP_NOTHING);
        buf_addc(out, '\n');
    }
    if (n == 0)
        line(out, label, STR("<none>"));
}

/* A part of the object, as YAML under a title. */
static void part(struct buf *out, const char *title, const struct json *j)
{
    struct buf yaml BUF_AUTO = BUF_INIT(MAX_TEXT);
    if (managed_is_absent(j))
        return;
    buf_printf(out, "%s\n", title);
    yaml_write(&yaml, j);
    struct str rest = buf_str(&yaml);
    while (rest.n > 0) {
        buf_addz(out, "  ");
        terminal_write(out, str_cut(&rest, '\n'), TERMINAL_KEEP_TABS);
        buf_addc(out, '\n');
    }
}

static size_t decoded_bytes(struct str base64)
{
    size_t padding = str_ends(base64, STR("==")) ? 2 : str_ends(base64, STR("=")) ? 1 : 0;
    return base64.n / 4 * 3 - (base64.n >= 4 ? padding : 0);
}

/* Shows only the lengths of the values. */
static void secret_part(struct buf *out, const struct json *data)
{
    buf_addz(out, "Data\n");
    for (size_t i = 0; managed_is_object(data) && i < data->object.n; i++) {
        buf_addz(out, "  ");
        terminal_write(out, data->object.members[i].key, TERMINAL_KEEP_NOTHING);
        buf_printf(out, ":  %zu bytes\n", decoded_bytes(json_text(data->object.members[i].value, STR_EMPTY)));
    }
}

/* All other members, in their order. */
static void rest_parts(struct buf *out, struct arena *a, const struct json *object)
{
    static const char *const known[] = {"apiVersion", "kind", "metadata", "status", "spec"};
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            is_known = is_known || str_eqz(m->key, known[k]);
        if (!is_known)
            part(out, arena_printf(a, STR_FMT ":", STR_ARG(m->key)).p, m->value);
    }
}

static bool describe(struct objects *o, const struct kind *kind, const struct json *object, bool is_first)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct str namespace = object_metadata_text(object, "namespace");
    if (!is_first)
        buf_addz(&out, "\n\n");
    line(&out, "Name:", object_metadata_text(object, "name"));
    line(&out, "Namespace:", namespace);
    texts(&out, "Labels:", object_metadata(object, "labels"));
    texts(&out, "Annotations:", object_metadata(object, "annotations"));
    line(&out, "API Version:", json_text(json_get(object, "apiVersion"), STR_EMPTY));
    line(&out, "Kind:", object_kind(object));
    line(&out, "Created:", object_metadata_text(object, "creationTimestamp"));
    if (object_is_being_deleted(object))
        line(&out, "Deleted:", object_metadata_text(object, "deletionTimestamp"));
    if (kind->role == KIND_MANAGED) {
        line(&out, "Generation:", json_text(object_metadata(object, "generation"), STR_EMPTY));
        line(&out, "Terraform:", kind->terraform_type);
        if (managed_is_paused_by_annotation(object))
            line(&out, "Paused:", STR("true"));
    }
    if (object_is_secret(kind->group, kind->kind)) {
        line(&out, "Type:", json_text(json_get(object, "type"), STR("Opaque")));
        secret_part(&out, json_get(object, "data"));
    } else {
        part(&out, "Spec:", json_get(object, "spec"));
        part(&out, "Status:", json_get(object, "status"));
        rest_parts(&out, o->app->arena, object);
    }
    return events_describe(o, object_metadata_text(object, "uid"), &out) && app_print(o->app, buf_str(&out));
}

/* ---- as JSON ---- */

/*
 * Replaces a Secret's values by their lengths here, too, and removes what only programs read: the annotation with the applied
 * manifest also contains the values.
 */
static const struct json *for_people(struct arena *a, const struct kind *kind, const struct json *object)
{
    object = managed_unannotate(a, object, MERGE_LAST_APPLIED);
    object = managed_unannotate(a, object, MANAGED_PROVIDER_META);
    const struct json *data = json_get(object, "data"), *lengths = json_make_object(a, NULL, 0);
    if (!object_is_secret(kind->group, kind->kind) || !managed_is_object(data))
        return object;
    for (size_t i = 0; i < data->object.n; i++) {
        const struct json_member *m = &data->object.members[i];
        struct str bytes = arena_printf(a, "%zu bytes", decoded_bytes(json_text(m->value, STR_EMPTY)));
        lengths = json_with(a, lengths, m->key, json_make_string(a, bytes));
    }
    return json_with(a, object, STR("data"), lengths);
}

static const struct json *described(struct objects *o, const struct kind *kind, const struct json *object)
{
    struct arena *a = o->app->arena;
    const struct json *events = NULL;
    if (!events_json(o, object_metadata_text(object, "uid"), &events))
        return NULL;
    struct json_member members[] = {{.key = STR("object"), .value = json_copy(a, for_people(a, kind, object))},
                                    {.key = STR("events"), .value = events},
                                    {.key = STR("terraformType"), .value = json_make_string(a, kind->terraform_type)}};
    return json_make_object(a, members, kind->terraform_type.n > 0 ? 3 : 2);
}

struct describing {
    struct objects *o;
    size_t n;
    bool json;
    VEC(const struct json *) list;
};

static bool each(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a;
    struct describing *d = ctx;
    if (d->json)
        return (*VEC_PUSH(d->o->app->arena, &d->list) = described(d->o, kind, object)) != NULL;
    return describe(d->o, kind, object, d->n++ == 0);
}

static int run_describe(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct objects_options o = {0};
    struct objects objects;
    struct describing d = {.o = &objects};
    const struct option options[] = {
        OBJECTS_OPTION_NAMESPACE(&o), OBJECTS_OPTION_EVERYWHERE(&o),
        OBJECTS_OPTION_SELECTOR(&o),  {"json", 0, OPTION_FLAG, &d.json, NULL, "as a JSON array of objects with their events"},
        OBJECTS_OPTION_DATA(&o),      {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0)
        return app_usage(app, self, "Say which object: terrane describe bucket logs.");
    bool ok = objects_open(&objects, app, &o) && objects_each_word(&objects, n, argv, each, &d);
    if (ok && d.json)
        ok = app_print_json(app, json_make_array(app->arena, d.list.v, d.list.n));
    objects_close(&objects);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct command command_describe = {
    .name = "describe",
    .usage = "KIND[.GROUP] [NAME...] [options]",
    .summary = "show objects with their conditions and events",
    .details = "For Secrets, the names of the keys are shown, and the length of the values.",
    .example = "  terrane describe bucket logs -n shop\n"
               "  terrane describe secret/token",
    .run = run_describe,
    .complete = objects_complete,
};
