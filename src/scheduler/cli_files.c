/* Reads and writes the files of a workspace and terraform's output. */
#include "base/file.h"
#include "scheduler/cli_private.h"
#include "state/state_read.h"
#include "state/state_write.h"

#define MAX_CONFIG ((size_t)64 << 20)
enum { ROOM = 64 << 10 }; /* reserved at once, because growing the buffer would leave copies of secrets behind */

static const char *file_in(struct arena *a, const char *folder, const char *name)
{
    return arena_printf(a, "%s/%s", folder, name).p;
}

/* Configuration */

/* Escapes what Terraform's language would evaluate. */
static struct str literal(struct arena *a, struct str s)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_CONFIG);
    size_t from = 0;
    for (size_t i = 0; i + 1 < s.n; i++)
        if ((s.p[i] == '$' || s.p[i] == '%') && s.p[i + 1] == '{') {
            buf_add(&out, str_slice(s, from, i + 1));
            from = i;
        }
    if (from == 0 && out.n == 0)
        return s;
    buf_add(&out, str_slice(s, from, s.n));
    return buf_copy(&out, a);
}

static void write_literal(struct json_writer *w, struct arena *a, const struct json *j)
{
    switch (j->kind) {
    case JSON_STRING:
        json_write_string(w, literal(a, j->text));
        break;
    case JSON_ARRAY:
        json_begin_array(w);
        for (size_t i = 0; i < j->array.n; i++)
            write_literal(w, a, j->array.items[i]);
        json_end_array(w);
        break;
    case JSON_OBJECT:
        json_begin_object(w);
        for (size_t i = 0; i < j->object.n; i++) {
            json_key(w, literal(a, j->object.members[i].key));
            write_literal(w, a, j->object.members[i].value);
        }
        json_end_object(w);
        break;
    default:
        json_write(w, j);
    }
}

/* Writes ["disk", 0, "size"] as disk[0].size, and ["tags", "Name"] as tags["Name"]. */
static struct str reference(struct arena *a, const struct json *steps)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    for (size_t i = 0; steps->kind == JSON_ARRAY && i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        bool name = step->kind == JSON_STRING && (i == 0 || steps->array.items[i - 1]->kind == JSON_NUMBER);
        if (name)
            buf_printf(&out, "%s" STR_FMT, i > 0 ? "." : "", STR_ARG(step->text));
        else if (step->kind == JSON_NUMBER)
            buf_printf(&out, "[" STR_FMT "]", STR_ARG(step->text));
        else {
            struct json_writer w = {.out = &out};
            buf_addc(&out, '[');
            json_write_string(&w, json_text(step, STR_EMPTY));
            buf_addc(&out, ']');
        }
    }
    return buf_copy(&out, a);
}

static void write_resource(struct json_writer *w, struct arena *a, const struct scheduler_item *item, bool bare)
{
    json_begin_object(w);
    for (size_t i = 0; !bare && i < item->config->object.n; i++) {
        json_key(w, item->config->object.members[i].key);
        write_literal(w, a, item->config->object.members[i].value);
    }
    if (!bare && item->ignore && item->ignore->array.n > 0) {
        json_key(w, STR("lifecycle"));
        json_begin_object(w);
        json_key(w, STR("ignore_changes"));
        json_begin_array(w);
        for (size_t i = 0; i < item->ignore->array.n; i++)
            json_write_string(w, reference(a, item->ignore->array.items[i]));
        json_end_array(w);
        json_end_object(w);
    }
    json_end_object(w);
}

/* The provider's local name: "aws" for aws_vpc. */
static struct str local_name(const struct scheduler_item *item)
{
    size_t end = str_find(item->type, '_', 0);
    return str_slice(item->type, 0, end == SIZE_MAX ? item->type.n : end);
}

static void begin_at(struct json_writer *w, struct str key)
{
    json_key(w, key);
    json_begin_object(w);
}

bool cli_write_config(const char *folder, const struct scheduler_item *item, bool bare, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text = BUF_INIT(MAX_CONFIG);
    (void)buf_room(&text, ROOM);
    struct json_writer w = {.out = &text};
    json_begin_object(&w);
    begin_at(&w, STR("terraform"));
    begin_at(&w, STR("required_providers"));
    begin_at(&w, local_name(item));
    json_key(&w, STR("source"));
    json_write_string(&w, item->provider.address);
    json_end_object(&w);
    json_end_object(&w);
    json_end_object(&w);
    begin_at(&w, STR("provider"));
    json_key(&w, local_name(item));
    write_literal(&w, a, item->provider.config ? item->provider.config : json_make_object(a, NULL, 0));
    json_end_object(&w);
    if (item->config || bare) {
        begin_at(&w, item->data ? STR("data") : STR("resource"));
        begin_at(&w, item->type);
        json_key(&w, item->name);
        write_resource(&w, a, item, !item->config || bare);
        json_end_object(&w);
        json_end_object(&w);
    }
    json_end_object(&w);
    bool ok = json_finish(&w) || diags_fail(diags, "Configuration too large", "It may have %zu MiB as JSON.", MAX_CONFIG >> 20);
    ok = ok && file_write(file_in(a, folder, "main.tf.json"), buf_str(&text), 0600, diags);
    buf_wipe(&text);
    return ok;
}

/* State */

static struct state_address address_of(const struct scheduler_item *item)
{
    return (struct state_address){.mode = item->data ? STATE_DATA : STATE_MANAGED, .type = item->type, .name = item->name};
}

