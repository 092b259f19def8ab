/* Models: what is rejected and with which message, what the service adds, what a client sees. */
#include "emulator/model.h"

#include "cfn/testing_cfn.h"

/* One property of each kind, and pointers of each kind. */
static const char thing[] =
    "{'typeName':'AWS::Test::Thing','description':'d','additionalProperties':false,'properties':{"
    "'Name':{'type':'string','minLength':2,'maxLength':4,'pattern':'^[a-z\\u00e4]+$'},"
    "'Size':{'type':'integer','minimum':1,'maximum':9,'default':3},"
    "'Ratio':{'type':'number'},'On':{'type':'boolean'},'Any':{},"
    "'Mode':{'type':'string','enum':['a','b']},'Level':{'type':'integer','enum':[1,2]},"
    "'Tags':{'type':'array','insertionOrder':false,'minItems':1,'maxItems':9,'items':{'$ref':'#/definitions/Tag'}},"
    "'Steps':{'type':'array','items':{'type':'string'}},"
    "'Groups':{'type':'array','insertionOrder':false,'uniqueItems':true,'items':{'type':'string'}},"
    "'Labels':{'type':'object','patternProperties':{'.*':{'type':'string'}},'additionalProperties':false},"
    "'Rules':{'type':'array','items':{'type':'object','additionalProperties':false,'required':['Id','Text'],"
    "'properties':{'Id':{'type':'string'},'Text':{'type':'string'},'Key':{'type':'string'}}}},"
    "'Owner':{'type':'object','additionalProperties':false,'properties':{'Arn':{'type':'string'},'Note':{'type':'string'}}},"
    "'Secret':{'type':'string','default':'s'},'Arn':{'type':'string'},'Count':{'type':'integer'}},"
    "'definitions':{'Tag':{'type':'object','additionalProperties':false,'required':['Key'],"
    "'properties':{'Key':{'type':'string'},'Value':{'type':'string'}}}},"
    "'required':['Name','Arn'],"
    "'createOnlyProperties':['/properties/Name','/properties/Owner/Note','/properties/Secret'],"
    "'readOnlyProperties':['/properties/Arn','/properties/Count','/properties/Rules/*/Id','/properties/Owner/Arn'],"
    "'writeOnlyProperties':['/properties/Secret','/properties/Rules/*/Key'],"
    "'primaryIdentifier':['/properties/Name','/properties/Owner/Arn'],"
    "'handlers':{'create':{'permissions':[]},'read':{'permissions':[]}}}";

struct world {
    struct arena *arena;
    const struct cfn_schema *schema;
};

/* Uses ' instead of ", to avoid escapes in C. */
static const struct json *json_of(struct world *w, const char *text)
{
    struct str copy = arena_str(w->arena, str_of(text));
    for (size_t i = 0; i < copy.n; i++)
        if (copy.p[i] == '\'')
            ((char *)copy.p)[i] = '"';
    return testing_jsonz(w->arena, copy.p);
}

static void open_world(struct world *w)
{
    w->arena = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    struct json_writer out = {.out = &text};
    json_write(&out, json_of(w, thing));
    (void)json_finish(&out);
    w->schema = testing_cfn(w->arena, buf_copy(&text, w->arena).p);
}

static void same(struct world *w, const struct json *got, const char *wanted)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 16);
    struct json_writer out = {.out = &text};
    json_write(&out, got);
    (void)json_finish(&out);
    if (!json_eq(got, json_of(w, wanted)))
        fail_msg("expected %s, got %s", wanted, buf_copy(&text, w->arena).p);
}

