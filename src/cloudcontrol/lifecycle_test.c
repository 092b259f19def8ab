/*
 * Complete lifecycles of objects of every type with a schema, in both modes, against a realistic service (testing_service.h).
 * Terraform core's rules decide: plans must be valid, results must match the plan, and after each change the next plan must be
 * empty.
 */
#include "change/change.h"
#include "cloudcontrol/fill.h"
#include "cloudcontrol/identifier.h"
#include "cloudcontrol/plan.h"
#include "cloudcontrol/testing_service.h"
#include "lazy/testing_lazy.h"

#include <dirent.h>

struct life {
    struct arena *arena;
    const struct cc_type *type;
    const struct schema_block *schema;
    struct testing_random random;
    struct testing_service service;
    const char *step;
    unsigned seed;
    struct cc_tags tags; /* default tags */
    bool imported;
    jmp_buf end;
};

static size_t n_lives, n_failed, n_updates, n_replacements;

static void failed(struct life *l, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void failed(struct life *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(l->arena, format, args);
    va_end(args);
    print_error(STR_FMT " (seed %u), %s: " STR_FMT "\n", STR_ARG(l->type->cf_type), l->seed, l->step, STR_ARG(text));
    n_failed++;
    longjmp(l->end, 1);
}

static void complain(struct life *l, const struct change_issues *issues, const char *what)
{
    if (issues->n > 0)
        failed(l, "%s: " STR_FMT, what, STR_ARG(change_issue_text(l->arena, STR_EMPTY, &issues->v[0])));
}

static struct cc_plan plan(struct life *l, const struct value *prior, const struct value *config)
{
    struct change_issues issues = {.arena = l->arena};
    struct cc_plan plan;
    struct cc_plan_input in = {.prior = prior, .config = config, .imported = l->imported, .default_tags = l->tags};
    in.proposed = change_proposed_new(l->arena, l->schema, prior, config);
    cc_plan_type(l->arena, l->type, &in, &plan);
    (void)change_check_plan(&issues, l->schema, prior, config, plan.planned);
    complain(l, &issues, "invalid plan");
    return plan;
}

/* The first difference, as `c` defines it, or, if `c` is NULL, any difference. */
static struct str difference(struct arena *a, const struct cc_comparing *c, const struct cc_node *node, const struct value *x,
                             const struct value *y, struct path at)
{
    bool look = x->state == VALUE_KNOWN && y->state == VALUE_KNOWN && x->n == y->n && !type_is_primitive(x->type);
    for (size_t i = 0; look && node->kind != CC_SET && i < x->n; i++) {
        const struct cc_node *part = cc_part_node(node, i);
        if (c ? !cc_equal_as(c, part, x->elements[i], y->elements[i]) : !value_raw_eq(x->elements[i], y->elements[i]))
            return difference(a, c, part, x->elements[i], y->elements[i],
                              node->kind == CC_OBJECT ? path_attr(a, at, part->name) : path_index(a, at, (int64_t)i));
    }
    return arena_printf(a, STR_FMT ": %s, now %s", STR_ARG(path_text(a, at)), testing_value_text(a, x), testing_value_text(a, y));
}

/* The value to send, with the default tags. */
static const struct value *with_tags(struct life *l, const struct value *planned)
{
    return cc_with_default_tags(l->arena, l->type, planned, l->tags);
}

/* The node of the value at this path; NULL if there is none. */
static const struct cc_node *node_at(const struct cc_node *root, struct path path)
{
    const struct cc_node *node = root;
    for (size_t i = 0; node && i < path.n; i++)
        node = path.steps[i].kind == PATH_ATTR ? cc_node_child(node, path.steps[i].name) : node->element;
    return node;
}

static const struct value *result(struct life *l, const struct value *planned)
{
    struct change_issues issues = {.arena = l->arena};
    const struct value *read = testing_read(&l->service, testing_get(&l->service));
    const struct value *known = cc_fill(l->arena, l->type->root, planned, read);
    const struct value *v = cc_with_id(l->arena, l->type->root, known, STR("id"));
    if (!v->wholly_known)
        failed(l, "not all of the result is known");
    (void)change_check_result(&issues, l->schema, planned, v);
    complain(l, &issues, "inconsistent result");
    struct cc_paths changed = cc_changed(l->arena, l->type->root, with_tags(l, planned), read);
    if (changed.n > 0)
        failed(
            l, "the service has something else at " STR_FMT,
            STR_ARG(difference(
                l->arena,
                &(struct cc_comparing){.arena = l->arena, .open = CC_OPEN_SENT, .skip_write_only = true, .skip_read_only = true},
                node_at(l->type->root, changed.v[0]), value_at(with_tags(l, planned), changed.v[0]),
                value_at(cc_refreshed(l->arena, l->type->root, value_unknown_to_null(l->arena, planned), read), changed.v[0]),
                changed.v[0])));
    return v;
}

static const struct value *refresh(struct life *l, const struct value *state)
{
    return cc_refreshed(l->arena, l->type->root, state, testing_read(&l->service, testing_get(&l->service)));
}

static void nothing_to_do(struct life *l, const struct value *state, const struct value *config)
{
    struct cc_plan p = plan(l, state, config);
    if (!value_raw_eq(p.planned, state))
        failed(l, "there is something to do, at " STR_FMT,
               STR_ARG(difference(l->arena, NULL, l->type->root, state, p.planned, PATH_ROOT)));
    assert_int_equal(p.replace.n, 0);
}

static const struct value *create(struct life *l, const struct value *config)
{
    struct diags diags;
    diags_init(&diags, l->arena);
    struct cc_plan p = plan(l, value_null(l->arena, l->type->root->type), config);
    assert_int_equal(p.replace.n, 0);
    const struct value *sent = with_tags(l, p.planned);
    const struct json *desired = cc_document(l->arena, l->type->root, sent, CC_DOCUMENT_CREATE, &diags);
    testing_no_errors(&diags);
    testing_create(&l->service, desired, sent);
    return result(l, p.planned);
}

/* Checks that write-only properties were sent again. */
static void check_secrets(struct life *l, const struct cc_node *node, const struct value *planned, const struct value *object,
                          bool hidden)
{
    const struct cc_comparing how = {.arena = l->arena, .open = CC_OPEN_SENT, .skip_read_only = true};
    if (!cc_has_content(planned) || node->create_only)
        return;
    hidden |= node->write_only;
    for (size_t i = 0; node->kind == CC_OBJECT && cc_has_content(object) && i < node->n_children; i++)
        check_secrets(l, &node->children[i], planned->elements[i], object->elements[i], hidden);
    if (node->kind != CC_OBJECT && hidden && !cc_equal_as(&how, node, planned, object))
        failed(l, "not sent again: " STR_FMT, STR_ARG(node->cf_name));
}

/* NULL if the change requires a replacement. */
static const struct value *update(struct life *l, const struct value *state, const struct value *config)
{
    struct diags diags;
    diags_init(&diags, l->arena);
    const struct cc_node *root = l->type->root;
    struct cc_plan p = plan(l, state, config);
    n_replacements += p.replace.n > 0;
    if (p.replace.n > 0)
        return NULL;
    const struct json *patch = cc_patch(l->arena, root, state, with_tags(l, p.planned), &diags);
    testing_no_errors(&diags);
    const char *wrong = patch->array.n > 0 ? testing_update(&l->service, patch) : NULL;
    if (wrong)
        failed(l, "%s: " STR_FMT, wrong, STR_ARG(cc_json_text(l->arena, patch)));
    n_updates += patch->array.n > 0;
    if (patch->array.n > 0)
        check_secrets(l, root, with_tags(l, p.planned), l->service.object, false);
    return result(l, p.planned);
}

/* Imports an existing object with the configuration that made it: the plan may change only write-only properties, and must not
 * replace the object. */
static void import(struct life *l, const struct value *config)
{
    const struct cc_comparing readable = {.arena = l->arena, .skip_write_only = true};
    const struct value *state = refresh(l, cc_import_object(l->arena, l->type->root, STR("id")));
    l->imported = true;
    struct cc_plan p = plan(l, state, config);
    l->imported = false;
    if (p.replace.n > 0)
        failed(l, "to be replaced for " STR_FMT, STR_ARG(path_text(l->arena, p.replace.v[0])));
    const struct value *planned = value_unknown_to_null(l->arena, p.planned);
    if (!cc_equal_as(&readable, l->type->root, state, planned))
        failed(l, "there is something to do, at " STR_FMT,
               STR_ARG(difference(l->arena, &readable, l->type->root, state, planned, PATH_ROOT)));
}

static void live(struct life *l)
{
    const struct cc_node *root = l->type->root;
    const struct value *config = testing_random_config(&l->random, root);
    l->step = "create";
    const struct value *state = create(l, config);
    l->step = "plan again without a refresh";
    nothing_to_do(l, state, config);
    l->step = "plan again";
    for (int i = 0; i < 2; i++) {
        state = refresh(l, state);
        nothing_to_do(l, state, config);
    }
    l->step = "plan the same in another order";
    config = testing_reword(&l->random, root, config);
    nothing_to_do(l, state, config);
    l->step = "import";
    import(l, config);
    for (int i = 0; i < 3; i++) {
        const struct value *other = testing_mutate(&l->random, root, config, 0);
        l->step = "update";
        const struct value *changed = update(l, state, other);
        if (!changed)
            continue;
        l->step = "plan after an update";
        state = refresh(l, changed);
        config = other;
        nothing_to_do(l, state, config);
    }
}

static void run_type(const struct cfn_schema *cfn, enum cfn_mode mode, unsigned seed)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct life l = {.arena = a, .seed = seed, .step = "translate"};
    l.type = cc_translate(a, cfn, mode);
    if (!l.type->root || !l.type->has_resource)
        return;
    struct schema_builder *b = schema_builder_new(a);
    l.schema = cc_schema_resource(b, l.type)->block;
    l.random = (struct testing_random){a, 0x9e3779b97f4a7c15 + seed, 0};
    static const struct cc_tag tags[] = {{STR("a"), STR("default")}, {STR("team"), STR("x")}};
    if (testing_chance(&l.random, 2))
        l.tags = (struct cc_tags){tags, 2};
    l.service = (struct testing_service){&l.random, l.type->root, NULL, false};
    if (setjmp(l.end) == 0)
        live(&l);
    schema_builder_end(b);
    n_lives++;
}

