/* Calls of the provider in several threads, and with a damaged pack. tests/scenario has lifecycles of objects. */
#include "cfn/testing_pack.h"
#include "cloudcontrol/provider_private.h"
#include "loop/loop.h"
#include "translate/testing_translate.h"
#include "value/testing_notation.h"

static const char thing[] = "{\"typeName\":\"AWS::Test::Thing\",\"properties\":{\"Name\":{\"type\":\"string\"}},"
                            "\"primaryIdentifier\":[\"/properties/Name\"]}";

static const char *const env[] = {"HOME=/nonexistent", "AWS_EC2_METADATA_DISABLED=true", NULL};

struct world {
    struct arena *arena;
    struct diags diags;
    struct cfn_pack *pack;
    struct loop *loop;
    struct cc_provider *provider;
};

static void open_world(struct world *w, bool damaged)
{
    struct buf bytes BUF_AUTO = BUF_INIT(1 << 20);
    w->arena = arena_new(NULL, 0);
    diags_init(&w->diags, w->arena);
    testing_pack_lay_out(&bytes, STR(thing));
    if (damaged)
        bytes.p[bytes.n - 20] ^= 0x55;
    w->pack = testing_pack_open(buf_str(&bytes), &w->diags);
    testing_no_errors(&w->diags);
    w->loop = loop_new();
    w->provider = cc_provider_new(&(struct cc_provider_options){.pack = w->pack, .loop = w->loop, .env = env});
}

static void close_world(struct world *w)
{
    cc_provider_free(w->provider);
    loop_free(w->loop);
    cfn_pack_close(w->pack);
    arena_free(w->arena);
}

/* --- threads --- */

enum { N_THREADS = 4 };

static void *configure(void *ctx)
{
    struct world *w = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct value *config = notation_parse(
        a, "{\"region\":\"eu-west-1\",\"access_key\":\"k\",\"secret_key\":\"s\",\"skip_credentials_validation\":true}");
    cc_provider_ops.configure(w->provider, a, &(struct configure_request){.config = config}, &diags);
    return (void *)(uintptr_t)diags_has_errors(&diags);
}

static void *load_types(void *ctx)
{
    struct world *w = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    return (void *)(uintptr_t)!cc_provider_ops.schema_of(w->provider, STR("awscc_test_thing"), &diags);
}

static void *whole_schema(void *ctx)
{
    struct world *w = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    return (void *)(uintptr_t)!cc_provider_ops.schema(w->provider, &diags);
}

/* With TSan this finds data that calls share without a lock. */
static void calls_at_once(void **state)
{
    (void)state;
    static void *(*const calls[N_THREADS])(void *) = {configure, load_types, whole_schema, configure};
    struct world w;
    pthread_t threads[N_THREADS];
    open_world(&w, false);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, calls[i], &w), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_non_null(cc_provider_api(w.provider, &w.diags));
    close_world(&w);
}

/* --- a damaged pack --- */

static void a_damaged_schema_is_not_an_unknown_type(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, true);
    cc_provider_validate_resource(w.provider, w.arena, &(struct validate_request){.type_name = STR("awscc_test_thing")},
                                  &w.diags);
    assert_int_equal(w.diags.n, 1);
    testing_says(&w.diags, "The schema of AWS::Test::Thing in /tmp/");
    testing_says(&w.diags, "is damaged: the ");
    testing_says(&w.diags, "terrane cloudcontrol pack");
    diags_init(&w.diags, w.arena);
    assert_null(cc_provider_ops.schema_of(w.provider, STR("awscc_test_thing"), &w.diags));
    testing_says(&w.diags, "is damaged");
    diags_init(&w.diags, w.arena);
    assert_null(cc_provider_ops.schema_of(w.provider, STR("awscc_test_other"), &w.diags));
    assert_int_equal(w.diags.n, 0);
    cc_provider_validate_resource(w.provider, w.arena, &(struct validate_request){.type_name = STR("awscc_test_other")},
                                  &w.diags);
    testing_says(&w.diags, "has no resource type awscc_test_other");
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_at_once),
        cmocka_unit_test(a_damaged_schema_is_not_an_unknown_type),
    };
    return cmocka_run_group_tests_name("cloudcontrol/provider", tests, NULL, NULL);
}