static void what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *model, *problem; /* NULL: nothing */
    } cases[] = {
        {"{'Name':'abc'}", NULL},
        {"{'Nam':1}", "#: extraneous key [Nam] is not permitted"},
        {"{'Name':true}", "#/Name: expected type: String, found: Boolean"},
        {"{'Name':7}", "#/Name: expected type: String, found: Integer"},
        {"{'Name':-2147483649}", "#/Name: expected type: String, found: Long"},
        {"{'Name':92233720368547758070}", "#/Name: expected type: String, found: BigInteger"},
        {"{'Name':7.5}", "#/Name: expected type: String, found: BigDecimal"},
        {"{'Name':null}", "#/Name: expected type: String, found: Null"},
        {"{'Name':[]}", "#/Name: expected type: String, found: JSONArray"},
        {"{'Name':{}}", "#/Name: expected type: String, found: JSONObject"},
        {"{'Tags':{}}", "#/Tags: expected type: JSONArray, found: JSONObject"},
        {"{'Labels':[]}", "#/Labels: expected type: JSONObject, found: JSONArray"},
        {"{'On':'true'}", "#/On: expected type: Boolean, found: String"},
        {"{'Ratio':'1'}", "#/Ratio: expected type: Number, found: String"},
        {"{'Ratio':1,'Any':{'x':[null]}}", NULL},
        {"{'Size':2.0}", "#/Size: expected type: Integer, found: BigDecimal"},
        {"{'Size':0}", "#/Size: 0 is not greater or equal to 1"},
        {"{'Size':10}", "#/Size: 10 is not less or equal to 9"},
        {"{'Name':'a'}", "#/Name: expected minLength: 2, actual: 1"},
        {"{'Name':'abcde'}", "#/Name: expected maxLength: 4, actual: 5"},
        {"{'Name':'\\u00e4\\u00e4\\u00e4\\u00e4'}", NULL}, /* characters, not bytes */
        {"{'Name':'ABC'}", "#/Name: string [ABC] does not match pattern ^[a-z\u00e4]+$"},
        {"{'Mode':'c'}", "#/Mode: c is not a valid enum value"},
        {"{'Level':3}", "#/Level: 3 is not a valid enum value"},
        {"{'Level':1}", NULL},
        {"{'Tags':[]}", "#/Tags: expected minimum item count: 1, found: 0"},
        {"{'Steps':['a','b',1]}", "#/Steps/2: expected type: String, found: Integer"},
        {"{'Groups':['a','b','a']}", "#/Groups: array items are not unique"},
        {"{'Tags':[{'Key':'k'},{'Key':'k','Vaule':'v'}]}", "#/Tags/1: extraneous key [Vaule] is not permitted"},
        {"{'Labels':{'x/y':1}}", "#/Labels/x/y: expected type: String, found: Integer"},
        {"{'Tags':[{'Value':'v'}]}", NULL}, /* the handler checks that */
    };
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str problem = STR_EMPTY;
        bool ok = emulator_model_check(w.arena, w.schema, json_of(&w, cases[i].model), EMULATOR_CHECK_CALL, &problem);
        if (ok != !cases[i].problem || (!ok && !str_eqz(problem, cases[i].problem)))
            fail_msg("%s: expected \"%s\", got \"" STR_FMT "\"", cases[i].model, cases[i].problem ? cases[i].problem : "",
                     STR_ARG(problem));
    }
    arena_free(w.arena);
}

static void what_the_handler_misses(void **state)
{
    (void)state;
    static const struct {
        const char *model, *problem;
    } cases[] = {
        {"{}", "#: required key [Name] not found"},
        {"{'Name':'abc'}", NULL}, /* Arn is the service's own */
        {"{'Name':'abc','Tags':[{'Key':'k'},{'Value':'v'}]}", "#/Tags/1: required key [Key] not found"},
        {"{'Name':'abc','Rules':[{}]}", "#/Rules/0: required key [Text] not found"}, /* and so is the Id of a rule */
        {"{'Name':'abc','Rules':[{'Text':'t'}]}", NULL},
    };
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str problem = STR_EMPTY;
        bool ok = emulator_model_check(w.arena, w.schema, json_of(&w, cases[i].model), EMULATOR_CHECK_WHOLE, &problem);
        if (ok != !cases[i].problem || (!ok && !str_eqz(problem, cases[i].problem)))
            fail_msg("%s: got \"" STR_FMT "\"", cases[i].model, STR_ARG(problem));
    }
    arena_free(w.arena);
}

