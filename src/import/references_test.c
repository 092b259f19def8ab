/*
 * What is linked and what is not: objects as JSON, whose configuration equals their state. Written expressions are evaluated
 * again.
 */
#include "import/references.h"

#include "base/testing.h"
#include "hcl/from_value.h"
#include "hcl/write.h"
#include "import/evaluate.h"
#include "schema/testing_schema.h"
#include "value/json_value.h"

#define ARN "arn:aws:s3:::bucket-of-mine"

struct world {
    struct arena *arena;
    struct worklist list;
    struct link_table table;
    struct references *references;
};

/* All attributes but `arn`, which is never written. */
static const struct json *arguments_of(struct arena *a, const struct json *attributes)
{
    struct json_member *members = arena_make_n(a, struct json_member, attributes->object.n);
    size_t n = 0;
    for (size_t i = 0; i < attributes->object.n; i++)
        if (!str_eqz(attributes->object.members[i].key, "arn"))
            members[n++] = attributes->object.members[i];
    return json_make_object(a, members, n);
}

/* `id` and `arn` are computed, `of` is required. */
static struct schema *schema_of(struct arena *a, const struct json *attributes)
{
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (size_t i = 0; i < attributes->object.n; i++) {
        struct str key = attributes->object.members[i].key;
        bool map = attributes->object.members[i].value->kind == JSON_OBJECT;
        bool own = str_eqz(key, "id") || str_eqz(key, "arn");
        buf_printf(&text, "%s\"" STR_FMT "\":{\"type\":%s,\"%s\":true}", i > 0 ? "," : "", STR_ARG(key),
                   map ? "[\"map\",\"string\"]" : "\"string\"",
                   own                                           ? "computed"
                   : str_eqz(key, "of") || str_eqz(key, "of_id") ? "required"
                                                                 : "optional");
    }
    struct schema *s = arena_make(a, struct schema);
    s->block = testing_block(a, arena_printf(a, "{\"attributes\":{" STR_FMT "}}", STR_ARG(buf_str(&text))).p);
    return s;
}

/* {"TYPE.NAME": {attributes}, ...}, in the order of the list. */
static struct world *world_of(struct arena *a, const char *objects, const char *table)
{
    struct world *w = arena_make(a, struct world);
    w->arena = a;
    struct diags diags;
    diags_init(&diags, a);
    worklist_init(&w->list, a);
    links_init(&w->table, a);
    assert_true(links_read(&w->table, str_of(table), "table", &diags));
    const struct json *j = testing_jsonz(a, objects);
    for (size_t i = 0; i < j->object.n; i++) {
        struct str rest = j->object.members[i].key;
        struct import_item item = {.type = str_cut(&rest, '.'), .name = rest, .id = j->object.members[i].key};
        assert_true(worklist_add(&w->list, &item, "test", &diags));
        struct import_result *r = arena_make(a, struct import_result);
        const struct json *all = j->object.members[i].value;
        r->resource.schema = schema_of(a, all);
        const struct type *type = r->resource.schema->block->type;
        r->state = value_from_json(a, all, type, PATH_ROOT, &diags);
        r->configured.config = value_from_json(a, arguments_of(a, all), type, PATH_ROOT, &diags);
        w->list.items.v[i].result = r;
    }
    testing_no_errors(&diags);
    w->references = references_find(a, &w->list, &w->table, NULL);
    return w;
}

struct asking {
    const struct world *world;
    size_t item;
};

static const struct hcl_expr *ask(void *ctx, struct path at, const struct value *v)
{
    const struct asking *q = ctx;
    return references_expr(q->world->references, q->world->arena, q->item, at, v->string);
}

