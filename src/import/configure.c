#include "import/configure.h"

#include "base/ascii.h"
#include "base/vec.h"
#include "hcl/from_value.h"
#include "import/references.h"

enum {
    MAX_ROUNDS = 200,
    MAX_YIELDING = 4,
    MAX_TRIES = 2000
}; /* rounds of fixing; zero arguments dropped for one argument; calls in total */

/* The search for one object's configuration. */
struct search {
    struct engine *engine;
    const struct resource *resource;
    const struct object *object;
    const struct state_instance *stored;
    const struct value *all;    /* everything that can be set, as in the state */
    const struct value *config; /* the best so far */
    VEC(struct path) ignored, unread, dropped;
    size_t tries;
};

/* The provider's verdict on a configuration. */
struct verdict_of {
    bool valid; /* planning succeeded */
    struct change_paths differences;
    bool empty; /* its plan is empty */
    struct diags diags;
};

static const struct schema_block *block_of(const struct search *s)
{
    return s->resource->schema->block;
}

static enum engine_status ask(struct search *s, const struct value *config, struct verdict_of *v)
{
    struct engine *e = s->engine;
    struct resource_config written = {.value = config};
    struct plan_options options = {.no_refresh = true, .ignore = {s->ignored.v, s->ignored.n}};
    struct plan plan;
    enum engine_status status = engine_validate(e, s->resource, &written);
    if (status == ENGINE_OK)
        status = engine_plan(e, s->resource, s->stored, &written, &options, &plan);
    if (status != ENGINE_OK)
        return status;
    v->valid = true;
    v->empty = plan.action == ACTION_NO_OP;
    v->differences = import_differences(e->arena, plan.prior.value, plan.planned);
    return status;
}

/* Plans a configuration. A failure is a verdict, too; other errors are returned. */
static enum engine_status judge(struct search *s, const struct value *config, struct verdict_of *ret)
{
    struct engine *e = s->engine;
    struct diags *all = e->diags;
    struct verdict_of v = {0};
    diags_init(&v.diags, e->arena);
    e->diags = &v.diags;
    enum engine_status status = ++s->tries > MAX_TRIES ? ENGINE_FAILED : ask(s, config, &v);
    e->diags = all;
    *ret = v;
    if (status != ENGINE_OK && status != ENGINE_FAILED)
        diags_append(all, &v.diags);
    return status == ENGINE_FAILED ? ENGINE_OK : status;
}

/* --- which arguments diagnostics are about --- */

/* An argument that may have caused an error, and how suitable it is for dropping. */
struct suspect {
    struct path path;
    int weight;
};
struct suspects {
    struct suspect *v;
    size_t n, cap;
};

static const struct schema_attr *root_attr(const struct search *s, struct path path)
{
    return path.n > 0 ? schema_block_attr(block_of(s), path.steps[0].name) : NULL;
}

/* Does the value contain an id or an ARN? Of two alternatives the one that can become a reference is preferred. */
static bool names_objects(const struct value *v)
{
    if (v->state != VALUE_KNOWN || v->type->kind == TYPE_STRING)
        return v->state == VALUE_KNOWN && references_unmistakable(v->string);
    for (size_t i = 0; !type_is_primitive(v->type) && i < v->n; i++)
        if (names_objects(v->elements[i]))
            return true;
    return false;
}

/* Zero values are often invented by the provider; computed arguments can be left to it. */
static int weight_of(const struct search *s, struct path path, const struct value *v)
{
    const struct schema_attr *attr = root_attr(s, path);
    return (import_is_zero(v) ? 8 : 0) + (attr && attr->computed ? 4 : 0) + (path.n > 1 ? 2 : 0) + (names_objects(v) ? 0 : 1);
}

/*
 * A missing value in an optional block cannot be dropped, but the block can: providers return blocks that were never configured.
 */
static struct path or_its_block(const struct search *s, struct path path)
{
    const struct value *v = value_at(s->config, path);
    const struct schema_nested_block *block = path.n > 1 ? schema_block_block(block_of(s), path.steps[0].name) : NULL;
    bool lacks = v && v->state != VALUE_KNOWN;
    return block && block->min_items == 0 && lacks ? (struct path){path.steps, 1} : path;
}

