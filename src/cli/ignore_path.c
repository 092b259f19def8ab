#include "base/vec.h"
#include "cli/instance_address.h"
#include "cli/resource.h"

static bool is_end_of_name(char c)
{
    return c == '.' || c == '[' || c == ']' || c == '"';
}

/* [0] or ["key"]: the content is JSON. */
static const struct json *take_index(struct arena *a, struct str *rest)
{
    struct str text;
    if (!take_index_text(rest, &text))
        return NULL;
    struct diags ignored;
    diags_init(&ignored, a);
    const struct json *step = json_parse(a, text, "path", &ignored);
    int64_t index;
    if (step && step->kind == JSON_NUMBER)
        return str_to_i64(step->text, &index) && index >= 0 ? step : NULL;
    return step && step->kind == JSON_STRING ? step : NULL;
}

static const struct json *take_name(struct arena *a, struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && !is_end_of_name(rest->p[n]))
        n++;
    struct str name = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return n > 0 ? json_make_string(a, arena_str(a, name)) : NULL;
}

const struct json *ignore_path_parse(struct arena *a, struct str text)
{
    VEC(const struct json *) steps = {0};
    for (bool first = true; text.n > 0 || first; first = false) {
        bool index = !first && str_starts(text, STR("["));
        if (!first && !index) {
            if (!str_starts(text, STR(".")))
                return NULL;
            text = str_slice(text, 1, text.n);
        }
        const struct json *step = index ? take_index(a, &text) : take_name(a, &text);
        if (!step)
            return NULL;
        *VEC_PUSH(a, &steps) = step;
    }
    return json_make_array(a, steps.v, steps.n);
}
