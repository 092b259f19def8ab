#include "kube/path.h"

enum { MAX_PATH = 16 << 10 };

static void add_encoded(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                     c == '.' || c == '~';
        if (plain)
            buf_addc(out, (char)c);
        else
            buf_printf(out, "%%%02X", c);
    }
}

struct str kube_encode(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    add_encoded(&out, text);
    return buf_copy(&out, a);
}

static void add_part(struct buf *out, struct str part)
{
    buf_addc(out, '/');
    add_encoded(out, part);
}

struct str kube_path(struct arena *a, const struct kube_place *p)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    const struct kube_resource *r = p->resource;
    buf_addz(&out, r->group.n > 0 ? "/apis" : "/api");
    if (r->group.n > 0)
        add_part(&out, r->group);
    add_part(&out, r->version);
    if (r->namespaced && p->namespace.n > 0) {
        buf_addz(&out, "/namespaces");
        add_part(&out, p->namespace);
    }
    add_part(&out, r->plural);
    if (p->name.n > 0)
        add_part(&out, p->name);
    if (p->subresource)
        add_part(&out, str_of(p->subresource));
    return buf_copy(&out, a);
}

void kube_query(struct buf *url, const char *name, struct str value)
{
    buf_addc(url, url->n > 0 && memchr(url->p, '?', url->n) ? '&' : '?');
    buf_addz(url, name);
    buf_addc(url, '=');
    add_encoded(url, value);
}

static const char *verb_of(const char *method, bool has_name, bool watch)
{
    if (strcmp(method, "GET") == 0)
        return watch ? "watch" : has_name ? "get" : "list";
    if (strcmp(method, "POST") == 0)
        return "create";
    if (strcmp(method, "PUT") == 0)
        return "update";
    if (strcmp(method, "PATCH") == 0)
        return "patch";
    return has_name ? "delete" : "deletecollection";
}

struct kube_right kube_right(const char *method, struct str target)
{
    struct str rest = target, path = str_cut(&rest, '?');
    struct kube_right r = {0};
    struct str left = str_slice(path, 1, path.n), first = str_cut(&left, '/');
    bool grouped = str_eqz(first, "apis");
    if (grouped)
        r.group = str_cut(&left, '/');
    struct str version = str_cut(&left, '/');
    if ((!grouped && !str_eqz(first, "api")) || version.n == 0 || left.n == 0) {
        r = (struct kube_right){.verb = strcmp(method, "GET") == 0 ? "get" : "post", .path = path};
        return r;
    }
    struct str at_namespaces = left;
    if (str_eqz(str_cut(&left, '/'), "namespaces") && left.n > 0) {
        r.namespace = str_cut(&left, '/');
        if (left.n == 0) /* the namespace object itself */
            left = at_namespaces;
    } else {
        left = at_namespaces;
    }
    r.resource = str_cut(&left, '/');
    r.name = str_cut(&left, '/');
    r.subresource = left;
    bool watch = str_starts(rest, STR("watch=1")) || str_contains(rest, STR("&watch=1"));
    r.verb = verb_of(method, r.name.n > 0, watch);
    return r;
}

struct str kube_right_text(struct arena *a, const struct kube_right *r)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    buf_printf(&out, "%s ", r->verb);
    if (r->path.n > 0) {
        buf_add(&out, r->path);
        return buf_copy(&out, a);
    }
    buf_printf(&out, STR_FMT, STR_ARG(r->resource));
    if (r->subresource.n > 0)
        buf_printf(&out, "/" STR_FMT, STR_ARG(r->subresource));
    if (r->group.n > 0)
        buf_printf(&out, "." STR_FMT, STR_ARG(r->group));
    if (r->namespace.n > 0 && !str_eqz(r->resource, "namespaces"))
        buf_printf(&out, " in namespace \"" STR_FMT "\"", STR_ARG(r->namespace));
    return buf_copy(&out, a);
}