/* The written expression of an attribute of the n-th object. */
static struct str written(const struct world *w, size_t item, const char *name)
{
    struct asking q = {w, item};
    struct hcl_from from = {.arena = w->arena, .text = ask, .ctx = &q};
    struct path at = path_attr(w->arena, PATH_ROOT, str_of(name));
    struct hcl_attr attr = {.name = STR("x")};
    attr.value = hcl_from_value(&from, at, value_at(w->list.items.v[item].result->state, at));
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    hcl_write(&out, &(struct hcl_body){.attrs = &attr, .n_attrs = 1});
    return str_slice(buf_copy(&out, w->arena), strlen("x = "), out.n - 1);
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *value, *expected; /* of argument "x" of another object, and of "by_table" */
    } table[] = {
        {"vpc-0a1b2c3d", "t_net.n.id"},
        {"vpc-0a1b2c3d4", "\"vpc-0a1b2c3d4\""},
        {"tgw-attach-0123456789abcdef0", "t_plug.p.id"},
        {"my-backup-20240101", "\"my-backup-20240101\""},
        {"in vpc-0a1b2c3d", "\"in vpc-0a1b2c3d\""},
        {ARN, "t_bucket.b.arn"},
        {ARN "/*", "\"${t_bucket.b.arn}/*\""},
        {"a " ARN ", " ARN "/x", "\"a ${t_bucket.b.arn}, ${t_bucket.b.arn}/x\""},
        {ARN "-two", "\"" ARN "-two\""},
        {ARN ".two", "\"" ARN ".two\""},
        {ARN "+two", "\"" ARN "+two\""},
        {ARN ",two", "t_odd.o.arn"},
        {"a " ARN ",two", "\"a ${t_odd.o.arn}\""},
        {ARN "," ARN, "\"${t_bucket.b.arn},${t_bucket.b.arn}\""},
        {"main", "\"main\""},
        {"true", "\"true\""},
        {"123456789012", "\"123456789012\""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct str objects = arena_printf(
            a,
            "{\"t_net.n\":{\"id\":\"vpc-0a1b2c3d\",\"name\":\"main\",\"owner\":\"123456789012\",\"on\":\"true\"},"
            "\"t_bucket.b\":{\"id\":\"bucket-of-mine\",\"arn\":\"" ARN "\"},\"t_user.u\":{\"id\":\"u\",\"x\":\"%s\"},"
            "\"t_plug.p\":{\"id\":\"tgw-attach-0123456789abcdef0\"},\"t_set.s\":{\"id\":\"my-backup-20240101\"},"
            "\"t_odd.o\":{\"id\":\"o\",\"arn\":\"" ARN ",two\"}}",
            table[i].value);
        struct world *w = world_of(a, objects.p, "");
        testing_text(written(w, 2, "x"), table[i].expected);
    }
}

static void by_table(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w =
        world_of(a,
                 "{\"t_role.r\":{\"id\":\"web\",\"name\":\"web\"},\"t_group.g\":{\"id\":\"web\",\"name\":\"web\"},"
                 "\"t_user.u\":{\"id\":\"u\",\"role\":\"web\",\"group\":\"web\",\"title\":\"web\",\"none\":\"web\"},"
                 "\"t_group.h\":{\"id\":\"h\",\"name\":\"web\"}}",
                 "t_user role -> t_missing.id\nt_user role -> t_role.name\nt_user group -> t_group.name\n"
                 "t_user none -> none\nt_* **.none -> t_role.id\n");
    testing_text(written(w, 2, "role"), "t_role.r.name");
    testing_text(written(w, 2, "title"), "\"web\"");
    testing_text(written(w, 2, "none"), "\"web\"");
    /* Two groups have that name. */
    testing_text(written(w, 2, "group"), "\"web\"");
    testing_text(references_doubts(w->references, a, 2), "group: could be of t_group.g or t_group.h, so it is left as it is.");
    assert_int_equal(references_count(w->references), 1);
}