static void run_text(struct str text, const char *name, unsigned seeds)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *only = getenv("TERRANE_TYPE");
    const struct cfn_schema *cfn = cfn_schema_parse(a, text, name, &diags);
    for (unsigned seed = 1; cfn && (!only || str_eqz(cfn->type_name, only)) && seed <= seeds; seed++) {
        run_type(cfn, CFN_MODE_DEFAULT, seed);
        run_type(cfn, CFN_MODE_STRICT, seed);
    }
}

/* TERRANE_SEEDS: number of lifecycles per type. */
static unsigned seeds_wanted(unsigned usual)
{
    const char *wanted = getenv("TERRANE_SEEDS");
    int64_t n = usual;
    if (wanted)
        assert_true(str_to_i64(str_of(wanted), &n) && n > 0 && n < INT32_MAX);
    return (unsigned)n;
}

static void all_lived_in_peace(void)
{
    print_message("%zu lives with %zu updates and %zu replacements, %zu failed\n", n_lives, n_updates, n_replacements, n_failed);
    assert_true(n_lives > 0);
    assert_int_equal(n_failed, 0);
}

static void objects_of_our_examples_live_in_peace(void **state)
{
    enum { SEEDS = 20 };
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *folder = TERRANE_SOURCE "/src/cfn/examples";
    DIR *examples = opendir(folder);
    assert_non_null(examples);
    for (const struct dirent *entry = readdir(examples); entry; entry = readdir(examples)) {
        struct str text, path = arena_printf(a, "%s/%s", folder, entry->d_name);
        if (!str_ends(path, STR(".json")))
            continue;
        (void)file_read(a, path.p, TESTING_MAX, &diags, &text);
        testing_no_errors(&diags);
        run_text(text, path.p, seeds_wanted(SEEDS));
    }
    assert_int_equal(closedir(examples), 0);
    all_lived_in_peace();
}

