/*
 * Each struct of the format has one function, with its lines in the order of the file's keys.
 *
 * Pointers are sorted, so that writing does not change the state.
 */
#include "state/state_write.h"

#include "base/base64.h"
#include "value/json_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void write_u64(struct json_writer *w, uint64_t u)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, u);
    json_write_number(w, (struct str){text, (size_t)n});
}

static void write_text_member(struct json_writer *w, struct str key, struct str text)
{
    json_key(w, key);
    json_write_string(w, text);
}

static void write_text_unless_empty(struct json_writer *w, struct str key, struct str text)
{
    if (text.n > 0)
        write_text_member(w, key, text);
}

static void write_texts_unless_empty(struct json_writer *w, struct str key, const struct str *texts, size_t n)
{
    if (n == 0)
        return;
    json_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_string(w, texts[i]);
    json_end_array(w);
}

static void write_true(struct json_writer *w, struct str key, bool flag)
{
    if (!flag)
        return;
    json_key(w, key);
    json_write_bool(w, true);
}

/* Instances */

static void write_key(struct json_writer *w, struct state_key key)
{
    if (key.kind == STATE_KEY_NONE)
        return;
    json_key(w, STR("index_key"));
    if (key.kind == STATE_KEY_INT)
        json_write_int(w, key.number);
    else
        json_write_string(w, key.text);
}

/* The flatmap is sorted by key already. As in Terraform, an empty one is left out. */
static void write_flat(struct json_writer *w, const struct flatmap *flat)
{
    if (flat->n == 0)
        return;
    json_key(w, STR("attributes_flat"));
    json_begin_object(w);
    for (size_t i = 0; i < flat->n; i++)
        write_text_member(w, flat->v[i].key, flat->v[i].value);
    json_end_object(w);
}

static void write_attributes(struct json_writer *w, const struct state_instance *object)
{
    if (!object->attributes && object->flat.n > 0) {
        write_flat(w, &object->flat);
        return;
    }
    json_key(w, STR("attributes"));
    if (object->attributes) {
        json_write(w, object->attributes);
    } else {
        json_begin_object(w);
        json_end_object(w);
    }
}

/* {"type":"get_attr","value":NAME} or {"type":"index","value":{"value":KEY,"type":TYPE}} */
static void write_step(struct json_writer *w, const struct path_step *step)
{
    json_begin_object(w);
    if (step->kind == PATH_ATTR) {
        write_text_member(w, STR("type"), STR("get_attr"));
        write_text_member(w, STR("value"), step->name);
        json_end_object(w);
        return;
    }
    write_text_member(w, STR("type"), STR("index"));
    json_key(w, STR("value"));
    json_begin_object(w);
    json_key(w, STR("value"));
    if (step->kind == PATH_INDEX)
        json_write_int(w, step->index);
    else
        json_write_string(w, step->name);
    write_text_member(w, STR("type"), step->kind == PATH_INDEX ? STR("number") : STR("string"));
    json_end_object(w);
    json_end_object(w);
}

static void write_sensitive(struct json_writer *w, const struct state_instance *object)
{
    json_key(w, STR("sensitive_attributes"));
    json_begin_array(w);
    for (size_t i = 0; i < object->n_sensitive; i++) {
        json_begin_array(w);
        for (size_t k = 0; k < object->sensitive[i].n; k++)
            write_step(w, &object->sensitive[i].steps[k]);
        json_end_array(w);
    }
    json_end_array(w);
}

static void write_identity_version(struct json_writer *w, const struct state_instance *object)
{
    if (!object->has_identity_version)
        return;
    json_key(w, STR("identity_schema_version"));
    write_u64(w, object->identity_schema_version);
}

static void write_identity(struct json_writer *w, const struct state_instance *object)
{
    if (!object->identity)
        return;
    json_key(w, STR("identity"));
    json_write(w, object->identity);
}

static void write_private(struct json_writer *w, struct str bytes)
{
    if (bytes.n == 0)
        return;
    struct buf text BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    base64_write(&text, bytes);
    w->failed |= !buf_ok(&text);
    write_text_member(w, STR("private"), buf_str(&text));
}

/* `attributes` empty: the object's. */
static void write_instance(struct json_writer *w, const struct state_instance *object, bool key, struct str attributes)
{
    json_begin_object(w);
    if (key)
        write_key(w, object->key);
    if (object->tainted)
        write_text_member(w, STR("status"), STR("tainted"));
    if (key)
        write_text_unless_empty(w, STR("deposed"), object->deposed);
    write_text_unless_empty(w, STR("provider"), object->provider);
    json_key(w, STR("schema_version"));
    write_u64(w, object->schema_version);
    if (attributes.n > 0) {
        json_key(w, STR("attributes"));
        json_write_raw(w, attributes);
    } else {
        write_attributes(w, object);
    }
    write_sensitive(w, object);
    if (!object->identity_last) {
        write_identity_version(w, object);
        write_identity(w, object);
    }
    write_private(w, object->private_bytes);
    write_texts_unless_empty(w, STR("dependencies"), object->dependencies, object->n_dependencies);
    write_texts_unless_empty(w, STR("depends_on"), object->depends_on, object->n_depends_on);
    write_true(w, STR("create_before_destroy"), object->create_before_destroy);
    write_true(w, STR("skip_destroy"), object->skip_destroy);
    if (object->identity_last) {
        write_identity(w, object);
        write_identity_version(w, object);
    }
    json_end_object(w);
}

