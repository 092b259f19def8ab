/*
 * Making a pack: check, sanitise, translate, encode, compress, lay out.
 */
#include "translate/pack_write.h"

#include "base/vec.h"
#include "cfn/pack_format.h"
#include "cfn/regex.h"
#include "protocol/proto_wire.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { SHA_BYTES = 32 };

/* A type to be written to the pack. */
struct packed_type {
    struct cfn_pack_entry entry;
    struct str block; /* compressed */
    uint32_t raw, crc;
    size_t dropped; /* patterns */
};

struct making {
    struct arena *a; /* of all that is kept */
    const struct cc_pack_options *options;
    struct diags *diags;
    struct cc_pack_made made;
    VEC(struct packed_type) types;
    struct map by_name; /* CloudFormation name -> position, a size_t */
    struct schema_builder *builders[2];
    struct buf answers[2][CFN_N_ANSWERS];
};

/* --- invalid patterns --- */

struct sanitising {
    struct arena *a;
    size_t n, dropped;
};

static const struct json *sanitise(struct sanitising *s, const struct json *j);

/* The value of "pattern" in a subschema, if it is a string. */
static const struct json *sanitise_pattern(struct sanitising *s, const struct json *j)
{
    s->n++;
    if (j->text.n == 0 || cfn_regex_check(j->text, NULL))
        return j;
    s->dropped++;
    return json_make_string(s->a, STR_EMPTY);
}

/* The keys are patterns; invalid ones become the empty pattern, which matches anything. */
static const struct json *sanitise_keys(struct sanitising *s, const struct json *j)
{
    VEC(struct json_member) members = {0};
    struct map seen;
    map_init(&seen, s->a);
    for (size_t i = 0; i < j->object.n; i++) {
        struct json_member m = j->object.members[i];
        if (!cfn_regex_check(m.key, NULL)) {
            m.key = STR_EMPTY;
            s->dropped++;
        }
        s->n++;
        m.value = sanitise(s, m.value);
        if (map_add(&seen, m.key, (void *)m.value))
            *VEC_PUSH(s->a, &members) = m;
    }
    return json_make_object(s->a, members.v, members.n);
}

static const struct json *sanitise_member(struct sanitising *s, const struct json_member *m)
{
    if (m->value->kind == JSON_STRING && str_eqz(m->key, "pattern"))
        return sanitise_pattern(s, m->value);
    if (m->value->kind == JSON_OBJECT && str_eqz(m->key, "patternProperties"))
        return sanitise_keys(s, m->value);
    return sanitise(s, m->value);
}

