/* terrane cloudcontrol example: the minimal configuration of a type that its schema accepts. */
#include "base/vec.h"
#include "cloudcontrol/document.h"
#include "emulator/sample.h"
#include "packs/cloudcontrol.h"
#include "value/json_value.h"

enum { ELEMENTS = 3 }; /* of arrays, with --optional */

struct example_run {
    struct app *app;
    struct cloudcontrol_options schemas;
    int64_t seed, optional;
    bool json;
    struct buf out;
    struct json_writer w;
};

/* Escapes ${ and %{, which are templates in strings of Terraform's JSON syntax. */
static struct str escape_template(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    for (size_t i = 0; i < text.n; i++) {
        bool opens = (text.p[i] == '$' || text.p[i] == '%') && i + 1 < text.n && text.p[i + 1] == '{';
        if (opens)
            buf_addc(&out, text.p[i]);
        buf_addc(&out, text.p[i]);
    }
    return buf_copy(&out, a);
}

/* False with a diagnostic; the output is then incomplete. */
static bool write_value(struct example_run *r, const struct cc_node *node, const struct value *v);

static bool is_written(const struct cc_node *node, const struct value *v)
{
    return v->state == VALUE_KNOWN && node->role == CC_ROLE_PROPERTY && (node->required || node->optional) &&
           !cc_document_omits(CC_DOCUMENT_CREATE, node);
}

/* In a resource, Terraform takes these names for its own blocks; an attribute of that name is set in a block "_". */
static bool is_escaped(const struct example_run *r, const struct cc_node *node)
{
    static const char *const blocks[] = {"connection", "locals", "provisioner"};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (!r->json && !node->parent->parent && str_eqz(node->name, blocks[i]))
            return true;
    return false;
}

/* The members that are escaped, or those that are not. */
static bool write_members(struct example_run *r, const struct cc_node *node, const struct value *v, bool escaped,
                          size_t *ret_left)
{
    *ret_left = 0;
    for (size_t i = 0; i < node->n_children; i++) {
        const struct cc_node *child = &node->children[i];
        if (!is_written(child, v->elements[i]))
            continue;
        if (is_escaped(r, child) != escaped) {
            ++*ret_left;
            continue;
        }
        json_key(&r->w, child->name);
        if (!write_value(r, child, v->elements[i]))
            return false;
    }
    return true;
}

static bool write_object(struct example_run *r, const struct cc_node *node, const struct value *v)
{
    size_t left;
    json_begin_object(&r->w);
    if (!write_members(r, node, v, false, &left))
        return false;
    if (left > 0) {
        json_key(&r->w, STR("_"));
        json_begin_object(&r->w);
        if (!write_members(r, node, v, true, &left))
            return false;
        json_end_object(&r->w);
    }
    json_end_object(&r->w);
    return true;
}

static bool write_elements(struct example_run *r, const struct cc_node *node, const struct value *v)
{
    json_begin_array(&r->w);
    for (size_t i = 0; i < v->n; i++)
        if (!write_value(r, node->element, v->elements[i]))
            return false;
    json_end_array(&r->w);
    return true;
}

static bool write_map(struct example_run *r, const struct cc_node *node, const struct value *v)
{
    json_begin_object(&r->w);
    for (size_t i = 0; i < v->n; i++) {
        json_key(&r->w, r->json ? v->keys[i] : escape_template(r->app->arena, v->keys[i]));
        if (!write_value(r, node->element, v->elements[i]))
            return false;
    }
    json_end_object(&r->w);
    return true;
}

static bool write_value(struct example_run *r, const struct cc_node *node, const struct value *v)
{
    if (v->state == VALUE_KNOWN && node->kind == CC_OBJECT)
        return write_object(r, node, v);
    if (v->state == VALUE_KNOWN && node->kind == CC_MAP)
        return write_map(r, node, v);
    if (v->state == VALUE_KNOWN && (node->kind == CC_LIST || node->kind == CC_SET))
        return write_elements(r, node, v);
    if (v->state == VALUE_KNOWN && node->kind == CC_STRING && !r->json) {
        json_write_string(&r->w, escape_template(r->app->arena, v->string));
        return true;
    }
    return value_write_json(&r->w, v, node->type, &r->app->diags);
}