bool cli_write_state(const char *folder, const struct scheduler_item *item, const struct state_instance *object,
                     struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *state = state_new(a);
    struct state_address address = address_of(item);
    state->serial = 1;
    state->terraform_version = STR(STATE_TERRAFORM_VERSION);
    if (object)
        state_put(state, &address, arena_printf(a, "provider[\"" STR_FMT "\"]", STR_ARG(item->provider.address)), object);
    struct buf text = BUF_INIT(STATE_MAX_FILE);
    (void)buf_room(&text, ROOM);
    bool ok =
        state_write(&text, state, diags) && file_write(file_in(a, folder, "terraform.tfstate"), buf_str(&text), 0600, diags);
    buf_wipe(&text);
    return ok;
}

bool cli_read_state(struct arena *a, const char *folder, const struct scheduler_item *item, struct diags *diags, bool *ret_exists,
                    struct state_instance *ret)
{
    struct str text;
    struct state_address address = address_of(item);
    const char *path = file_in(a, folder, "terraform.tfstate");
    if (!file_read(a, path, STATE_MAX_FILE, diags, &text))
        return false;
    const struct state *state = state_read(a, text, "terraform.tfstate", diags);
    if (!state)
        return false;
    const struct state_instance *found = state_find(state, &address);
    if (found)
        *ret = *found;
    *ret_exists = found != NULL;
    return true;
}

/* Terraform's output */

bool cli_read_lines(struct arena *a, struct str lines, struct diags *diags)
{
    bool begun = false;
    while (lines.n > 0 && !arena_exhausted(a)) {
        const struct json *line = json_parse_lenient(a, str_cut(&lines, '\n'));
        struct str type = json_text(json_get(line, "type"), STR_EMPTY);
        const struct json *d = json_get(line, "diagnostic");
        begun |= str_eqz(type, "apply_start");
        if (!str_eqz(type, "diagnostic") || !d)
            continue;
        bool error = str_eqz(json_text(json_get(d, "severity"), STR_EMPTY), "error");
        diags_add(diags, &(struct diag){
                             .severity = error ? DIAG_ERROR : DIAG_WARNING,
                             .summary = json_text(json_get(d, "summary"), STR_EMPTY),
                             .detail = json_text(json_get(d, "detail"), STR_EMPTY),
                         });
    }
    return begun;
}

static enum change_action action_of(const struct json *actions)
{
    size_t n = actions && actions->kind == JSON_ARRAY ? actions->array.n : 0;
    struct str first = n > 0 ? json_text(actions->array.items[0], STR_EMPTY) : STR_EMPTY;
    if (n == 2)
        return str_eqz(first, "delete") ? ACTION_DELETE_THEN_CREATE : ACTION_CREATE_THEN_DELETE;
    if (str_eqz(first, "create"))
        return ACTION_CREATE;
    if (str_eqz(first, "update"))
        return ACTION_UPDATE;
    return str_eqz(first, "delete") ? ACTION_DELETE : ACTION_NO_OP;
}

static struct str dotted(struct arena *a, struct str name)
{
    return arena_printf(a, "." STR_FMT, STR_ARG(name));
}

static void find_replaced(struct arena *a, const struct json *paths, struct scheduler_difference *d)
{
    size_t n = paths && paths->kind == JSON_ARRAY ? paths->array.n : 0;
    n = n < SCHEDULER_MAX_DIFFERENCES ? n : SCHEDULER_MAX_DIFFERENCES;
    struct str *v = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++)
        v[i] = dotted(a, reference(a, paths->array.items[i]));
    d->replace = v;
    d->n_replace = n;
}

static bool differs(const struct json *before, const struct json *after)
{
    return !before || !after || !json_eq(before, after);
}

/* Attributes whose value changes or is not known yet. */
static void find_changed(struct arena *a, const struct json *change, struct scheduler_difference *d)
{
    const struct json *before = json_get(change, "before"), *after = json_get(change, "after");
    struct str *v = arena_make_n(a, struct str, SCHEDULER_MAX_DIFFERENCES);
    for (size_t i = 0; before && before->kind == JSON_OBJECT && i < before->object.n; i++) {
        const struct json_member *m = &before->object.members[i];
        if (d->n_paths < SCHEDULER_MAX_DIFFERENCES && differs(m->value, json_get_str(after, m->key)))
            v[d->n_paths++] = dotted(a, m->key);
    }
    d->paths = v;
}

bool cli_read_plan(struct arena *a, struct str text, struct diags *diags, struct scheduler_difference *ret)
{
    const struct json *plan = json_parse(a, text, "plan", diags);
    if (!plan)
        return false;
    const struct json *changes = json_get(plan, "resource_changes");
    bool any = changes && changes->kind == JSON_ARRAY && changes->array.n > 0;
    const struct json *change = any ? json_get(changes->array.items[0], "change") : NULL;
    struct scheduler_difference d = {.action = action_of(json_get(change, "actions"))};
    bool anew = d.action == ACTION_DELETE_THEN_CREATE || d.action == ACTION_CREATE_THEN_DELETE;
    find_replaced(a, json_get(change, "replace_paths"), &d);
    if (d.action == ACTION_UPDATE)
        find_changed(a, change, &d);
    if (anew) {
        d.paths = d.replace;
        d.n_paths = d.n_replace;
    }
    *ret = d;
    return true;
}
