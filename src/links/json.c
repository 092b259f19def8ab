/* Rules for programs. */
#include "links/links.h"

static void put_members(struct json_writer *w, const struct link_rule *r)
{
    static const char *const kinds[] = {[LINK_WHOLE] = "whole", [LINK_PART] = "part", [LINK_NONE] = "none"};
    json_put_text(w, "type", r->type);
    json_put_text(w, "path", r->path);
    if (r->kind != LINK_NONE) {
        json_put_text(w, "target", r->target);
        json_put_text(w, "attribute", r->attribute);
    }
    json_put_text(w, "kind", str_of(kinds[r->kind]));
    if (r->source) {
        json_put_text(w, "file", str_of(r->source));
        json_key(w, STR("line"));
        json_write_int(w, r->line);
    }
}

void link_rule_json(struct json_writer *w, const struct link_rule *r)
{
    json_begin_object(w);
    put_members(w, r);
    json_end_object(w);
}

static struct json_writer begin(struct buf *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_key(&w, STR("rules"));
    json_begin_array(&w);
    return w;
}

static void end(struct json_writer *w)
{
    json_end_array(w);
    json_end_object(w);
    (void)json_finish(w);
    buf_addc(w->out, '\n');
}

void link_rules_json(struct buf *out, const struct link_rule *const *rules, size_t n)
{
    struct json_writer w = begin(out);
    for (size_t i = 0; i < n; i++)
        link_rule_json(&w, rules[i]);
    end(&w);
}

void links_json(struct buf *out, const struct link_table *t)
{
    struct json_writer w = begin(out);
    for (size_t i = 0; i < t->rules.n; i++)
        link_rule_json(&w, &t->rules.v[i]);
    end(&w);
}
