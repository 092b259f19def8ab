#include "conversion/review.h"

#include "conversion/shapes.h"
#include "managed/edit.h"

struct review {
    struct kinds *kinds;
    struct arena *arena;
    struct str group, version; /* the requested version */
    const struct json *objects;
    struct str problem; /* empty: none */
};

static enum review_outcome bad(struct diags *diags, const char *why)
{
    (void)diags_fail(diags, "Not a ConversionReview",
                     "The request %s. apiextensions.k8s.io/v1, kind ConversionReview was expected.", why);
    return REVIEW_BAD;
}

static struct str describe(struct arena *a, const struct json *object)
{
    struct str name = managed_text(managed_at(object, "metadata", "name", NULL));
    struct str api = managed_text(json_get(object, "apiVersion")), kind = managed_text(json_get(object, "kind"));
    return arena_printf(a, STR_FMT " of " STR_FMT " \"" STR_FMT "\"", STR_ARG(kind), STR_ARG(api), STR_ARG(name));
}

/* NULL: the reason is in `problem`. */
static const struct json *convert_one(struct review *r, const struct json *object)
{
    struct str version = managed_text(json_get(object, "apiVersion"));
    struct str group = str_cut(&version, '/'), kind = managed_text(json_get(object, "kind"));
    const struct kind *k = kinds_find(r->kinds, group, kind);
    struct diags diags;
    diags_init(&diags, r->arena);
    if (!str_eq(group, r->group))
        r->problem = arena_printf(r->arena, STR_FMT ": the API group cannot be changed to " STR_FMT,
                                  STR_ARG(describe(r->arena, object)), STR_ARG(r->group));
    else if (!k || k->role != KIND_MANAGED)
        r->problem = arena_printf(r->arena, STR_FMT ": this kind is not served here", STR_ARG(describe(r->arena, object)));
    if (r->problem.n > 0)
        return NULL;
    const struct xp_kind *model = kinds_model(r->kinds, k, &diags);
    if (!model) {
        r->problem = arena_printf(r->arena, STR_FMT ": %s", STR_ARG(describe(r->arena, object)),
                                  diags.n > 0 ? diags.v[0].summary.p : "its model cannot be made");
        return NULL;
    }
    return conversion_object(r->arena, model, object, r->version, MISFITS_KEPT);
}

static void write_result(struct json_writer *w, struct str problem)
{
    json_key(w, STR("result"));
    json_begin_object(w);
    json_key(w, STR("status"));
    json_write_string(w, problem.n > 0 ? STR("Failure") : STR("Success"));
    if (problem.n > 0) {
        json_key(w, STR("message"));
        json_write_string(w, problem);
    }
    json_end_object(w);
}

static void write_objects(struct json_writer *w, struct review *r)
{
    json_key(w, STR("convertedObjects"));
    json_begin_array(w);
    for (size_t i = 0; i < r->objects->array.n && r->problem.n == 0; i++) {
        const struct json *object = convert_one(r, r->objects->array.items[i]);
        if (object)
            json_write(w, object);
    }
    json_end_array(w);
}

static bool answer(struct review *r, struct str uid, struct buf *ret)
{
    struct json_writer w = {.out = ret};
    json_begin_object(&w);
    json_key(&w, STR("apiVersion"));
    json_write_string(&w, STR("apiextensions.k8s.io/v1"));
    json_key(&w, STR("kind"));
    json_write_string(&w, STR("ConversionReview"));
    json_key(&w, STR("response"));
    json_begin_object(&w);
    json_key(&w, STR("uid"));
    json_write_string(&w, uid);
    struct json_mark before = json_mark(&w);
    write_objects(&w, r);
    if (r->problem.n > 0)
        json_back(&w, &before);
    write_result(&w, r->problem);
    json_end_object(&w);
    json_end_object(&w);
    return json_finish(&w) && buf_ok(ret);
}

enum review_outcome conversion_review(struct kinds *kinds, struct arena *a, struct str request, struct diags *diags,
                                      struct buf *ret)
{
    struct diags unread;
    diags_init(&unread, a);
    const struct json *j = json_parse(a, request, "request", &unread), *asked = json_get(j, "request");
    if (!j)
        return bad(diags, "is not JSON");
    if (!str_eqz(managed_text(json_get(j, "apiVersion")), "apiextensions.k8s.io/v1") ||
        !str_eqz(managed_text(json_get(j, "kind")), "ConversionReview"))
        return bad(diags, "is of another kind or version");
    struct str uid = managed_text(json_get(asked, "uid")), version = managed_text(json_get(asked, "desiredAPIVersion"));
    struct review r = {.kinds = kinds, .arena = a, .objects = json_get(asked, "objects")};
    r.group = str_cut(&version, '/');
    r.version = version;
    if (uid.n == 0 || version.n == 0 || !managed_is_array(r.objects))
        return bad(diags, "lacks uid, desiredAPIVersion or objects");
    if (r.objects->array.n > REVIEW_MAX_OBJECTS)
        return bad(diags, "has too many objects");
    if (answer(&r, uid, ret))
        return REVIEW_ANSWERED;
    buf_clear(ret);
    r.problem = STR("the converted objects are too large for one answer");
    r.objects = json_make_array(a, NULL, 0);
    return answer(&r, uid, ret) ? REVIEW_ANSWERED : bad(diags, "cannot be answered");
}
