#include "emulator/fault.h"

#include "base/testing.h"

static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool hook;
        const char *type, *what, *says; /* `says`: the text is wrong */
        enum emulator_operation operation;
        bool warns;
    } cases[] = {
        {"AWS::Logs::*=Throttling", false, "AWS::Logs::*", "Throttling", NULL, EMULATOR_OP_UNKNOWN, false},
        {"*/DELETE=AccessDenied", false, "*", "AccessDenied", NULL, EMULATOR_OP_DELETE, false},
        {"AWS::S3::Bucket=HOOK_FAILED", true, "AWS::S3::Bucket", "HOOK_FAILED", NULL, EMULATOR_OP_UNKNOWN, false},
        {"AWS::*/UPDATE=HOOK_COMPLETE_FAILED/WARN", true, "AWS::*", "HOOK_COMPLETE_FAILED", NULL, EMULATOR_OP_UPDATE, true},
        {"AWS::Logs::*", false, .says = "the error code must be one of NotUpdatable, InvalidRequest"},
        {"AWS::Logs::*=", false, .says = "InternalFailure."},
        {"AWS::Logs::*=throttling", false, .says = "the error code must be one of"},
        {"AWS::Logs::*=HOOK_FAILED", false, .says = "the error code must be one of"},
        {"=Throttling", false, .says = "the type is missing"},
        {"", false, .says = "the type is missing"},
        {"AWS::*::Bucket=Throttling", false, .says = "a * is allowed only at the end"},
        {"AWS::Logs::*/READ=Throttling", false, .says = "CREATE, UPDATE or DELETE"},
        {"AWS::Logs::*/=Throttling", false, .says = "CREATE, UPDATE or DELETE"},
        {"AWS::Logs::*=Throttling", true, .says = "the hook status must be"},
        {"AWS::Logs::*=HOOK_FAILED/FAIL", true, .says = "the hook status must be"},
        {"AWS::Logs::*=HOOK_IN_PROGRESS", true, .says = "the hook status must be"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct emulator_fault fault;
        diags_init(&diags, a);
        bool ok = (cases[i].hook ? emulator_fault_parse_hook : emulator_fault_parse)(str_of(cases[i].text), &fault, &diags);
        assert_int_equal(ok, !cases[i].says);
        if (!ok) {
            testing_says(&diags, cases[i].says);
            continue;
        }
        testing_text(fault.type, cases[i].type);
        testing_text(fault.what, cases[i].what);
        assert_int_equal(fault.operation, cases[i].operation);
        assert_int_equal(fault.warns, cases[i].warns);
    }
}

static void the_first_that_fits(void **state)
{
    (void)state;
    const struct emulator_fault v[] = {{.type = STR("AWS::S3::Bucket"), .operation = EMULATOR_OP_DELETE, .what = STR("a")},
                                       {.type = STR("AWS::S3::*"), .what = STR("b")},
                                       {.type = STR("AWS::*"), .what = STR("c")}};
    testing_text(emulator_fault_of(v, 3, STR("AWS::S3::Bucket"), EMULATOR_OP_DELETE)->what, "a");
    testing_text(emulator_fault_of(v, 3, STR("AWS::S3::Bucket"), EMULATOR_OP_CREATE)->what, "b");
    testing_text(emulator_fault_of(v, 3, STR("AWS::Logs::LogGroup"), EMULATOR_OP_CREATE)->what, "c");
    assert_null(emulator_fault_of(v, 1, STR("AWS::S3::BucketPolicy"), EMULATOR_OP_DELETE));
    assert_null(emulator_fault_of(NULL, 0, STR("AWS::S3::Bucket"), EMULATOR_OP_DELETE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults), cmocka_unit_test(the_first_that_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