static void suspect(const struct search *s, struct suspects *suspects, struct path path)
{
    path = or_its_block(s, path);
    const struct schema_attr *attr = root_attr(s, path);
    const struct value *v = value_at(s->config, path);
    if (path.n == 0 || !v || v->state != VALUE_KNOWN || (path.n == 1 && attr && attr->required))
        return;
    if (path.n == 1 && !attr && v->n == 0)
        return; /* an absent block */
    for (size_t i = 0; i < suspects->n; i++)
        if (path_eq(suspects->v[i].path, path))
            return;
    *VEC_PUSH(s->engine->arena, suspects) = (struct suspect){path, weight_of(s, path, v)};
}

/* The longest prefix of the provider's path that exists and can be changed. */
static struct path changeable(const struct search *s, struct path path)
{
    size_t n = 0;
    while (n < path.n && path.steps[n].kind != PATH_ELEMENT && value_at(s->config, (struct path){path.steps, n + 1}))
        n++;
    return (struct path){path.steps, n};
}

static bool is_name_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

/* Parses rule.0.port, the old SDK's notation in messages: the longest prefix that exists. */
static struct path dotted(const struct search *s, struct str text)
{
    struct arena *a = s->engine->arena;
    struct path path = PATH_ROOT;
    while (text.n > 0) {
        struct str step = str_cut(&text, '.');
        int64_t index;
        struct path next = path.n > 0 && str_to_i64(step, &index) ? path_index(a, path, index) : path_attr(a, path, step);
        if (step.n == 0 || !value_at(s->config, next))
            break;
        path = next;
    }
    return path;
}

/*
 * Adds arguments whose names occur in a message, as in: "a": conflicts with b. A name without quotes may be an ordinary word: it
 * counts only if dropping the argument loses nothing.
 */
static void suspect_words(const struct search *s, struct suspects *suspects, struct str text)
{
    for (size_t i = 0; i < text.n;) {
        size_t end = i;
        while (end < text.n && (is_name_byte(text.p[end]) || (end > i && text.p[end] == '.')))
            end++;
        struct str word = str_slice(text, i, end);
        bool quoted = i > 0 && end < text.n && (text.p[i - 1] == '"' || text.p[i - 1] == '`' || text.p[i - 1] == '\'');
        bool compound = str_find(word, '_', 0) != SIZE_MAX;
        struct path path = dotted(s, word);
        if (path.n > 0 && (quoted || compound || import_is_zero(value_at(s->config, path))))
            suspect(s, suspects, path);
        i = end + 1;
    }
}

static struct suspects find_suspects(const struct search *s, const struct diags *diags)
{
    struct suspects suspects = {0};
    for (size_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->v[i];
        if (d->severity != DIAG_ERROR)
            continue;
        suspect(s, &suspects, changeable(s, d->path));
        suspect_words(s, &suspects, d->summary);
        suspect_words(s, &suspects, d->detail);
    }
    return suspects;
}

/* The best suspect; of equal ones the last by name: of availability_zone and availability_zone_id the plain one stays. */
static const struct suspect *likeliest(const struct suspects *suspects)
{
    const struct suspect *best = NULL;
    for (size_t i = 0; i < suspects->n; i++) {
        const struct suspect *x = &suspects->v[i];
        if (!best || x->weight > best->weight ||
            (x->weight == best->weight && str_cmp(x->path.steps[0].name, best->path.steps[0].name) > 0))
            best = x;
    }
    return best;
}

/* --- fixing --- */

static const struct value *without_empty_texts(void *ctx, struct arena *a, struct path path, const struct value *v)
{
    (void)ctx, (void)path;
    bool empty = v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && v->string.n == 0;
    return empty ? value_null(a, v->type) : v;
}

/* An empty value for that path. */
static const struct value *nothing_at(const struct search *s, struct path path, const struct value *now)
{
    struct arena *a = s->engine->arena;
    const struct schema_nested_block *nested = path.n == 1 ? schema_block_block(block_of(s), path.steps[0].name) : NULL;
    return nested ? schema_empty_nested(a, nested) : value_null(a, now->type);
}

