#include "translate/node.h"

#include "translate/testing_translate.h"

static struct str path_of(struct arena *a, const struct cc_node *node)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    cc_node_write_path(&out, node);
    return buf_copy(&out, a);
}

static struct str pointer_of(struct arena *a, const struct cc_node *node)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    cc_node_write_pointer(&out, node);
    return buf_copy(&out, a);
}

static void both_names(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct cc_node *root = cc_translate(a, testing_example(a, "aws-s3-bucket.json"), CFN_MODE_STRICT)->root;
    const struct cc_node *node =
        cc_node_at_pointer(root, STR("/properties/LifecycleConfiguration/Rules/Transitions/StorageClass"), NULL);
    assert_non_null(node);
    testing_text(path_of(a, node), "lifecycle_configuration.rules[].transitions[].storage_class");
    testing_text(pointer_of(a, node), "/properties/LifecycleConfiguration/Rules/Transitions/StorageClass");
    assert_ptr_equal(cc_node_at_pointer(root, STR("/properties/LifecycleConfiguration/Rules/*/Transitions/*/StorageClass"), NULL),
                     node);
    testing_text(cc_node_attr(node->parent)->name, "transitions");
    assert_null(cc_node_cf_child(root, STR_EMPTY));
    assert_null(cc_node_child(root, STR("BucketName")));
    assert_null(cc_node_at_pointer(root, STR("/properties/BucketName/Deeper"), NULL));
    assert_ptr_equal(cc_node_cf_child(root, STR("BucketName")), cc_node_child(root, STR("bucket_name")));
}

/* Makes a schema with these names: {"basic_auth_parameters": "BasicAuthParameters", "password": "Password"}. */
static const struct cc_node *root_of_fact(struct arena *a)
{
    return testing_type(
               a, CFN_MODE_STRICT,
               "\"properties\":{\"BasicAuthParameters\":{\"type\":\"object\",\"properties\":{\"Password\":{\"type\":\"string\"}}}"
               ","
               "\"Tags\":{\"type\":\"string\"},\"Actions\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":"
               "{\"AuthenticateOidcConfig\":{\"type\":\"object\",\"properties\":{\"ClientSecret\":{\"type\":\"string\"}}}}}}}")
        ->root;
}

static void pointer_facts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "cloudcontrol", "pointer.json");
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i], *out = json_get(c, "out");
        bool starred;
        const struct cc_node *node = cc_node_at_pointer(root_of_fact(a), testing_member(c, "in"), &starred);
        if (out->kind != JSON_ARRAY) {
            assert_true(!node || starred);
            continue;
        }
        assert_true(node && !starred);
        for (size_t k = out->array.n; k-- > 0; node = cc_node_attr(node)->parent)
            testing_text(cc_node_attr(node)->name, out->array.items[k]->text.p);
        assert_null(node->parent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_names),
        cmocka_unit_test(pointer_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