void state_write_instance(struct json_writer *w, const struct state_instance *object, bool key)
{
    write_instance(w, object, key, STR_EMPTY);
}

void state_write_with_attributes(struct json_writer *w, const struct state_instance *object, struct str attributes)
{
    write_instance(w, object, false, attributes);
}

/* Order */

static int by_key(const void *a, const void *b)
{
    const struct state_instance *x = *(const struct state_instance *const *)a, *y = *(const struct state_instance *const *)b;
    int order = state_key_cmp(x->key, y->key);
    return order != 0 ? order : str_cmp(x->deposed, y->deposed);
}

static int by_address(const void *a, const void *b)
{
    const struct state_resource *x = *(const struct state_resource *const *)a, *y = *(const struct state_resource *const *)b;
    int order = str_cmp(x->module, y->module);
    if (order == 0)
        order = (int)(x->mode == STATE_MANAGED) - (int)(y->mode == STATE_MANAGED); /* "data" before "managed" */
    if (order == 0)
        order = str_cmp(x->type, y->type);
    return order != 0 ? order : str_cmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return str_cmp((*(const struct state_output *const *)a)->name, (*(const struct state_output *const *)b)->name);
}

/* Resources, outputs, the whole */

static void write_resource(struct json_writer *w, struct arena *scratch, const struct state_resource *r)
{
    json_begin_object(w);
    write_text_unless_empty(w, STR("module"), r->module);
    write_text_member(w, STR("mode"), r->mode == STATE_MANAGED ? STR("managed") : STR("data"));
    write_text_member(w, STR("type"), r->type);
    write_text_member(w, STR("name"), r->name);
    write_text_unless_empty(w, STR("provider"), r->provider);
    json_key(w, STR("instances"));
    json_begin_array(w);
    const struct state_instance **sorted = arena_make_n(scratch, const struct state_instance *, r->n);
    for (size_t i = 0; i < r->n; i++)
        sorted[i] = &r->instances[i];
    qsort(sorted, r->n, sizeof *sorted, by_key);
    for (size_t i = 0; i < r->n; i++)
        state_write_instance(w, sorted[i], true);
    json_end_array(w);
    json_end_object(w);
}

static void write_resources(struct json_writer *w, struct arena *scratch, const struct state *s)
{
    const struct state_resource **sorted = arena_make_n(scratch, const struct state_resource *, s->n_resources);
    for (size_t i = 0; i < s->n_resources; i++)
        sorted[i] = &s->resources[i];
    qsort(sorted, s->n_resources, sizeof *sorted, by_address);
    json_begin_array(w);
    for (size_t i = 0; i < s->n_resources; i++)
        write_resource(w, scratch, sorted[i]);
    json_end_array(w);
}

static bool write_output(struct json_writer *w, const struct state_output *output, struct diags *diags)
{
    json_begin_object(w);
    json_key(w, STR("value"));
    if (!value_write_json(w, output->value, output->value->type, diags))
        return false;
    json_key(w, STR("type"));
    type_write_json(w, output->value->type);
    write_true(w, STR("sensitive"), output->sensitive);
    write_text_unless_empty(w, STR("deprecated"), output->deprecated);
    json_end_object(w);
    return true;
}

static bool write_outputs(struct json_writer *w, struct arena *scratch, const struct state *s, struct diags *diags)
{
    const struct state_output **sorted = arena_make_n(scratch, const struct state_output *, s->n_outputs);
    for (size_t i = 0; i < s->n_outputs; i++)
        sorted[i] = &s->outputs[i];
    qsort(sorted, s->n_outputs, sizeof *sorted, by_name);
    json_begin_object(w);
    for (size_t i = 0; i < s->n_outputs; i++) {
        json_key(w, sorted[i]->name);
        if (!write_output(w, sorted[i], diags))
            return false;
    }
    json_end_object(w);
    return true;
}

static bool write_content(struct json_writer *w, struct arena *scratch, const struct state *s, struct diags *diags)
{
    json_key(w, STR("outputs"));
    if (!write_outputs(w, scratch, s, diags))
        return false;
    json_key(w, STR("resources"));
    write_resources(w, scratch, s);
    json_key(w, STR("check_results"));
    if (s->check_results && s->check_results->array.n > 0)
        json_write(w, s->check_results);
    else
        json_write_null(w);
    return true;
}

static bool fail_too_large(struct diags *diags)
{
    return diags_fail(diags, "Cannot write the state",
                      "The state would be larger than %d bytes, or a value in it is nested too deeply to be written.",
                      (int)STATE_MAX_FILE);
}

bool state_write(struct buf *out, const struct state *s, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct json_writer w = {.out = out, .indent = s->layout == STATE_ONE_LINE ? 0 : 2, .html_escape = true};
    json_begin_object(&w);
    json_key(&w, STR("version"));
    json_write_int(&w, 4);
    write_text_member(&w, STR("terraform_version"), s->terraform_version);
    json_key(&w, STR("serial"));
    write_u64(&w, s->serial);
    write_text_member(&w, STR("lineage"), s->lineage);
    if (!write_content(&w, scratch, s, diags))
        return false;
    json_end_object(&w);
    if (!json_finish(&w))
        return fail_too_large(diags);
    buf_addz(out, s->layout == STATE_EXTRA_LINE ? "\n\n" : "\n");
    return buf_ok(out) || fail_too_large(diags);
}

bool state_write_content(struct buf *out, const struct state *s, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    if (!write_content(&w, scratch, s, diags))
        return false;
    json_end_object(&w);
    return json_finish(&w) || fail_too_large(diags);
}
