#include "translate/report.h"

static const char *kind_word(enum cc_note_kind kind)
{
    static const char *const words[] = {
        [CC_NOTE_IGNORED] = "ignored", [CC_NOTE_APPROXIMATED] = "approximated", [CC_NOTE_REFUSED] = "refused"};
    return words[kind];
}

static size_t count_notes(const struct cc_type *t, enum cc_note_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_notes; i++)
        n += t->notes[i].kind == kind;
    return n;
}

void cc_report_count(struct cc_report *r, const struct cc_type *t)
{
    r->n_types++;
    r->n_resources += t->has_resource;
    r->n_singular += t->has_singular;
    r->n_plural += t->has_plural;
    r->n_lists += t->has_list;
    r->n_refused += !t->has_resource;
    r->n_approximated += count_notes(t, CC_NOTE_APPROXIMATED) > 0;
    r->n_ignored += count_notes(t, CC_NOTE_IGNORED) > 0;
    r->n_attributes += t->has_resource ? t->n_nodes : 0;
}

static void write_things(struct buf *out, const struct cc_type *t)
{
    const struct {
        bool has;
        const char *what;
    } things[] = {{t->has_resource, "resource"}, {t->has_singular, "data source"}, {t->has_list, "list resource"}};
    bool any = false;
    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
        if (things[i].has) {
            buf_printf(out, "%s%s", any ? ", " : "", things[i].what);
            any = true;
        }
    if (t->has_plural)
        buf_printf(out, "%splural data source " STR_FMT, any ? ", " : "", STR_ARG(t->plural));
    if (!any && !t->has_plural)
        buf_addz(out, "nothing");
}

static void write_notes(struct buf *out, const struct cc_type *t)
{
    for (size_t i = 0; i < t->n_notes; i++) {
        const struct cc_note *n = &t->notes[i];
        buf_printf(out, "  %-13s ", kind_word(n->kind));
        if (n->path.n > 0)
            buf_printf(out, STR_FMT ": ", STR_ARG(n->path));
        buf_printf(out, STR_FMT "\n", STR_ARG(n->text));
    }
}

static void write_minutes(struct buf *out, const char *what, int64_t minutes)
{
    buf_printf(out, " %s %lld min", what, (long long)(minutes > 0 ? minutes : CC_DEFAULT_MINUTES));
}

void cc_report_type(struct buf *out, const struct cc_type *t)
{
    buf_printf(out, STR_FMT "\n  %-13s " STR_FMT "\n  %-13s ", STR_ARG(t->cf_type), "name", STR_ARG(t->tf_type), "generated");
    write_things(out, t);
    buf_printf(out, "\n  %-13s ", "identifier");
    for (size_t i = 0; i < t->n_identifiers; i++)
        buf_printf(out, "%s" STR_FMT, i > 0 ? " | " : "", STR_ARG(t->identifiers[i].pointer));
    buf_addc(out, '\n');
    if (t->has_resource) {
        buf_printf(out, "  %-13s %zu%s%s\n", "attributes", t->n_nodes, t->immutable ? ", none can be updated" : "",
                   t->global ? ", global" : "");
        buf_printf(out, "  %-13s", "time-outs");
        write_minutes(out, "create", t->create_minutes);
        write_minutes(out, "update", t->update_minutes);
        write_minutes(out, "delete", t->delete_minutes);
        buf_addc(out, '\n');
    }
    write_notes(out, t);
}

void cc_report_line(struct buf *out, const struct cc_type *t)
{
    if (t->n_notes == 0)
        return;
    size_t approximated = count_notes(t, CC_NOTE_APPROXIMATED), ignored = count_notes(t, CC_NOTE_IGNORED);
    buf_printf(out, "%-55.*s", STR_ARG(t->cf_type));
    if (!t->has_resource)
        buf_printf(out, " refused: " STR_FMT, STR_ARG(t->suppression));
    if (approximated > 0)
        buf_printf(out, " %zu approximated", approximated);
    if (ignored > 0)
        buf_printf(out, " %zu ignored", ignored);
    buf_addc(out, '\n');
}

void cc_report_summary(struct buf *out, const struct cc_report *r)
{
    buf_printf(out,
               "%zu types: %zu resources with %zu attributes, %zu data sources, %zu plural data sources, %zu list resources\n"
               "%zu types without a resource, %zu with something approximated, %zu with something ignored\n",
               r->n_types, r->n_resources, r->n_attributes, r->n_singular, r->n_plural, r->n_lists, r->n_refused,
               r->n_approximated, r->n_ignored);
}

void cc_report_json(struct json_writer *w, const struct cc_type *t)
{
    json_begin_object(w);
    json_key(w, STR("type"));
    json_write_string(w, t->cf_type);
    json_key(w, STR("name"));
    json_write_string(w, t->tf_type);
    json_put_bool(w, "resource", t->has_resource);
    json_put_bool(w, "data_source", t->has_singular);
    json_put_bool(w, "list_resource", t->has_list);
    json_key(w, STR("plural"));
    if (t->has_plural)
        json_write_string(w, t->plural);
    else
        json_write_null(w);
    json_key(w, STR("attributes"));
    json_write_int(w, (int64_t)t->n_nodes);
    json_key(w, STR("notes"));
    json_begin_array(w);
    for (size_t i = 0; i < t->n_notes; i++) {
        json_begin_object(w);
        json_key(w, STR("kind"));
        json_write_string(w, str_of(kind_word(t->notes[i].kind)));
        json_key(w, STR("path"));
        json_write_string(w, t->notes[i].path);
        json_key(w, STR("text"));
        json_write_string(w, t->notes[i].text);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}
