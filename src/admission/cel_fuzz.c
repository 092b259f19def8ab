/*
 * Any bytes as a rule, up to the first line break, and as the value that it checks: a rule that parses is checked and evaluated
 * twice with the same verdict, and an error verdict has a reason.
 */
#include "admission/cel.h"

#include "admission/schema_private.h"
#include "base/must.h"

enum { LIMIT = 256 << 20, MAX_INPUT = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"f\":{\"type\":\"number\"},\"s\":{\"type\":\"string\"},"
    "\"b\":{\"type\":\"boolean\"},\"t\":{\"type\":\"string\",\"format\":\"date-time\"},\"p\":{\"x-kubernetes-int-or-string\":"
    "true},"
    "\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"set\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\","
    "\"items\":{\"type\":\"number\"}},\"k\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-"
    "keys\":"
    "[\"a\"],\"items\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"v\":{\"type\":\"integer\"}}}},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\",\"nullable\":true}},\"namespace\":{\"type\":"
    "\"string\"},"
    "\"any\":{\"x-kubernetes-preserve-unknown-fields\":true}}}";

static const struct openapi *the_schema(struct arena *a)
{
    struct diags diags;
    const struct openapi *s = NULL;
    diags_init(&diags, a);
    must_hold(openapi_compile(a, json_parse(a, STR(schema_text), "schema", &diags), "schema", &diags, &s));
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *forever;
    static const struct openapi *s;
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    if (!s)
        s = the_schema(forever = arena_new(NULL, 0));
    diags_init(&diags, a);
    struct str text = {(const char *)data, size < MAX_INPUT ? size : 0}, rule = str_cut(&text, '\n'), why = STR_EMPTY;
    const struct cel *e = cel_parse(a, rule, &why);
    if (!e) {
        must_hold(why.n > 0);
        return 0;
    }
    bool known = cel_check(a, e, s, &why);
    must_hold(known || why.n > 0);
    const struct json *value = json_parse(a, text, "value", &diags);
    if (!value || value->kind != JSON_OBJECT)
        return 0;
    struct cel_data self = {value, s}, none = {NULL, s};
    why = STR_EMPTY;
    enum cel_verdict verdict = cel_eval(a, e, self, self, &why);
    must_hold((verdict == CEL_ERROR) == (why.n > 0));
    must_hold(cel_eval(a, e, self, self, &why) == verdict);
    (void)cel_eval(a, e, self, none, &why);
    return 0;
}