/* Removes empty strings inside the value first, and the whole value next time. */
static void mend(struct search *s, struct path path)
{
    struct arena *a = s->engine->arena;
    const struct value *now = value_at(s->config, path);
    const struct value *softer = value_transform(a, now, without_empty_texts, NULL);
    if (type_is_primitive(now->type) || value_raw_eq(softer, now)) {
        softer = nothing_at(s, path, now);
        *VEC_PUSH(a, &s->dropped) = path;
    }
    s->config = import_with(a, s->config, path, softer);
}

static void ignore(struct search *s, struct path path)
{
    struct arena *a = s->engine->arena;
    size_t n = 0;
    while (n < path.n && path.steps[n].kind != PATH_ELEMENT)
        n++;
    const struct schema_attr *attr = root_attr(s, path);
    bool settable = !attr || attr->required || attr->optional;
    for (size_t i = 0; i < s->ignored.n; i++)
        if (path_eq(s->ignored.v[i], (struct path){path.steps, n}))
            return;
    if (settable)
        *VEC_PUSH(a, &s->ignored) = (struct path){path.steps, n};
}

/* Removes empty strings inside all lists and sets, for messages that do not name one: they mean nothing. */
static bool soften(struct search *s)
{
    struct arena *a = s->engine->arena;
    const struct value *before = s->config;
    for (size_t i = 0; i < before->n; i++) {
        if (type_is_primitive(before->elements[i]->type))
            continue;
        struct path path = path_attr(a, PATH_ROOT, before->type->attrs[i].name);
        s->config = import_with(a, s->config, path, value_transform(a, before->elements[i], without_empty_texts, NULL));
    }
    return !value_raw_eq(before, s->config);
}

static void make_up(struct search *s, struct path path, const struct value *filler)
{
    struct arena *a = s->engine->arena;
    s->config = import_with(a, s->config, path, filler);
    *VEC_PUSH(a, &s->unread) = path;
    ignore(s, path);
}

/*
 * The names in "one of `a,b` must be specified" or "one of these attributes must be configured: [a,b]"; empty: another message.
 */
static struct str alternatives_in(const char *text)
{
    const char *end = strstr(text, "must be specified"), *list = strstr(text, "one of `");
    if (end && list && list < end) {
        struct str rest = str_of(list + strlen("one of `"));
        return str_cut(&rest, '`');
    }
    static const char words[] = "one of these attributes must be configured: [";
    list = strstr(text, words);
    struct str rest = list ? str_of(list + strlen(words)) : STR_EMPTY;
    return str_cut(&rest, ']');
}

/* Sets the first named argument that is empty in the configuration and not in the state to the state's value. */
static bool take_from_state(struct search *s, struct str names)
{
    struct arena *a = s->engine->arena;
    while (names.n > 0) {
        struct path path = path_attr(a, PATH_ROOT, str_trim(str_cut(&names, ',')));
        const struct value *now = value_at(s->config, path), *state = value_at(s->all, path);
        if (now && state && import_is_zero(now) && !import_is_zero(state)) {
            s->config = import_with(a, s->config, path, state);
            return true;
        }
    }
    return false;
}

/*
 * If one of several arguments must be set and the provider returns none of them, the first gets a made-up value and is ignored.
 */
static bool make_up_one(struct search *s, const struct diags *diags)
{
    struct arena *a = s->engine->arena;
    for (size_t i = 0; i < diags->n; i++) {
        const char *text = arena_printf(a, STR_FMT " " STR_FMT, STR_ARG(diags->v[i].summary), STR_ARG(diags->v[i].detail)).p;
        struct str names = alternatives_in(text);
        if (diags->v[i].severity == DIAG_ERROR && take_from_state(s, names))
            return true;
        struct str name = str_trim(str_cut(&names, ','));
        const struct schema_attr *attr = schema_block_attr(block_of(s), name);
        struct path path = path_attr(a, PATH_ROOT, name);
        const struct value *v = attr ? value_at(s->config, path) : NULL;
        const struct value *filler = v && value_is_null(v) ? import_made_up_for(a, attr) : NULL;
        if (diags->v[i].severity != DIAG_ERROR || !filler)
            continue;
        make_up(s, path, filler);
        return true;
    }
    return false;
}