/* A property named "pattern" is an object and so is not mistaken for a pattern. The parser limits the depth. */
static const struct json *sanitise(struct sanitising *s, const struct json *j)
{
    if (j->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(s->a, const struct json *, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            items[i] = sanitise(s, j->array.items[i]);
        return json_make_array(s->a, items, j->array.n);
    }
    if (j->kind != JSON_OBJECT)
        return j;
    struct json_member *members = arena_make_n(s->a, struct json_member, j->object.n);
    for (size_t i = 0; i < j->object.n; i++) {
        members[i] = j->object.members[i];
        members[i].value = sanitise_member(s, &j->object.members[i]);
    }
    return json_make_object(s->a, members, j->object.n);
}

/* --- one type --- */

static bool hash_of(const struct cfn_source *input, unsigned char ret[SHA_BYTES])
{
    unsigned n = 0;
    if (input->sha256)
        memcpy(ret, input->sha256, SHA_BYTES);
    return input->sha256 || (EVP_Digest(input->text.p, input->text.n, ret, &n, EVP_sha256(), NULL) == 1 && n == SHA_BYTES);
}

static bool compress_text(struct making *m, struct str text, struct packed_type *t)
{
    uLongf n = compressBound(text.n);
    struct buf out BUF_AUTO = BUF_INIT(CFN_MAX_TEXT * (size_t)2);
    char *room = buf_room(&out, n);
    if (!room || compress2((Bytef *)room, &n, (const Bytef *)text.p, text.n, Z_BEST_COMPRESSION) != Z_OK)
        return diags_fail(m->diags, "Cannot create the pack", "compression failed.");
    t->block = arena_str(m->a, (struct str){room, n});
    t->raw = (uint32_t)text.n;
    t->crc = (uint32_t)crc32_z(0, (const Bytef *)text.p, text.n);
    return true;
}

static void translate_type(struct making *m, struct arena *scratch, const struct cfn_schema *cfn, struct packed_type *t)
{
    for (enum cfn_mode mode = CFN_MODE_DEFAULT; mode <= CFN_MODE_STRICT; mode++) {
        const struct cc_type *type = cc_translate(scratch, cfn, mode);
        t->entry.has[mode].resource = type->has_resource;
        t->entry.has[mode].singular = type->has_singular;
        t->entry.has[mode].plural = type->has_plural;
        t->entry.has[mode].list = type->has_list;
        t->entry.tf_type = arena_str(m->a, type->tf_type);
        if (type->has_plural)
            t->entry.plural = arena_str(m->a, type->plural);
    }
}

static bool pack_schema(struct making *m, const struct cfn_source *input, struct arena *scratch, const struct cfn_schema *cfn,
                        const struct sanitising *s)
{
    struct packed_type t = {.dropped = s->dropped};
    struct buf text BUF_AUTO = BUF_INIT(CFN_MAX_TEXT);
    struct json_writer w = {.out = &text};
    json_write(&w, cfn->root);
    if (!json_finish(&w) || !hash_of(input, t.entry.sha256) || !compress_text(m, buf_str(&text), &t))
        return diags_fail(m->diags, "Cannot create the pack", STR_FMT " is too large.", STR_ARG(input->name));
    t.entry.cf_type = arena_str(m->a, cfn->type_name);
    t.entry.plural = STR_EMPTY;
    translate_type(m, scratch, cfn, &t);
    m->made.n_patterns += s->n;
    m->made.n_patterns_dropped += s->dropped;
    size_t *place = map_get(&m->by_name, t.entry.cf_type);
    if (place) {
        m->types.v[*place] = t;
    } else {
        place = arena_make(m->a, size_t);
        *place = m->types.n;
        map_put(&m->by_name, t.entry.cf_type, place);
        *VEC_PUSH(m->a, &m->types) = t;
    }
    return m->types.n <= CFN_PACK_MAX_TYPES || diags_fail(m->diags, "Cannot create the pack", "There are too many types.");
}

/* The diagnostics in `why` name the file. */
static void skip(struct making *m, const struct diags *why)
{
    m->made.n_skipped++;
    diags_warn(m->diags, "Skipped", STR_FMT, STR_ARG(why->v[0].detail));
}

static bool add_input(struct making *m, const struct cfn_source *input)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags why;
    diags_init(&why, scratch);
    const char *name = arena_str(scratch, input->name).p;
    struct sanitising s = {.a = scratch};
    const struct cfn_schema *raw = cfn_schema_parse(scratch, input->text, name, &why);
    const struct cfn_schema *cfn = raw ? cfn_schema_load(scratch, sanitise(&s, raw->root), name, &why) : NULL;
    if (!cfn) {
        skip(m, &why);
        return true;
    }
    return pack_schema(m, input, scratch, cfn, &s);
}

static int by_cf_type(const void *a, const void *b)
{
    return str_cmp(((const struct packed_type *)a)->entry.cf_type, ((const struct packed_type *)b)->entry.cf_type);
}

/* --- answers --- */

/* Translates the types as they are in the pack, so that the answers equal those made at run time. */
static bool translate_all(struct making *m, enum cfn_mode mode, struct schema_builder *b)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < m->types.n; i++, arena_reset(scratch)) {
        const struct packed_type *t = &m->types.v[i];
        uLongf n = t->raw;
        char *text = arena_alloc(scratch, n + 1, 1);
        if (uncompress((Bytef *)text, &n, (const Bytef *)t->block.p, t->block.n) != Z_OK)
            return diags_fail(m->diags, "Cannot create the pack", "compression failed.");
        const struct cfn_schema *cfn = cfn_schema_parse(scratch, (struct str){text, n}, "pack", m->diags);
        if (!cfn)
            return false;
        cc_schema_add(b, cc_translate(scratch, cfn, mode));
    }
    return true;
}

static bool make_answers(struct making *m, enum cfn_mode mode)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct schema_builder *b = schema_builder_new(a);
    cc_schema_provider(b, mode);
    bool ok = translate_all(m, mode, b);
    const struct provider_schema *schema = schema_builder_end(b);
    return ok && cc_answers_make(schema, m->answers[mode], m->diags);
}

/* --- the part that two answers share --- */

static bool split(struct arena *a, struct str message, struct map *ret)
{
    map_init(ret, a);
    for (struct str rest = message; rest.n > 0;) {
        struct proto_field field;
        const char *start = rest.p;
        if (!proto_next(&rest, &field))
            return false;
        map_put(ret, (struct str){start, (size_t)(rest.p - start)}, (void *)start);
    }
    return true;
}

