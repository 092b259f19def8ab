#include "manifests/apply.h"

#include "store/object.h"

/* Removes the fields that only the store sets. */
static const struct json *without_the_stores(struct arena *a, const struct json *manifest)
{
    static const char *const owned[] = {"uid",           "resourceVersion",           "generation",
                                        "selfLink",      "creationTimestamp",         "deletionTimestamp",
                                        "managedFields", "deletionGracePeriodSeconds"};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (object_metadata(manifest, owned[i]))
            manifest = object_with_metadata(a, manifest, owned[i], NULL);
    return json_get(manifest, "status") ? object_with(a, manifest, "status", NULL) : manifest;
}

static const struct json *annotations_of(struct arena *a, const struct json *object)
{
    const struct json *annotations = object_metadata(object, "annotations");
    return annotations && annotations->kind == JSON_OBJECT ? annotations : json_make_object(a, NULL, 0);
}

static const struct json *with_annotation(struct arena *a, const struct json *object, const char *key, struct str text)
{
    const struct json *value = text.p ? json_make_string(a, text) : NULL;
    return object_with_metadata(a, object, "annotations", object_with(a, annotations_of(a, object), key, value));
}

/*
 * Builds the manifest to keep, in which annotations are always an object, and the wanted object, which has that text as
 * annotation.
 */
static const struct json *wanted_of(const struct apply_options *o, struct arena *a, const struct json *manifest)
{
    const struct json *plain = without_the_stores(a, manifest);
    plain = with_annotation(a, with_annotation(a, plain, MERGE_LAST_APPLIED, (struct str){0}), APPLY_FROM, (struct str){0});
    const struct json *wanted = with_annotation(a, plain, MERGE_LAST_APPLIED, merge_last_applied(a, plain));
    return o->from.n > 0 ? with_annotation(a, wanted, APPLY_FROM, o->from) : wanted;
}

/* The manifest applied last; NULL: none, or unreadable; then nothing is removed. */
static const struct json *before_of(struct arena *a, const struct json *current)
{
    struct str text = json_text(json_get(object_metadata(current, "annotations"), MERGE_LAST_APPLIED), STR_EMPTY);
    const struct json *before = text.n > 0 ? json_parse_lenient(a, text) : NULL;
    return before && before->kind == JSON_OBJECT ? without_the_stores(a, before) : NULL;
}

static bool admit(const struct apply_options *o, struct arena *a, const struct json *object, const struct json *old,
                  struct diags *diags, const struct json **ret)
{
    if (o->admit)
        return o->admit(o->ctx, a, object, old, diags, ret);
    *ret = object;
    return true;
}

/* NULL in `*ret`: the object does not exist. */
static bool look_up(const struct apply_options *o, struct arena *a, const struct json *manifest, struct diags *diags,
                    const struct json **ret)
{
    struct diags unread;
    struct store_key key = object_key(manifest);
    const struct json *found = NULL;
    diags_init(&unread, a);
    enum store_result result = store_get(o->store, a, &key, &unread, &found);
    if (result != STORE_OK && result != STORE_NOT_FOUND) {
        diags_append(diags, &unread);
        return false;
    }
    *ret = found;
    return true;
}

/* The object that would be stored, and the current one (NULL: none); writes nothing. */
static bool preview(const struct apply_options *o, struct arena *a, const struct json *manifest, struct diags *diags,
                    const struct json **ret_old, const struct json **ret_new)
{
    const struct json *current = NULL, *wanted = wanted_of(o, a, manifest);
    if (!look_up(o, a, manifest, diags, &current))
        return false;
    const struct json *merged = current ? merge_three_way(a, before_of(a, current), wanted, current) : wanted;
    if (!admit(o, a, merged, current, diags, ret_new))
        return false;
    *ret_old = current;
    return true;
}

/* STORE_CONFLICT and STORE_EXISTS: another writer was faster; try again. */
static enum store_result try_once(const struct apply_options *o, struct arena *a, const struct json *manifest,
                                  struct diags *diags, enum apply_outcome *ret_outcome, const struct json **ret)
{
    const struct json *current = NULL, *wanted = NULL;
    if (!preview(o, a, manifest, diags, &current, &wanted))
        return STORE_INVALID;
    if (current && object_is_being_deleted(current)) {
        *ret_outcome = APPLY_BEING_DELETED;
        *ret = current;
        return STORE_OK;
    }
    if (current && json_eq(wanted, current)) { /* the usual case at a start; avoids the store's write lock */
        *ret_outcome = APPLY_UNCHANGED;
        *ret = current;
        return STORE_OK;
    }
    const struct json *stored = NULL;
    enum store_result result =
        current ? store_update(o->store, a, wanted, diags, &stored) : store_create(o->store, a, wanted, diags, &stored);
    if (result != STORE_OK)
        return result;
    bool is_same =
        current && str_eq(object_metadata_text(current, "resourceVersion"), object_metadata_text(stored, "resourceVersion"));
    *ret_outcome = !current ? APPLY_CREATED : is_same ? APPLY_UNCHANGED : APPLY_CONFIGURED;
    *ret = stored;
    return STORE_OK;
}

bool apply_manifest(const struct apply_options *o, struct arena *a, const struct json *manifest, struct diags *diags,
                    enum apply_outcome *ret_outcome, const struct json **ret)
{
    struct diags said;
    enum store_result result = STORE_CONFLICT;
    for (int i = 0; i < APPLY_TRIES && (result == STORE_CONFLICT || result == STORE_EXISTS || result == STORE_NOT_FOUND); i++) {
        diags_init(&said, a); /* diagnostics of earlier attempts are dropped */
        result = try_once(o, a, manifest, &said, ret_outcome, ret);
    }
    diags_append(diags, &said);
    return result == STORE_OK;
}

const char *apply_word(enum apply_outcome outcome)
{
    static const char *const words[] = {[APPLY_UNCHANGED] = "unchanged",
                                        [APPLY_CREATED] = "created",
                                        [APPLY_CONFIGURED] = "configured",
                                        [APPLY_BEING_DELETED] = "being deleted"};
    return words[outcome];
}