/* Two methods are GET; the one of the same resource is meant, and the balancer whose name stands beside its zone. */
static void of_several(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w = world_of(a,
                               "{\"t_res.r\":{\"id\":\"res-1\"},\"t_res.s\":{\"id\":\"res-2\"},"
                               "\"t_method.a\":{\"id\":\"a\",\"res\":\"res-1\",\"verb\":\"GET\"},"
                               "\"t_method.b\":{\"id\":\"b\",\"res\":\"res-2\",\"verb\":\"GET\"},"
                               "\"t_use.u\":{\"id\":\"u\",\"res\":\"res-2\",\"verb\":\"GET\"},"
                               "\"t_use.v\":{\"id\":\"v\",\"res\":\"res-3\",\"verb\":\"GET\"},"
                               "\"t_lb.a\":{\"id\":\"la\",\"name\":\"front\",\"zone\":\"Z1\"},"
                               "\"t_lb.b\":{\"id\":\"lb\",\"name\":\"back\",\"zone\":\"Z1\"},"
                               "\"t_record.r\":{\"id\":\"r\",\"name\":\"front\",\"zone\":\"Z1\"},"
                               "\"t_record.s\":{\"id\":\"s\",\"name\":\"other\",\"zone\":\"Z1\"}}",
                               "t_method res -> t_res.id\nt_use res -> t_res.id\nt_use verb -> t_method.verb\n"
                               "t_record name -> t_lb.name\nt_record zone -> t_lb.zone\n");
    testing_text(written(w, 4, "verb"), "t_method.b.verb");
    testing_text(written(w, 5, "verb"), "\"GET\"");
    testing_text(written(w, 8, "zone"), "t_lb.a.zone");
    testing_text(written(w, 9, "zone"), "\"Z1\"");
}