/* Writes the fields that the other message lacks, or those that it has. */
static void put_fields(struct buf *out, const struct map *fields, const struct map *other, bool shared)
{
    for (size_t i = 0; i < fields->n; i++)
        if ((map_get(other, fields->entries[i].key) != NULL) == shared)
            buf_add(out, fields->entries[i].key);
}

struct span {
    uint64_t at, n;
};

static bool put_schemas(const struct making *m, struct buf *out, struct span ret[2])
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map strict, by_default;
    if (!split(a, buf_str(&m->answers[CFN_MODE_STRICT][CFN_ANSWER_SCHEMA]), &strict) ||
        !split(a, buf_str(&m->answers[CFN_MODE_DEFAULT][CFN_ANSWER_SCHEMA]), &by_default))
        return diags_fail(m->diags, "Cannot create the pack", "the encoded schema cannot be read.");
    size_t start = out->n;
    put_fields(out, &strict, &by_default, false);
    size_t shared = out->n;
    put_fields(out, &strict, &by_default, true);
    ret[CFN_MODE_STRICT] = (struct span){start, out->n - start};
    put_fields(out, &by_default, &strict, false);
    ret[CFN_MODE_DEFAULT] = (struct span){shared, out->n - shared};
    return true;
}

/* --- layout --- */

struct layout {
    struct buf *out;
    struct span sections[PACK_N_SECTIONS];
    struct span answers[2][CFN_N_ANSWERS];
    struct buf texts;
    size_t n_names;
};

static void put_text(struct layout *l, char *at, struct str text)
{
    pack_put32(at, (uint32_t)l->texts.n);
    pack_put32(at + 4, (uint32_t)text.n);
    buf_add(&l->texts, text);
}

static uint32_t flags_of(const struct cfn_pack_entry *e)
{
    uint32_t flags = 0;
    for (unsigned mode = 0; mode < 2; mode++) {
        uint32_t f = (e->has[mode].resource ? PACK_RESOURCE : 0U) | (e->has[mode].singular ? PACK_SINGULAR : 0U) |
                     (e->has[mode].plural ? PACK_PLURAL : 0U) | (e->has[mode].list ? PACK_LIST : 0U);
        flags |= f << (mode * PACK_FLAG_BITS);
    }
    return flags;
}

static void put_index(const struct making *m, struct layout *l)
{
    uint64_t block = 0;
    l->sections[PACK_INDEX].at = l->out->n;
    for (size_t i = 0; i < m->types.n; i++) {
        const struct packed_type *t = &m->types.v[i];
        char e[ENTRY_BYTES] = {0};
        put_text(l, e + ENTRY_AT_CF, t->entry.cf_type);
        put_text(l, e + ENTRY_AT_TF, t->entry.tf_type);
        put_text(l, e + ENTRY_AT_PLURAL, t->entry.plural);
        pack_put32(e + ENTRY_AT_FLAGS, flags_of(&t->entry));
        pack_put32(e + ENTRY_AT_CRC, t->crc);
        pack_put64(e + ENTRY_AT_BLOCK, block);
        pack_put32(e + ENTRY_AT_PACKED, (uint32_t)t->block.n);
        pack_put32(e + ENTRY_AT_RAW, t->raw);
        memcpy(e + ENTRY_AT_SHA, t->entry.sha256, SHA_BYTES);
        buf_add(l->out, (struct str){e, sizeof e});
        block += t->block.n;
    }
    l->sections[PACK_INDEX].n = l->out->n - l->sections[PACK_INDEX].at;
}

struct name {
    struct str text;
    uint32_t entry;
    bool plural;
};

/* A type sorts before a plural of the same name. */
static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = str_cmp(x->text, y->text);
    return order ? order : (int)x->plural - (int)y->plural;
}

static void put_names(const struct making *m, struct layout *l)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct name *names = arena_make_n(a, struct name, m->types.n * 2);
    size_t n = 0;
    for (size_t i = 0; i < m->types.n; i++) {
        const struct cfn_pack_entry *e = &m->types.v[i].entry;
        names[n++] = (struct name){e->tf_type, (uint32_t)i, false};
        if (e->plural.n > 0)
            names[n++] = (struct name){e->plural, (uint32_t)i, true};
    }
    qsort(names, n, sizeof names[0], by_text);
    l->n_names = n;
    l->sections[PACK_NAMES] = (struct span){l->out->n, n * NAME_BYTES};
    for (size_t i = 0; i < n; i++) {
        char e[NAME_BYTES] = {0};
        put_text(l, e + NAME_AT_TEXT, names[i].text);
        pack_put32(e + NAME_AT_ENTRY, names[i].entry);
        buf_add(l->out, (struct str){e, sizeof e});
    }
}