/* A default that the schema itself rejects: then nobody can omit the property. */
static bool has_bad_default(struct arena *a, const struct cc_node *node)
{
    struct diags found;
    diags_init(&found, a);
    const struct value *by_default = cc_static_default(node);
    if (by_default)
        cc_validate_node(a, node, by_default, (struct path){0}, NULL, &found);
    return found.n > 0;
}

static const struct json *sample_model(const struct emulator_sampler *s, const struct cc_node *root, struct diags *diags)
{
    const struct json *model = emulator_sample_model(s, diags);
    VEC(struct json_member) members = {0};
    if (!model)
        return NULL;
    for (size_t i = 0; i < model->object.n; i++)
        *VEC_PUSH(s->arena, &members) = model->object.members[i];
    for (size_t i = 0; i < root->n_children; i++) {
        const struct cc_node *node = &root->children[i];
        const struct json *value = node->source && !json_get_str(model, node->cf_name) && has_bad_default(s->arena, node)
                                       ? emulator_sample(s, node->source, node->cf_name)
                                       : NULL;
        if (value)
            *VEC_PUSH(s->arena, &members) = (struct json_member){.key = node->cf_name, .value = value};
    }
    return json_make_object(s->arena, members.v, members.n);
}

static bool write_config(struct example_run *r, const struct cc_type *t)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct emulator_sampler sampler = {.arena = a,
                                             .schema = t->cfn,
                                             .account = STR("123456789012"),
                                             .region = STR("us-east-1"),
                                             .seed = (uint64_t)r->seed,
                                             .extra = (size_t)r->optional,
                                             .elements = r->optional > 0 ? ELEMENTS : 0};
    const struct json *model = sample_model(&sampler, t->root, &r->app->diags);
    const struct value *v = model ? cc_document_read(a, t->root, model, NULL, &r->app->diags) : NULL;
    return v && write_object(r, t->root, v);
}

static bool add_type(void *ctx, const struct cc_type *t)
{
    struct example_run *r = ctx;
    if (!t->root)
        return true;
    json_key(&r->w, t->tf_type);
    if (!r->json) {
        json_begin_object(&r->w);
        json_key(&r->w, STR("example"));
    }
    if (!write_config(r, t))
        return false;
    if (!r->json)
        json_end_object(&r->w);
    return true;
}

static bool run_example(struct app *app, struct example_run *r, const char **names, size_t n)
{
    r->app = app;
    r->w = (struct json_writer){.out = &r->out, .flush = app_flush, .ctx = app, .indent = 2};
    json_begin_object(&r->w);
    if (!r->json) {
        json_key(&r->w, STR("resource"));
        json_begin_object(&r->w);
    }
    if (!cloudcontrol_each(app, &r->schemas, names, n, add_type, r))
        return false;
    if (!r->json)
        json_end_object(&r->w);
    json_end_object(&r->w);
    return json_finish(&r->w) && app_print(app, STR("\n"));
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct example_run r = {.out = BUF_INIT(APP_MAX_TEXT)};
    const struct option options[] = {
        CLOUDCONTROL_OPTIONS(&r.schemas),
        {"optional", 0, OPTION_NUMBER, &r.optional, "N", "include N optional arguments (default 0)"},
        {"seed", 0, OPTION_NUMBER, &r.seed, "N", "a different number gives different names"},
        {"json", 0, OPTION_FLAG, &r.json, NULL, "one JSON object of TYPE and its arguments, strings not escaped for Terraform"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    code = run_example(app, &r, argv, (size_t)n) ? EXIT_OK : EXIT_FAILED;
    buf_free(&r.out);
    return code;
}

const struct command command_cloudcontrol_example = {
    .name = "cloudcontrol example",
    .usage = "[TYPE...] [--optional N] [--seed N] [--strict] [--schemas FROM] [--json]",
    .summary = "print an example configuration of CloudFormation types",
    .details = "Made from the schema alone: the required arguments, with values that its limits and patterns accept. The\n"
               "output is a .tf.json file. The emulator accepts it; AWS needs the names of things that exist.",
    .example = "  terrane cloudcontrol example AWS::Logs::LogGroup\n"
               "  terrane cloudcontrol example awscc_ec2_vpc awscc_wafv2_web_acl --optional 5 > example.tf.json",
    .run = run,
};