static struct emulator_sampler sampler(const struct world *w, uint64_t seed)
{
    return (struct emulator_sampler){
        .arena = w->arena, .schema = w->schema, .account = STR("123456789012"), .region = STR("us-east-1"), .seed = seed};
}

static void what_the_service_adds(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    struct emulator_sampler s = sampler(&w, 1);
    const struct json *model = emulator_model_complete(&s, json_of(&w, "{'Name':'abc','Rules':[{'Text':'t','Key':'k'}]}"));
    testing_text(json_text(json_get(model, "Name"), STR_EMPTY), "abc");
    assert_int_equal(json_int(json_get(model, "Size"), 0), 3); /* by default */
    assert_null(json_get(model, "Secret"));                    /* write-only: its default is the handler's business */
    assert_null(json_get(model, "Tags"));
    assert_true(str_starts(json_text(json_get(model, "Arn"), STR_EMPTY), STR("arn:aws:test:us-east-1:123456789012:")));
    assert_int_equal(json_get(model, "Count")->kind, JSON_NUMBER);
    assert_true(json_text(json_get(json_get(model, "Owner"), "Arn"), STR_EMPTY).n > 0); /* a part of the identifier */
    const struct json *rule = json_get(model, "Rules")->array.items[0];
    assert_true(json_text(json_get(rule, "Id"), STR_EMPTY).n > 0);
    testing_text(json_text(json_get(rule, "Text"), STR_EMPTY), "t");

    /* Existing values stay; the same seed gives the same values. */
    assert_true(json_eq(emulator_model_complete(&s, model), model));
    struct emulator_sampler again = sampler(&w, 1), other = sampler(&w, 2);
    const struct json *given = json_of(&w, "{'Name':'abc'}");
    assert_true(json_eq(emulator_model_complete(&s, given), emulator_model_complete(&again, given)));
    assert_false(json_eq(emulator_model_complete(&s, given), emulator_model_complete(&other, given)));
    arena_free(w.arena);
}

static void identifiers(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    struct str id;
    const struct json *model = json_of(&w, "{'Name':'abc','Owner':{'Arn':'x','Note':'n'},'Size':1}");
    assert_true(emulator_model_identifier(w.arena, w.schema, model, &id));
    testing_text(id, "abc|x");
    same(&w, emulator_model_identity(w.arena, w.schema, model), "{'Name':'abc','Owner':{'Arn':'x'}}");
    assert_false(emulator_model_identifier(w.arena, w.schema, json_of(&w, "{'Name':'abc'}"), &id));
    assert_false(emulator_model_identifier(w.arena, w.schema, json_of(&w, "{'Name':null,'Owner':{'Arn':'x'}}"), &id));
    assert_false(emulator_model_identifier(w.arena, w.schema, json_of(&w, "{'Owner':'x'}"), &id));
    arena_free(w.arena);
}