static void put_blocks(const struct making *m, struct layout *l)
{
    l->sections[PACK_TEXTS] = (struct span){l->out->n, l->texts.n};
    buf_add(l->out, buf_str(&l->texts));
    l->sections[PACK_BLOCKS].at = l->out->n;
    for (size_t i = 0; i < m->types.n; i++)
        buf_add(l->out, m->types.v[i].block);
    l->sections[PACK_BLOCKS].n = l->out->n - l->sections[PACK_BLOCKS].at;
}

static bool put_answers(const struct making *m, struct layout *l)
{
    struct span schemas[2] = {{0}};
    if (m->options->without_answers)
        return true;
    if (!put_schemas(m, l->out, schemas))
        return false;
    for (size_t mode = 0; mode < 2; mode++) {
        l->answers[mode][CFN_ANSWER_SCHEMA] = schemas[mode];
        for (enum cfn_answer i = CFN_ANSWER_IDENTITIES; i <= CFN_ANSWER_METADATA; i++) {
            l->answers[mode][i] = (struct span){l->out->n, m->answers[mode][i].n};
            buf_add(l->out, buf_str(&m->answers[mode][i]));
        }
    }
    return true;
}

static void put_span(char *header, size_t at, struct span span)
{
    pack_put64(header + at, span.at);
    pack_put64(header + at + 8, span.n);
}

static void fill_header(const struct making *m, const struct layout *l, char *header)
{
    memcpy(header, CFN_PACK_MAGIC, sizeof CFN_PACK_MAGIC - 1);
    pack_put32(header + PACK_AT_FORMAT, CFN_PACK_FORMAT);
    pack_put32(header + PACK_AT_TRANSLATION, CC_TRANSLATION);
    pack_put32(header + PACK_AT_N_TYPES, (uint32_t)m->types.n);
    pack_put32(header + PACK_AT_N_NAMES, (uint32_t)l->n_names);
    pack_put64(header + PACK_AT_SIZE, l->out->n);
    for (size_t i = 0; i < PACK_N_SECTIONS; i++)
        put_span(header, PACK_AT_SECTIONS + i * 16, l->sections[i]);
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < CFN_N_ANSWERS; i++)
            put_span(header, PACK_AT_ANSWERS + (mode * CFN_N_ANSWERS + i) * 16, l->answers[mode][i]);
    uLong crc = crc32(0, (const Bytef *)header, PACK_AT_CRC);
    for (enum pack_section s = PACK_INDEX; s <= PACK_TEXTS; s++)
        crc = crc32_z(crc, (const Bytef *)l->out->p + l->sections[s].at, l->sections[s].n);
    pack_put32(header + PACK_AT_CRC, (uint32_t)crc);
}

static bool lay_out(const struct making *m, struct buf *out)
{
    struct layout l = {.out = out, .texts = BUF_INIT(CFN_PACK_MAX_BYTES)};
    char header[PACK_HEADER_BYTES] = {0};
    buf_add(out, (struct str){header, sizeof header});
    put_index(m, &l);
    put_names(m, &l);
    put_blocks(m, &l);
    bool ok = put_answers(m, &l);
    ok &= buf_ok(out) && buf_ok(&l.texts);
    if (ok) {
        fill_header(m, &l, header);
        memcpy(out->p, header, sizeof header);
    }
    buf_free(&l.texts);
    return ok || diags_fail(m->diags, "Cannot create the pack", "it would be too large.");
}

/* --- the lock --- */

static void write_hash(struct json_writer *w, const unsigned char sha[SHA_BYTES])
{
    char hex[SHA_BYTES * 2];
    for (size_t i = 0; i < SHA_BYTES; i++) {
        hex[i * 2] = "0123456789abcdef"[sha[i] >> 4];
        hex[i * 2 + 1] = "0123456789abcdef"[sha[i] & 15];
    }
    json_write_string(w, (struct str){hex, sizeof hex});
}

static void write_date(struct json_writer *w, int64_t date)
{
    char text[32] = "";
    time_t t = (time_t)date;
    struct tm tm;
    size_t n = gmtime_r(&t, &tm) ? strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) : 0;
    json_write_string(w, (struct str){text, n});
}

