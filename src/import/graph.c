#include "import/graph.h"

#include "output/html.h"

enum { COLUMN = 320, ROW = 26, BOX_WIDTH = 250, BOX_HEIGHT = 20, MARGIN = 20, SHOWN_NAME = 34 };

struct node {
    size_t item;
    struct str address;
    struct str_list to;
    size_t *targets; /* node numbers, parallel to `to` */
    size_t level, row;
};

struct graph {
    struct arena *arena;
    struct node *v;
    size_t n, n_edges, levels, rows;
};

static struct graph graph_of(struct arena *a, const struct worklist *w, const struct references *r)
{
    struct graph g = {.arena = a, .v = arena_make_n(a, struct node, w->items.n)};
    struct map numbers;
    map_init(&numbers, a);
    for (size_t i = 0; i < w->items.n; i++) {
        const struct import_item *item = &w->items.v[i];
        if (!item->result)
            continue;
        struct node *one = &g.v[g.n++];
        *one =
            (struct node){.item = i, .address = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(item->type), STR_ARG(item->name))};
        if (r)
            one->to = references_of(r, a, i);
        map_put(&numbers, one->address, one);
    }
    for (size_t i = 0; i < g.n; i++) {
        g.v[i].targets = arena_make_n(a, size_t, g.v[i].to.n);
        size_t n = 0;
        for (size_t k = 0; k < g.v[i].to.n; k++) {
            const struct node *to = map_get(&numbers, g.v[i].to.v[k]);
            if (to)
                g.v[i].targets[n++] = (size_t)(to - g.v);
        }
        g.v[i].to.n = n;
        g.n_edges += n;
    }
    return g;
}

/* Places every node after the ones that it refers to. References form no cycle, so at some pass nothing changes. */
static void place(struct graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->n; i++)
            for (size_t k = 0; k < g->v[i].to.n; k++) {
                size_t above = g->v[g->v[i].targets[k]].level;
                if (g->v[i].level > above || above >= g->n)
                    continue;
                g->v[i].level = above + 1;
                changed = true;
            }
    }
    for (size_t i = 0; i < g->n; i++)
        g->levels = g->v[i].level + 1 > g->levels ? g->v[i].level + 1 : g->levels;
    size_t *next = arena_make_n(g->arena, size_t, g->levels);
    for (size_t i = 0; i < g->n; i++) {
        g->v[i].row = next[g->v[i].level]++;
        g->rows = next[g->v[i].level] > g->rows ? next[g->v[i].level] : g->rows;
    }
}

/* --- DOT --- */

static void write_quoted(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '"' || text.p[i] == '\\')
            buf_addc(out, '\\');
        buf_addc(out, (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i]);
    }
    buf_addc(out, '"');
}

void import_write_dot(struct buf *out, struct arena *a, const struct worklist *w, const struct references *r)
{
    struct graph g = graph_of(a, w, r);
    buf_addz(out, "digraph objects {\n  rankdir = \"RL\"\n  node [shape = \"box\", fontname = \"sans-serif\"]\n");
    for (size_t i = 0; i < g.n; i++) {
        buf_addz(out, "  ");
        write_quoted(out, g.v[i].address);
        buf_addz(out, " [tooltip = ");
        write_quoted(out, w->items.v[g.v[i].item].key);
        buf_addz(out, "]\n");
    }
    for (size_t i = 0; i < g.n; i++)
        for (size_t k = 0; k < g.v[i].to.n; k++) {
            buf_addz(out, "  ");
            write_quoted(out, g.v[i].address);
            buf_addz(out, " -> ");
            write_quoted(out, g.v[g.v[i].targets[k]].address);
            buf_addc(out, '\n');
        }
    buf_addz(out, "}\n");
}

/* --- the page --- */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>What refers to what</title>\n<style>\n:root{color-scheme:light dark}body{font:14px "
    "system-ui,sans-serif;margin:1rem}\n"
    ".scroll{overflow:auto;border:1px solid #8884}rect{fill:#8882;stroke:#888}path{fill:none;stroke:#4a90d9;opacity:.5}\n"
    "text{font:12px system-ui,sans-serif;fill:currentColor}g:hover rect{stroke:#d9534f;stroke-width:2}\n"
    "</style></head><body>\n<h1>What refers to what</h1>\n";

static size_t x_of(const struct node *n)
{
    return MARGIN + n->level * COLUMN;
}

static size_t y_of(const struct node *n)
{
    return MARGIN + n->row * ROW;
}

static void write_edge(struct buf *out, const struct node *from, const struct node *to)
{
    size_t x1 = x_of(from), y1 = y_of(from) + BOX_HEIGHT / 2, x2 = x_of(to) + BOX_WIDTH, y2 = y_of(to) + BOX_HEIGHT / 2;
    buf_printf(out, "<path d=\"M%zu %zuC%zu %zu %zu %zu %zu %zu\"/>\n", x1, y1, x1 - 40, y1, x2 + 40, y2, x2, y2);
}

static void write_node(struct buf *out, const struct node *n, const struct import_item *item)
{
    struct str shown = n->address;
    bool cut = str_is_utf8(shown) && shown.n > SHOWN_NAME;
    buf_printf(out, "<g><title>");
    html_write(out, n->address);
    buf_addz(out, " (");
    html_write(out, item->key);
    buf_printf(out, ")</title><rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" rx=\"3\"/><text x=\"%zu\" y=\"%zu\">", x_of(n),
               y_of(n), BOX_WIDTH, BOX_HEIGHT, x_of(n) + 6, y_of(n) + 14);
    html_write(out, cut ? str_slice(shown, 0, SHOWN_NAME) : shown);
    buf_addz(out, cut ? "\xe2\x80\xa6</text></g>\n" : "</text></g>\n");
}

void import_write_graph_page(struct buf *out, struct arena *a, const struct worklist *w, const struct references *r)
{
    struct graph g = graph_of(a, w, r);
    place(&g);
    buf_addz(out, head);
    buf_printf(out, "<p>%zu objects, %zu references. An object stands right of what it refers to.</p>\n", g.n, g.n_edges);
    buf_printf(out,
               "<div class=\"scroll\"><svg width=\"%zu\" height=\"%zu\" role=\"img\" "
               "aria-label=\"graph of references\">\n",
               2 * MARGIN + g.levels * COLUMN, 2 * MARGIN + g.rows * ROW);
    for (size_t i = 0; i < g.n; i++)
        for (size_t k = 0; k < g.v[i].to.n; k++)
            write_edge(out, &g.v[i], &g.v[g.v[i].targets[k]]);
    for (size_t i = 0; i < g.n; i++)
        write_node(out, &g.v[i], &w->items.v[g.v[i].item]);
    buf_addz(out, "</svg></div>\n</body></html>\n");
}