static void objects_of_every_type_live_in_peace(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str file = testing_data(a, "cloudcontrol/schemas.tar.xz");
    const struct lazy_archive *lib = testing_archive(a);
    struct archive *tar = lib->read_new();
    struct archive_entry *entry;
    assert_int_equal(lib->read_support_filter_all(tar) | lib->read_support_format_all(tar), ARCHIVE_OK);
    assert_int_equal(lib->read_open_filename(tar, file.p, 1 << 16), ARCHIVE_OK);
    while (lib->read_next_header(tar, &entry) == ARCHIVE_OK) {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        size_t size = (size_t)lib->entry_size(entry);
        char *text = arena_alloc(scratch, size + 1, 1);
        if (strstr(lib->entry_pathname(entry), "schemas/AWS_") && lib->read_data(tar, text, size) == (la_ssize_t)size)
            run_text((struct str){text, size}, lib->entry_pathname(entry), seeds_wanted(1));
    }
    assert_int_equal(lib->read_free(tar), ARCHIVE_OK);
    all_lived_in_peace();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_of_our_examples_live_in_peace),
        cmocka_unit_test(objects_of_every_type_live_in_peace),
    };
    return cmocka_run_group_tests_name("cloudcontrol/lifecycle", tests, NULL, NULL);
}