static void who_may_set_what(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    testing_text(emulator_model_read_only(w.arena, w.schema, json_of(&w, "{'Name':'abc','Rules':[{'Text':'t'}]}")), "");
    testing_text(emulator_model_read_only(w.arena, w.schema, json_of(&w, "{'Arn':'a'}")), "/properties/Arn");
    testing_text(emulator_model_read_only(w.arena, w.schema, json_of(&w, "{'Owner':{'Arn':'a'}}")), "/properties/Owner/Arn");

    const struct json *before = json_of(&w, "{'Name':'abc','Owner':{'Arn':'x','Note':'n'},'Arn':'a','Count':1}");
    static const struct {
        const char *after, *create_only, *read_only;
    } cases[] = {
        {"{'Name':'abc','Owner':{'Arn':'x','Note':'n'},'Arn':'a','Count':1,'Size':5}", "", ""},
        {"{'Name':'abd','Owner':{'Arn':'x','Note':'m'},'Arn':'a','Count':1}", "/properties/Name, /properties/Owner/Note", ""},
        {"{'Owner':{'Arn':'x','Note':'n'},'Arn':'a','Count':1}", "/properties/Name", ""},
        {"{'Name':'abc','Owner':{'Arn':'x','Note':'n'},'Arn':'a','Count':1.0}", "", ""}, /* the same number */
        {"{'Name':'abc','Owner':{'Arn':'y','Note':'n'},'Arn':'b','Count':1}", "", "/properties/Arn, /properties/Owner/Arn"},
        {"{'Name':'abc','Owner':{'Arn':'x','Note':'n'},'Secret':'t'}", "", ""}, /* write-only, so it cannot be compared */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct json *after = json_of(&w, cases[i].after);
        testing_text(emulator_model_create_only(w.arena, w.schema, before, after), cases[i].create_only);
        testing_text(emulator_model_read_only_changed(w.arena, w.schema, before, after), cases[i].read_only);
    }
    arena_free(w.arena);
}

static void what_cannot_be_taken_away(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    const struct json *before =
        json_of(&w, "{'Name':'abc','Owner':{'Arn':'x','Note':'n'},'Arn':'a','Count':1,'Size':2,'Secret':'s'}");
    same(&w, emulator_model_keep(w.arena, w.schema, before, json_of(&w, "{}")),
         "{'Name':'abc','Owner':{'Arn':'x'},'Arn':'a','Count':1,'Secret':'s'}");
    same(&w, emulator_model_keep(w.arena, w.schema, before, json_of(&w, "{'Arn':'b','Owner':{'Note':'m'},'Secret':'t'}")),
         "{'Name':'abc','Owner':{'Arn':'x','Note':'m'},'Arn':'b','Count':1,'Secret':'t'}");
    arena_free(w.arena);
}

static void what_a_client_sees(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    const struct json *model =
        json_of(&w, "{'Name':'abc','Secret':'s','Rules':[{'Id':'1','Text':'t','Key':'k'}],'Steps':['a','b','c','d','e','f','g'],"
                    "'Tags':[{'Key':'1'},{'Key':'2'},{'Key':'3'},{'Key':'4'},{'Key':'5'},{'Key':'6'},{'Key':'7'}],"
                    "'Groups':['1','2','3','4','5','6','7']}");
    const struct json *plain = emulator_model_visible(w.arena, w.schema, model, 0);
    assert_null(json_get(plain, "Secret"));
    same(&w, json_get(plain, "Rules"), "[{'Id':'1','Text':'t'}]");
    assert_true(json_eq(json_get(plain, "Tags"), json_get(model, "Tags")));

    size_t n_tags = 0, n_groups = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const struct json *shuffled = emulator_model_visible(w.arena, w.schema, model, seed);
        assert_true(json_eq(json_get(shuffled, "Steps"), json_get(model, "Steps"))); /* that order is the client's */
        n_tags += !json_eq(json_get(shuffled, "Tags"), json_get(model, "Tags"));
        n_groups += !json_eq(json_get(shuffled, "Groups"), json_get(model, "Groups"));
        const struct json *tags = json_get(shuffled, "Tags");
        unsigned seen = 0;
        for (size_t i = 0; i < tags->array.n; i++)
            seen |= 1U << (json_text(json_get(tags->array.items[i], "Key"), STR("0")).p[0] - '0');
        assert_int_equal(seen, 0xfe); /* each of them once */
        assert_int_equal(tags->array.n, 7);
    }
    assert_true(n_tags > 15 && n_groups > 15);
    arena_free(w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong),         cmocka_unit_test(what_the_handler_misses),
        cmocka_unit_test(what_the_service_adds), cmocka_unit_test(identifiers),
        cmocka_unit_test(who_may_set_what),      cmocka_unit_test(what_cannot_be_taken_away),
        cmocka_unit_test(what_a_client_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
