#include "objects/planned.h"

#include "base/terminal.h"

#include <unistd.h>

#define HIDDEN "(sensitive value)"

struct planned_object planned_make(struct controller *c, struct arena *a, const struct kind *kind, const struct store_key *key)
{
    struct str name = arena_lower(a, key->kind);
    struct planned_object o = {
        .kind = kind,
        .key = *key,
        .title = arena_printf(a, STR_FMT "." STR_FMT "/" STR_FMT, STR_ARG(name), STR_ARG(key->group), STR_ARG(key->name)),
        .preview = controller_preview(c, a, kind, key),
    };
    if (key->namespace.n > 0)
        o.title = arena_printf(a, STR_FMT " in namespace " STR_FMT, STR_ARG(o.title), STR_ARG(key->namespace));
    return o;
}

struct text_change planned_text(const struct planned_object *o)
{
    const struct schema *schema = map_get(&o->kind->provider->schema->resources, o->kind->terraform_type);
    struct str reason = json_text(json_get(o->preview.change, "action_reason"), STR_EMPTY);
    return (struct text_change){
        .object = {.address = o->title, .type = o->kind->terraform_type, .name = o->key.name, .schema = schema->block},
        .action = o->preview.action,
        .reason = reason.n > 0 ? reason.p : NULL,
        .change = o->preview.change,
    };
}

void planned_why(struct buf *out, const struct planned_object *o)
{
    static const char *const words[] = {[PREVIEW_FINE] = "is left alone",
                                        [PREVIEW_CHANGES] = "changes",
                                        [PREVIEW_WAITS] = "waits for something",
                                        [PREVIEW_FAILS] = "would fail"};
    if (o->preview.why.n == 0)
        return;
    buf_printf(out, "\n" STR_FMT " %s: ", STR_ARG(o->title), words[o->preview.outcome]);
    terminal_write(out, o->preview.why, TERMINAL_KEEP_LINES);
    buf_addc(out, '\n');
}

struct text_style planned_style(const struct app *app)
{
    size_t columns = terminal_columns(STDOUT_FILENO);
    return (struct text_style){.colour = app->color_out, .width = columns > 0 ? columns : TEXT_DEFAULT_WIDTH};
}

/* Writes the value without what is marked. The recursion is limited by the JSON parser. */
static void write_hidden(struct json_writer *w, const struct json *value, const struct json *marks)
{
    if (value && value->kind != JSON_NULL && json_bool(marks, false)) {
        json_write_string(w, STR(HIDDEN));
    } else if (value && value->kind == JSON_OBJECT) {
        json_begin_object(w);
        for (size_t i = 0; i < value->object.n; i++) {
            const struct json_member *m = &value->object.members[i];
            json_key(w, m->key);
            write_hidden(w, m->value, json_get_str(marks, m->key));
        }
        json_end_object(w);
    } else if (value && value->kind == JSON_ARRAY) {
        bool has_marks = marks && marks->kind == JSON_ARRAY;
        json_begin_array(w);
        for (size_t i = 0; i < value->array.n; i++)
            write_hidden(w, value->array.items[i], has_marks && i < marks->array.n ? marks->array.items[i] : NULL);
        json_end_array(w);
    } else if (value) {
        json_write(w, value);
    } else {
        json_write_null(w);
    }
}

static void write_change(struct json_writer *w, const struct json *change)
{
    static const char *const plain[] = {"actions",          "action_reason",   "after_unknown",
                                        "before_sensitive", "after_sensitive", "replace_paths"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (!json_get(change, plain[i]))
            continue;
        json_key(w, str_of(plain[i]));
        json_write(w, json_get(change, plain[i]));
    }
    json_key(w, STR("before"));
    write_hidden(w, json_get(change, "before"), json_get(change, "before_sensitive"));
    json_key(w, STR("after"));
    write_hidden(w, json_get(change, "after"), json_get(change, "after_sensitive"));
}

void planned_json_members(struct json_writer *w, const struct planned_object *o)
{
    static const char *const outcomes[] = {
        [PREVIEW_FINE] = "unchanged", [PREVIEW_CHANGES] = "changes", [PREVIEW_WAITS] = "waits", [PREVIEW_FAILS] = "fails"};
    json_put_text(w, "group", o->key.group);
    json_put_text(w, "kind", o->key.kind);
    if (o->key.namespace.n > 0)
        json_put_text(w, "namespace", o->key.namespace);
    json_put_text(w, "name", o->key.name);
    json_put_text(w, "type", o->kind->terraform_type);
    json_put_text(w, "outcome", str_of(outcomes[o->preview.outcome]));
    if (o->preview.why.n > 0)
        json_put_text(w, "reason", o->preview.why);
    if (o->preview.change) {
        json_key(w, STR("change"));
        json_begin_object(w);
        write_change(w, o->preview.change);
        json_end_object(w);
    }
}

void planned_json(struct json_writer *w, const struct planned_object *o)
{
    json_begin_object(w);
    planned_json_members(w, o);
    json_end_object(w);
}