/* Adds the scheme that the provider requires to an address that the cloud returns without it. */
static bool add_scheme(struct search *s, const struct diags *diags)
{
    struct arena *a = s->engine->arena;
    for (size_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->v[i];
        const struct value *v = value_at(s->config, d->path);
        bool address = str_contains(d->summary, STR("url")) || str_contains(d->detail, STR("url"));
        bool text = v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && v->string.n > 0;
        if (d->severity != DIAG_ERROR || !address || !text || str_contains(v->string, STR("://")))
            continue;
        const struct value *whole = value_string(a, arena_printf(a, "https://" STR_FMT, STR_ARG(v->string)));
        s->config = import_with(a, s->config, d->path, whole);
        return true;
    }
    return false;
}

/* Fixes the configuration until the provider accepts it. */
static enum engine_status make_valid(struct search *s, struct verdict_of *ret)
{
    for (size_t round = 0;; round++) {
        enum engine_status status = judge(s, s->config, ret);
        if (status != ENGINE_OK || ret->valid)
            return status;
        struct suspects suspects = find_suspects(s, &ret->diags);
        const struct suspect *worst = likeliest(&suspects);
        if (round < MAX_ROUNDS && (make_up_one(s, &ret->diags) || (!worst && (add_scheme(s, &ret->diags) || soften(s)))))
            continue;
        if (!worst || round == MAX_ROUNDS) {
            diags_append(s->engine->diags, &ret->diags);
            return ENGINE_FAILED;
        }
        mend(s, worst->path);
    }
}

static bool is_better(const struct verdict_of *v, const struct verdict_of *now)
{
    return v->valid && (v->empty ? !now->empty : v->differences.n < now->differences.n);
}

/* Accepts the configuration if it is valid and no worse than `now`. */
static enum engine_status try(struct search *s, const struct value *config, struct verdict_of *now, bool *ret_taken)
{
    struct verdict_of v;
    *ret_taken = false;
    if (value_raw_eq(config, s->config))
        return ENGINE_OK;
    enum engine_status status = judge(s, config, &v);
    if (status != ENGINE_OK || !v.valid)
        return status;
    if (!is_better(&v, now) && (v.empty != now->empty || v.differences.n != now->differences.n))
        return ENGINE_OK;
    s->config = config;
    *now = v;
    *ret_taken = true;
    return ENGINE_OK;
}

/* An empty argument other than `kept`, which can be dropped so that `kept` is accepted. */
static const struct suspect *yielding(const struct search *s, const struct suspects *suspects, struct path kept)
{
    for (size_t i = 0; i < suspects->n; i++) {
        const struct suspect *x = &suspects->v[i];
        if (!str_eq(x->path.steps[0].name, kept.steps[0].name) && import_is_zero(value_at(s->config, x->path)))
            return x;
    }
    return NULL;
}

/* Accepts the configuration if it is better than `now`, if needed without zero arguments that exclude the one at `kept`. */
static enum engine_status try_instead(struct search *s, const struct value *config, struct path kept, struct verdict_of *now,
                                      bool *ret_taken)
{
    const struct value *before = s->config;
    size_t n_dropped = s->dropped.n;
    struct verdict_of v = {0};
    enum engine_status status = ENGINE_OK;
    *ret_taken = false;
    if (value_raw_eq(config, before))
        return ENGINE_OK;
    s->config = config;
    for (size_t round = 0; round < MAX_YIELDING; round++) {
        status = judge(s, s->config, &v);
        struct suspects suspects = find_suspects(s, &v.diags);
        const struct suspect *other = yielding(s, &suspects, kept);
        if (status != ENGINE_OK || v.valid || !other)
            break;
        mend(s, other->path);
    }
    *ret_taken = status == ENGINE_OK && is_better(&v, now);
    if (*ret_taken) {
        *now = v;
    } else {
        s->config = before;
        s->dropped.n = n_dropped;
    }
    return status;
}