/* What stands beside a value rules out an owner: a method of the same API on another path, a balancer of another name. */
static void of_another(void **state)
{
    (void)state;
    static const char table[] = "t_method api -> t_api.id\nt_method res -> t_res.id\n"
                                "t_use api -> t_api.id\nt_use res -> t_res.id\nt_use verb -> t_method.verb\n"
                                "t_record to -> t_lb.dns\nt_record zone -> t_lb.zone\n";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct world *w = world_of(a,
                                     "{\"t_api.a\":{\"id\":\"a1\"},\"t_api.b\":{\"id\":\"b1\"},\"t_res.r\":{\"id\":\"r1\"},"
                                     "\"t_res.s\":{\"id\":\"s1\"},\"t_res.t\":{\"id\":\"t1\"},"
                                     "\"t_method.s\":{\"id\":\"m1\",\"api\":\"a1\",\"res\":\"s1\",\"verb\":\"GET\"},"
                                     "\"t_method.t\":{\"id\":\"m2\",\"api\":\"b1\",\"res\":\"t1\",\"verb\":\"GET\"},"
                                     "\"t_method.u\":{\"id\":\"m3\",\"api\":\"a1\",\"res\":\"s1\",\"verb\":\"PUT\"},"
                                     "\"t_use.r\":{\"id\":\"u1\",\"api\":\"a1\",\"res\":\"r1\",\"verb\":\"GET\"},"
                                     "\"t_use.s\":{\"id\":\"u2\",\"api\":\"a1\",\"res\":\"s1\",\"verb\":\"GET\"},"
                                     "\"t_use.t\":{\"id\":\"u3\",\"api\":\"a1\",\"res\":\"r1\",\"verb\":\"PUT\"},"
                                     "\"t_use.u\":{\"id\":\"u4\",\"api\":\"a1\",\"res\":\"s1\",\"verb\":\"PUT\"},"
                                     "\"t_lb.web\":{\"id\":\"l1\",\"dns\":\"web.elb\",\"zone\":\"Z1\"},"
                                     "\"t_record.web\":{\"id\":\"c1\",\"to\":\"web.elb\",\"zone\":\"Z1\"},"
                                     "\"t_record.dual\":{\"id\":\"c2\",\"to\":\"dualstack.web.elb\",\"zone\":\"Z1\"},"
                                     "\"t_record.other\":{\"id\":\"c3\",\"to\":\"other.elb\",\"zone\":\"Z1\"},"
                                     "\"t_use.w\":{\"id\":\"u5\",\"api\":\"a1\",\"res\":\"unknown\",\"verb\":\"GET\"}}",
                                     table);
    static const struct {
        size_t item;
        const char *argument, *expected;
    } cases[] = {
        {8, "verb", "\"GET\""},        {9, "verb", "t_method.s.verb"},  {10, "verb", "\"PUT\""},
        {16, "verb", "\"GET\""},       {11, "verb", "t_method.u.verb"}, {13, "to", "t_lb.web.dns"},
        {13, "zone", "t_lb.web.zone"}, {14, "zone", "t_lb.web.zone"},   {15, "zone", "\"Z1\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        testing_text(written(w, cases[i].item, cases[i].argument), cases[i].expected);
}

/* All rules for an argument count, also the tenth. */
static void by_many_rules(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct world *w = world_of(a, "{\"t_last.l\":{\"id\":\"l\",\"key\":\"k-1\"},\"t_user.u\":{\"id\":\"u\",\"x\":\"k-1\"}}",
                                     "t_user x -> t_a.key\nt_user x -> t_b.key\nt_user x -> t_c.key\nt_user x -> t_d.key\n"
                                     "t_user x -> t_e.key\nt_user x -> t_f.key\nt_user x -> t_g.key\nt_user x -> t_h.key\n"
                                     "t_user x -> t_i.key\nt_user x -> t_last.key\n");
    testing_text(written(w, 1, "x"), "t_last.l.key");
}

/* A part of another object counts only where that object is named, too. */
static void parts_astray(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w = world_of(a,
                               "{\"t_path.p\":{\"of_id\":\"api-one\",\"path\":\"/items\"},"
                               "\"t_user.u\":{\"id\":\"u\",\"x\":\"api-one/*/items\",\"api\":\"\"},"
                               "\"t_user.v\":{\"id\":\"v\",\"x\":\"api-two/*/items\",\"api\":\"\"},"
                               "\"t_user.w\":{\"id\":\"w\",\"x\":\"to/items\",\"api\":\"api-one\"},"
                               "\"t_file.f\":{\"id\":\"/items\"},\"t_reader.z\":{\"id\":\"z\",\"x\":\"to/items\",\"api\":\"\"}}",
                               "t_user x -> t_path.path part\nt_reader x -> t_file.id part\n");
    testing_text(written(w, 1, "x"), "\"api-one/*${t_path.p.path}\"");
    testing_text(written(w, 2, "x"), "\"api-two/*/items\"");
    testing_text(written(w, 3, "x"), "\"to${t_path.p.path}\"");
    testing_text(written(w, 5, "x"), "\"to/items\"");
}

/* Values that a rule allows inside a string, between characters that cannot be part of names; ordinary words are not linked. */
static void parts_by_table(void **state)
{
    static const struct {
        const char *value, *expected;
    } table[] = {
        {"s3://my-bucket/x.py", "\"s3://${t_bucket.b.id}/x.py\""},
        {"s3://my-bucket-two/x.py", "\"s3://my-bucket-two/x.py\""},
        {"to my-bucket!", "\"to ${t_bucket.b.id}!\""},
        {"in/abcdefgh", "\"in/${t_part.p.id}\""},
        {"an abcdefgh of", "\"an abcdefgh of\""},
        {"in/of", "\"in/of\""},
    };
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct str objects = arena_printf(a,
                                          "{\"t_bucket.b\":{\"id\":\"my-bucket\"},\"t_part.p\":{\"id\":\"abcdefgh\"},"
                                          "\"t_part.s\":{\"id\":\"of\"},\"t_user.u\":{\"id\":\"u\",\"x\":\"%s\"}}",
                                          table[i].value);
        struct world *w = world_of(a, objects.p, "t_user x -> t_bucket.id part\nt_user x -> t_part.id part\n");
        testing_text(written(w, 3, "x"), table[i].expected);
    }
}

/* A rule for a key comes before those for the whole map. */
static void keys_of_maps(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w = world_of(a,
                               "{\"t_queue.q\":{\"id\":\"jobs\"},\"t_group.g\":{\"id\":\"jobs\"},"
                               "\"t_alarm.a\":{\"id\":\"a\",\"dimensions\":{\"QueueName\":\"jobs\",\"Other\":\"jobs\"}}}",
                               "t_alarm dimensions{} -> t_group.id\nt_alarm dimensions.QueueName -> t_queue.id\n");
    testing_text(written(w, 2, "dimensions"), "{\n  Other     = t_group.g.id\n  QueueName = t_queue.q.id\n}");
}

/* The policy has the topic's ARN as its id, which does not make it a second owner. */
static void borrowed_ids(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w = world_of(a,
                               "{\"t_topic.t\":{\"id\":\"" ARN "\",\"arn\":\"" ARN "\"},"
                               "\"t_policy.p\":{\"id\":\"" ARN "\",\"of\":\"" ARN "\"},"
                               "\"t_alarm.a\":{\"id\":\"a\",\"arn\":\"arn:aws:cw:::alarm:too much\",\"to\":\"" ARN "\"},"
                               "\"t_user.u\":{\"id\":\"u\",\"x\":\"{\\\"on\\\":\\\"arn:aws:cw:::alarm:too much\\\"}\"}}",
                               "");
    testing_text(written(w, 1, "of"), "t_topic.t.arn");
    testing_text(written(w, 2, "to"), "t_topic.t.arn");
    testing_text(written(w, 3, "x"), "jsonencode({\n  on = t_alarm.a.arn\n})");
}

/* The rule says what also has the id; the object whose id it is comes first. */
static void of_its_own(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct world *w = world_of(a,
                                     "{\"vpc.v\":{\"id\":\"vpc-01234567\",\"main\":\"rtb-01234567\",\"other\":\"rtb-76543210\"},"
                                     "\"table.t\":{\"id\":\"rtb-01234567\"},"
                                     "\"route.r\":{\"x\":\"rtb-01234567\",\"y\":\"rtb-76543210\"}}",
                                     "route x -> vpc.main\nroute x -> table.id\nroute y -> vpc.other\n");
    testing_text(written(w, 2, "x"), "table.t.id");
    testing_text(written(w, 2, "y"), "vpc.v.other");
}

static void circles(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w = world_of(a,
                               "{\"t.a\":{\"id\":\"sg-00000001\",\"to\":\"sg-00000002\",\"self\":\"sg-00000001\"},"
                               "\"t.b\":{\"id\":\"sg-00000002\",\"to\":\"sg-00000003\",\"self\":\"\"},"
                               "\"t.c\":{\"id\":\"sg-00000003\",\"to\":\"sg-00000001\",\"self\":\"\"}}",
                               "");
    testing_text(written(w, 0, "to"), "t.b.id");
    testing_text(written(w, 0, "self"), "\"sg-00000001\"");
    testing_text(written(w, 1, "to"), "t.c.id");
    testing_text(written(w, 2, "to"), "\"sg-00000001\"");
    testing_text(references_doubts(w->references, a, 2), "to: is of t.a, which refers to this one.");
    assert_int_equal(references_count(w->references), 2);
}

static void in_policies(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w = world_of(a,
                               "{\"t_bucket.b\":{\"id\":\"b\",\"arn\":\"" ARN "\"},"
                               "\"t_policy.p\":{\"id\":\"p\",\"policy\":\"{\\\"Resource\\\":[\\\"" ARN "/*\\\"]}\"}}",
                               "");
    testing_text(written(w, 1, "policy"), "jsonencode({\n  Resource = [\"${t_bucket.b.arn}/*\"]\n})");
}

static void evaluated(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct map objects, variables;
    map_init(&objects, a);
    map_init(&variables, a);
    map_put(&objects, STR("t.a"), (void *)(uintptr_t)testing_jsonz(a, "{\"id\":\"i\",\"list\":[{\"k v\":7}]}"));
    map_put(&variables, STR("secret"), (void *)(uintptr_t)testing_jsonz(a, "\"s\""));
    struct evaluation ev = {.arena = a, .objects = &objects, .variables = &variables, .diags = &diags};
    const struct hcl_body *body =
        hcl_parse(a,
                  STR("a = t.a.id\nb = \"x${t.a.list[0][\"k v\"]}$${}\"\nc = jsonencode({ b = \"<\", a = -1 "
                      "})\nd = var.secret\ne = [null, true, 1.5]\nf = { null = 1, true = 2 }\nlifecycle {\n ignore_changes = "
                      "[tags[\"x\"], rule[0].port]\n}\n"),
                  "t", 1, &diags);
    struct schema_block schema = {0};
    const struct json *ignored, *j = evaluate_resource(&ev, &schema, body, &ignored);
    testing_no_errors(&diags);
    assert_true(json_eq(j, testing_jsonz(a, "{\"a\":\"i\",\"b\":\"x7${}\",\"c\":\"{\\\"a\\\":-1,\\\"b\\\":\\\"\\\\u003c\\\"}\","
                                            "\"d\":\"s\",\"e\":[null,true,1.5],\"f\":{\"null\":1,\"true\":2}}")));
    assert_true(json_eq(ignored, testing_jsonz(a, "[[\"tags\",\"x\"],[\"rule\",0,\"port\"]]")));
    body = hcl_parse(a, STR("a = t.gone.id\n"), "t", 1, &diags);
    assert_null(evaluate_resource(&ev, &schema, body, &ignored));
    testing_says(&diags, "the reference has no target");
}

/* Names are valid in their own region, or everywhere for services without regions; unmistakable values are valid everywhere. */
static void regions(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world *w =
        world_of(a,
                 "{\"x_group.here\": {\"id\": \"app\", \"net\": \"\"}, \"x_group.there\": {\"id\": \"app\", \"net\": \"\"},"
                 " \"x_group.only_here\": {\"id\": \"main\", \"net\": \"\"}, \"x_g_role.all\": {\"id\": \"role\"},"
                 " \"x_net.here\": {\"id\": \"net-0a1b2c3d\"},"
                 " \"x_use.there\": {\"id\": \"u\", \"group\": \"app\", \"other\": \"main\", \"role\": \"role\","
                 " \"net\": \"net-0a1b2c3d\"}}",
                 "x_use group -> x_group.id\nx_use other -> x_group.id\nx_use role -> x_g_role.id\nx_use net -> x_net.id\n");
    static const char text[] = "services:\n  g: {protocol: query, version: \"1\", region: one}\n";
    struct rows rows;
    struct diags diags;
    diags_init(&diags, a);
    rows_init(&rows, a);
    assert_true(rows_read(&rows, STR(text), "rows", &diags));
    *VEC_PUSH(a, &w->list.regions) = STR("one");
    *VEC_PUSH(a, &w->list.regions) = STR("two");
    w->list.items.v[1].region = w->list.items.v[5].region = STR("two");
    w->references = references_find(a, &w->list, &w->table, &rows);
    testing_text(written(w, 5, "group"), "x_group.there.id");
    testing_text(written(w, 5, "other"), "\"main\"");
    testing_text(written(w, 5, "role"), "x_g_role.all.id");
    testing_text(written(w, 5, "net"), "x_net.here.id");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),       cmocka_unit_test(by_table),      cmocka_unit_test(circles),
        cmocka_unit_test(in_policies),  cmocka_unit_test(evaluated),     cmocka_unit_test(regions),
        cmocka_unit_test(of_several),   cmocka_unit_test(parts_astray),  cmocka_unit_test(parts_by_table),
        cmocka_unit_test(keys_of_maps), cmocka_unit_test(borrowed_ids),  cmocka_unit_test(of_its_own),
        cmocka_unit_test(of_another),   cmocka_unit_test(by_many_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