static bool write_lock(const struct making *m, struct buf *out)
{
    struct json_writer w = {.out = out, .indent = 2};
    json_begin_object(&w);
    json_key(&w, STR("format"));
    json_write_int(&w, CFN_PACK_FORMAT);
    json_key(&w, STR("source"));
    json_write_string(&w, m->options->source);
    json_key(&w, STR("date"));
    write_date(&w, m->options->date);
    json_key(&w, STR("types"));
    json_begin_object(&w);
    for (size_t i = 0; i < m->types.n; i++) {
        const struct packed_type *t = &m->types.v[i];
        json_key(&w, t->entry.cf_type);
        json_begin_object(&w);
        json_key(&w, STR("sha256"));
        write_hash(&w, t->entry.sha256);
        json_key(&w, STR("dropped_patterns"));
        json_write_int(&w, (int64_t)t->dropped);
        json_end_object(&w);
    }
    json_end_object(&w);
    json_end_object(&w);
    bool ok = json_finish(&w);
    buf_addc(out, '\n');
    return ok && buf_ok(out);
}

/* --- all --- */

static bool make(struct making *m, const struct cfn_source *inputs, size_t n, struct buf *ret_pack, struct buf *ret_lock)
{
    for (size_t i = 0; i < n; i++)
        if (!add_input(m, &inputs[i]))
            return false;
    if (m->types.n == 0)
        return diags_fail(m->diags, "Cannot create the pack", "None of the %zu files is a resource type schema.", n);
    qsort(m->types.v, m->types.n, sizeof m->types.v[0], by_cf_type);
    if (!m->options->without_answers && (!make_answers(m, CFN_MODE_DEFAULT) || !make_answers(m, CFN_MODE_STRICT)))
        return false;
    m->made.n_types = m->types.n;
    if (!lay_out(m, ret_pack))
        return false;
    m->made.bytes = ret_pack->n;
    return write_lock(m, ret_lock) || diags_fail(m->diags, "Cannot create the pack", "the lock would be too large.");
}

bool cc_pack_make(const struct cfn_source *inputs, size_t n, const struct cc_pack_options *options, struct buf *ret_pack,
                  struct buf *ret_lock, struct cc_pack_made *ret, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct making m = {.a = a, .options = options, .diags = diags};
    map_init(&m.by_name, a);
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < CFN_N_ANSWERS; i++)
            m.answers[mode][i] = BUF_INIT(CFN_PACK_MAX_BYTES);
    bool ok = make(&m, inputs, n, ret_pack, ret_lock);
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < CFN_N_ANSWERS; i++)
            buf_free(&m.answers[mode][i]);
    if (ok)
        *ret = m.made;
    return ok;
}

/* --- locked input --- */

static bool hash_is(const struct cfn_source *input, struct str expected)
{
    unsigned char sha[SHA_BYTES];
    struct buf out BUF_AUTO = BUF_INIT(256);
    struct json_writer w = {.out = &out};
    if (!hash_of(input, sha))
        return false;
    write_hash(&w, sha);
    return json_finish(&w) && str_eq(str_slice(buf_str(&out), 1, out.n - 1), expected);
}

bool cc_pack_locked(const struct cfn_source *inputs, size_t n, const struct json *lock, struct diags *diags)
{
    const struct json *types = json_get(lock, "types");
    struct map seen;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    map_init(&seen, a);
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        struct diags ignored;
        diags_init(&ignored, scratch);
        const struct json *root = json_parse(scratch, inputs[i].text, "", &ignored);
        struct str name = arena_str(a, json_text(json_get(root, "typeName"), STR_EMPTY));
        if (name.n == 0)
            continue;
        const struct json *locked = json_get_str(types, name);
        map_put(&seen, name, (void *)&inputs[i]);
        if (!locked)
            ok = diags_fail(diags, "Schemas differ from the lock file", STR_FMT " is not in the lock file.", STR_ARG(name));
        else if (!hash_is(&inputs[i], json_text(json_get(locked, "sha256"), STR_EMPTY)))
            ok = diags_fail(diags, "Schemas differ from the lock file",
                            "The schema of " STR_FMT " differs from the one in the lock file.", STR_ARG(name));
    }
    for (size_t i = 0; types && types->kind == JSON_OBJECT && i < types->object.n; i++)
        if (!map_get(&seen, types->object.members[i].key))
            ok = diags_fail(diags, "Schemas differ from the lock file", STR_FMT " is in the lock file, but not in the schemas.",
                            STR_ARG(types->object.members[i].key));
    return ok;
}