static struct path root_of(struct path path)
{
    return (struct path){path.steps, path.n > 0 ? 1 : 0};
}

/* Tries other spellings of an argument that the plan would change. */
static enum engine_status try_spellings(struct search *s, struct path path, struct verdict_of *now, bool *ret_taken)
{
    struct arena *a = s->engine->arena;
    struct path root = root_of(path);
    const struct value *written = value_at(s->config, root), *state = value_at(s->all, root);
    *ret_taken = false;
    if (!written || !state)
        return ENGINE_OK;
    const struct value *spellings[] = {state, value_transform(a, state, without_empty_texts, NULL), nothing_at(s, root, written)};
    const struct schema_attr *attr = root_attr(s, root);
    enum engine_status status = ENGINE_OK;
    for (size_t i = 0; i < 3 && status == ENGINE_OK && !*ret_taken; i++)
        if (!(attr && attr->required && spellings[i]->state != VALUE_KNOWN))
            status = try_instead(s, import_with(a, s->config, root, spellings[i]), root, now, ret_taken);
    return status;
}

static enum engine_status make_empty(struct search *s, struct verdict_of *now)
{
    for (size_t i = 0; !now->empty && i < now->differences.n;) {
        bool taken;
        enum engine_status status = try_spellings(s, now->differences.v[i], now, &taken);
        if (status != ENGINE_OK)
            return status;
        i = taken ? 0 : i + 1;
    }
    return ENGINE_OK;
}

/* Tries the dropped arguments again, since others are gone by now. */
static enum engine_status restore(struct search *s, struct verdict_of *now)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->dropped.n; i++) {
        struct path path = s->dropped.v[i];
        const struct value *state = value_at(s->all, path);
        bool taken = false;
        if (state && value_at(s->config, path)) {
            enum engine_status status = try(s, import_with(s->engine->arena, s->config, path, state), now, &taken);
            if (status != ENGINE_OK)
                return status;
        }
        if (!taken && state && !import_is_zero(state))
            s->dropped.v[kept++] = path;
    }
    s->dropped.n = kept;
    return ENGINE_OK;
}

/* --- values that the provider does not return --- */

/* Fills blocks of which the provider returns only a part: without a password, or empty. */
static void fill_blocks(struct search *s)
{
    struct arena *a = s->engine->arena;
    const struct schema_block *block = block_of(s);
    for (size_t i = 0; i < block->n_blocks; i++) {
        struct path path = path_attr(a, PATH_ROOT, block->blocks[i].name);
        const struct value *now = value_at(s->config, path), *filled = import_filled(a, &block->blocks[i], now);
        if (value_raw_eq(now, filled))
            continue;
        s->config = import_with(a, s->config, path, filled);
        if (import_is_zero(now))
            *VEC_PUSH(a, &s->unread) = path;
        ignore(s, path);
    }
}

static void fill_required(struct search *s)
{
    struct arena *a = s->engine->arena;
    const struct schema_block *block = block_of(s);
    for (size_t i = 0; i < block->n_attrs; i++) {
        const struct schema_attr *attr = &block->attrs[i];
        struct path path = path_attr(a, PATH_ROOT, attr->name);
        const struct value *v = value_at(s->config, path);
        const struct value *filler = attr->required && v && value_is_null(v) ? import_made_up_for(a, attr) : NULL;
        if (filler)
            make_up(s, path, filler);
    }
    fill_blocks(s);
}

/* Write-only arguments are not in plans, so they need no ignore_changes. */
static void note_write_only(struct search *s)
{
    struct change_paths paths = change_write_only(s->engine->arena, block_of(s), s->config);
    for (size_t i = 0; i < paths.n; i++)
        *VEC_PUSH(s->engine->arena, &s->unread) = paths.v[i];
}

/*
 * Of the ignored paths from `first` on, keeps those without which the plan is not empty: the provider plans many a difference
 * only because of another one, as all that it computes when one argument forces a new object.
 */
