/*
 * Any bytes as {"schema", "object", "old"}: a schema that compiles checks the object; a resulting object is accepted again
 * unchanged; every diagnostic has a place. The same for the kinds without a CRD.
 */
#include "admission/admission.h"

#include "base/must.h"

enum { LIMIT = 256 << 20, MAX_INPUT = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct json *crd_of(struct arena *a, const struct json *schema)
{
    static const char text[] = "{\"metadata\":{\"name\":\"things.x\"},\"spec\":{\"group\":\"x\",\"scope\":\"Cluster\",\"names\":"
                               "{\"kind\":\"Thing\",\"plural\":\"things\"},\"versions\":[]}}";
    struct diags diags;
    diags_init(&diags, a);
    const struct json *crd = json_parse(a, STR(text), "crd", &diags);
    struct json_member wrapped = {.key = STR("openAPIV3Schema"), .value = schema};
    struct json_member version[] = {{.key = STR("name"), .value = json_make_string(a, STR("v1"))},
                                    {.key = STR("served"), .value = json_make_bool(a, true)},
                                    {.key = STR("schema"), .value = json_make_object(a, &wrapped, 1)}};
    const struct json *made = json_make_object(a, version, 3);
    const struct json *spec = json_get(crd, "spec");
    struct json_member members[8] = {0};
    size_t n = 0;
    for (; n < spec->object.n; n++)
        members[n] = spec->object.members[n];
    members[n - 1].value = json_make_array(a, &made, 1);
    struct json_member top = {.key = STR("spec"), .value = json_make_object(a, members, n)};
    return json_make_object(a, &top, 1);
}

static void have_places(struct arena *a, const struct json *object, const struct diags *diags)
{
    for (size_t i = 0; i < diags->n; i++)
        must_hold(admission_place_text(a, "f", object, &diags->v[i]).n > 0);
}

static void judge(struct arena *a, const struct admission_kind *kind, const struct json *object, const struct json *old,
                  bool strict)
{
    struct diags diags;
    const struct json *once = NULL, *twice = NULL;
    struct admission_options options = {strict, STR("default")};
    diags_init(&diags, a);
    bool ok = kind ? admission_check(a, kind, object, old, &options, &diags, &once)
                   : admission_check_core(a, object, old, &options, &diags, &once);
    must_hold(ok == !diags_has_errors(&diags));
    have_places(a, object, &diags);
    if (!ok || old)
        return;
    diags_init(&diags, a);
    options.strict = true;
    must_hold(kind ? admission_check(a, kind, once, NULL, &options, &diags, &twice)
                   : admission_check_core(a, once, NULL, &options, &diags, &twice));
    must_hold(json_eq(once, twice));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *input = size < MAX_INPUT ? json_parse(a, (struct str){(const char *)data, size}, "fuzz", &diags) : NULL;
    const struct json *schema = json_get(input, "schema"), *object = json_get(input, "object"), *old = json_get(input, "old");
    const struct admission_kind *kind = NULL;
    old = old && old->kind == JSON_OBJECT ? old : NULL;
    if (!object || object->kind != JSON_OBJECT)
        return 0;
    if (admission_is_core(object))
        judge(a, NULL, object, old, false);
    else if (schema && admission_compile(a, crd_of(a, schema), &diags, &kind)) {
        judge(a, kind, object, NULL, false);
        judge(a, kind, object, NULL, true);
        judge(a, kind, object, old, false);
    }
    return 0;
}