static enum engine_status ignore_fewer(struct search *s, size_t first, struct verdict_of *now)
{
    for (size_t i = first; i < s->ignored.n && s->ignored.n > first + 1;) {
        struct path path = s->ignored.v[i];
        size_t after = --s->ignored.n - i;
        struct verdict_of v;
        memmove(&s->ignored.v[i], &s->ignored.v[i + 1], after * sizeof path);
        enum engine_status status = judge(s, s->config, &v);
        if (status != ENGINE_OK)
            return status;
        if (v.valid && v.empty) {
            *now = v;
            continue;
        }
        memmove(&s->ignored.v[i + 1], &s->ignored.v[i], after * sizeof path);
        s->ignored.v[i++] = path;
        s->ignored.n++;
    }
    return ENGINE_OK;
}

static enum engine_status ignore_rest(struct search *s, struct verdict_of *now)
{
    size_t before = s->ignored.n;
    for (size_t i = 0; i < now->differences.n; i++)
        ignore(s, now->differences.v[i]);
    enum engine_status status = judge(s, s->config, now);
    if (status == ENGINE_OK && now->valid && now->empty)
        return ignore_fewer(s, before, now);
    if (status != ENGINE_OK)
        return status;
    diags_append(s->engine->diags, &now->diags);
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < now->differences.n; i++) {
        buf_addz(&names, i > 0 ? ", " : "");
        path_write(&names, now->differences.v[i]);
    }
    (void)diags_fail(s->engine->diags, "No configuration without changes",
                     "Whatever is written for " STR_FMT ", a plan would change it: " STR_FMT ".", STR_ARG(s->resource->address),
                     STR_ARG(buf_str(&names)));
    return ENGINE_FAILED;
}

/* --- JSON --- */

static const struct value *canonical(void *ctx, struct arena *a, struct path path, const struct value *v)
{
    const struct search *s = ctx;
    bool text = v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING;
    if (!text || marks_cover(s->object->sensitive, path))
        return v;
    struct str json = hcl_canonical_json(a, v->string);
    return json.n > 0 && !str_eq(json, v->string) ? value_string(a, json) : v;
}

/*
 * Clouds return policies with blanks and in an order of their own. They are formatted if the provider recognises the result as
 * equal.
 */
static enum engine_status tidy_json(struct search *s, struct verdict_of *now)
{
    struct arena *a = s->engine->arena;
    const struct value *tidy = value_transform(a, s->config, canonical, s);
    bool all, one;
    enum engine_status status = try(s, tidy, now, &all);
    if (all || value_raw_eq(tidy, s->config))
        return status;
    for (size_t i = 0; status == ENGINE_OK && i < tidy->n; i++)
        status =
            try(s, import_with(a, s->config, path_attr(a, PATH_ROOT, tidy->type->attrs[i].name), tidy->elements[i]), now, &one);
    return status;
}

/* --- leaving out --- */

/* The provider's plan for a new object; a null value: unknown. */
static const struct value *fresh_plan(struct search *s)
{
    struct engine *e = s->engine;
    struct diags *all = e->diags, quiet;
    struct resource_config bare = {.value = s->config};
    const struct schema_block *block = block_of(s);
    for (size_t i = 0; i < block->n_attrs; i++) {
        const struct schema_attr *attr = &block->attrs[i];
        struct path path = path_attr(e->arena, PATH_ROOT, attr->name);
        if (attr->computed && attr->optional)
            bare.value = import_with(e->arena, bare.value, path, value_null(e->arena, value_at(bare.value, path)->type));
    }
    struct plan plan;
    diags_init(&quiet, e->arena);
    e->diags = &quiet;
    enum engine_status status = engine_plan(e, s->resource, NULL, &bare, &(struct plan_options){.no_refresh = true}, &plan);
    e->diags = all;
    return status == ENGINE_OK ? plan.planned : value_null(e->arena, s->resource->schema->type);
}

/* A computed value is not a default just because an empty plan keeps it: without the argument a new object might get another. */
static bool is_truth(const struct schema_attr *attr, const struct value *v, const struct value *fresh)
{
    const struct value *chosen = value_get(fresh, attr->name);
    return attr->computed && !import_is_zero(v) && !(chosen && value_raw_eq(chosen, v));
}

static enum engine_status leave_out(struct search *s, struct verdict_of *now)
{
    struct arena *a = s->engine->arena;
    const struct schema_block *block = block_of(s);
    const struct value *fresh = fresh_plan(s);
    for (size_t i = 0; i < block->n_attrs; i++) {
        const struct schema_attr *attr = &block->attrs[i];
        struct path path = path_attr(a, PATH_ROOT, attr->name);
        const struct value *v = value_at(s->config, path);
        bool taken;
        if (attr->required || v->state != VALUE_KNOWN || is_truth(attr, v, fresh))
            continue;
        enum engine_status status = try(s, import_with(a, s->config, path, value_null(a, v->type)), now, &taken);
        if (status != ENGINE_OK)
            return status;
    }
    return ENGINE_OK;
}

/* --- the provider's own configuration --- */

/* Providers that generate configuration know which arguments exclude each other; what they omit is tried again at the end. */
static enum engine_status take_generated(struct search *s)
{
    struct engine *e = s->engine;
    struct diags *all = e->diags, quiet;
    const struct value *generated = NULL;
    if (!e->schema->capabilities.generate_resource_config)
        return ENGINE_OK;
    diags_init(&quiet, e->arena);
    e->diags = &quiet;
    enum engine_status status = engine_generate_config(e, s->resource, s->object, &generated);
    e->diags = all;
    if (status == ENGINE_FAILED || (status == ENGINE_OK && generated->state != VALUE_KNOWN))
        return ENGINE_OK; /* then our own candidate is used */
    if (status != ENGINE_OK)
        return status;
    const struct value *own = s->config;
    s->config = import_candidate(e->arena, block_of(s), generated, false);
    for (size_t i = 0; i < own->n; i++)
        if (!value_raw_eq(own->elements[i], s->config->elements[i]))
            *VEC_PUSH(e->arena, &s->dropped) = path_attr(e->arena, PATH_ROOT, own->type->attrs[i].name);
    return ENGINE_OK;
}

static void choose(struct search *s, const struct configure_choice *choice)
{
    struct arena *a = s->engine->arena;
    for (size_t i = 0; i < choice->n_omit; i++) {
        struct path path = path_attr(a, PATH_ROOT, choice->omit[i]);
        const struct value *now = value_at(s->config, path);
        if (!now)
            continue;
        s->config = import_with(a, s->config, path, nothing_at(s, path, now));
        s->all = import_with(a, s->all, path, nothing_at(s, path, now));
    }
    for (size_t i = 0; i < choice->n_keep; i++) {
        struct path path = path_attr(a, PATH_ROOT, choice->keep[i]);
        const struct value *all = value_at(s->all, path);
        if (all)
            s->config = import_with(a, s->config, path, all);
    }
}

enum engine_status import_configure(struct engine *e, const struct resource *r, const struct object *object,
                                    const struct state_instance *stored, enum configure_style style,
                                    const struct configure_choice *choice, struct configured *ret)
{
    struct search s = {.engine = e, .resource = r, .object = object, .stored = stored};
    struct verdict_of now;
    s.all = import_candidate(e->arena, r->schema->block, object->value, true);
    s.config = import_candidate(e->arena, r->schema->block, object->value, false);
    enum engine_status status = take_generated(&s);
    if (choice)
        choose(&s, choice);
    fill_required(&s);
    if (status == ENGINE_OK)
        status = make_valid(&s, &now);
    if (status == ENGINE_OK && !now.empty)
        status = make_empty(&s, &now);
    if (status == ENGINE_OK && s.dropped.n > 0)
        status = restore(&s, &now);
    if (status == ENGINE_OK && !now.empty)
        status = ignore_rest(&s, &now);
    if (status == ENGINE_OK)
        status = tidy_json(&s, &now);
    if (status == ENGINE_OK && style == CONFIGURE_MINIMAL)
        status = leave_out(&s, &now);
    note_write_only(&s);
    if (status == ENGINE_OK)
        *ret = (struct configured){.config = s.config,
                                   .ignored = {s.ignored.v, s.ignored.n},
                                   .unread = {s.unread.v, s.unread.n},
                                   .dropped = {s.dropped.v, s.dropped.n}};
    return status;
}
