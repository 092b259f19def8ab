#include "generate/go_types_private.h"

/* A value to copy: its shape, and the class of the object in it. */
struct copied {
    const struct go_kind *kind;
    const struct xp_shape *shape;
    const struct go_class *class; /* NULL: no object in it */
    bool pointer;
};

static void put_tabs(struct buf *out, int depth)
{
    for (int i = 0; i < depth; i++)
        buf_addc(out, '\t');
}

static void put_line(struct buf *out, int depth, const char *line)
{
    put_tabs(out, depth);
    buf_addz(out, line);
    buf_addc(out, '\n');
}

static void put_copied_type(struct buf *out, const struct copied *c, bool pointer)
{
    go_put_type(out, c->shape, c->kind->flavour, pointer, c->class ? c->class->name : STR_EMPTY);
}

static struct copied element_of(const struct copied *c)
{
    return (struct copied){c->kind, c->shape->element, c->class, go_form(c->shape->element) == GO_BASIC};
}

static bool is_reference(const struct copied *c)
{
    return c->pointer || go_form(c->shape) == GO_SLICE || go_form(c->shape) == GO_MAP;
}

/* Can the value (or what the pointer points to) be copied by assignment? */
static bool is_shallow(const struct copied *c)
{
    switch (go_form(c->shape)) {
    case GO_BASIC:
        return true;
    case GO_CLASS:
        return c->class && c->class->shallow;
    case GO_FOREIGN:
        return go_foreign_is_shallow(c->shape);
    default:
        return false;
    }
}

static void copy_reference(struct buf *out, int depth, const struct copied *c);

static void copy_elements(struct buf *out, int depth, const struct copied *e)
{
    if (!is_reference(e) && is_shallow(e)) {
        put_line(out, depth, "copy(*out, *in)");
        return;
    }
    put_line(out, depth, "for i := range *in {");
    if (is_reference(e)) {
        put_line(out, depth + 1, "if (*in)[i] != nil {");
        put_line(out, depth + 2, "in, out := &(*in)[i], &(*out)[i]");
        copy_reference(out, depth + 2, e);
        put_line(out, depth + 1, "}");
    } else {
        put_line(out, depth + 1, "(*in)[i].DeepCopyInto(&(*out)[i])");
    }
    put_line(out, depth, "}");
}

static void copy_values(struct buf *out, int depth, const struct copied *e)
{
    put_line(out, depth, "for key, val := range *in {");
    if (is_reference(e)) {
        put_tabs(out, depth + 1);
        buf_addz(out, "var outVal ");
        put_copied_type(out, e, e->pointer);
        buf_addc(out, '\n');
        put_line(out, depth + 1, "if val == nil {");
        put_line(out, depth + 2, "(*out)[key] = nil");
        put_line(out, depth + 1, "} else {");
        put_line(out, depth + 2, "inVal := (*in)[key]");
        put_line(out, depth + 2, "in, out := &inVal, &outVal");
        copy_reference(out, depth + 2, e);
        put_line(out, depth + 1, "}");
        put_line(out, depth + 1, "(*out)[key] = outVal");
    } else {
        put_line(out, depth + 1, is_shallow(e) ? "(*out)[key] = val" : "(*out)[key] = *val.DeepCopy()");
    }
    put_line(out, depth, "}");
}

/* `in` and `out` point to the value, which is not nil. */
static void copy_reference(struct buf *out, int depth, const struct copied *c)
{
    put_tabs(out, depth);
    buf_addz(out, c->pointer ? "*out = new(" : "*out = make(");
    put_copied_type(out, c, false);
    buf_addz(out, c->pointer ? ")\n" : ", len(*in))\n");
    if (c->pointer) {
        put_line(out, depth, is_shallow(c) ? "**out = **in" : "(*in).DeepCopyInto(*out)");
        return;
    }
    struct copied e = element_of(c);
    if (go_form(c->shape) == GO_SLICE)
        copy_elements(out, depth, &e);
    else
        copy_values(out, depth, &e);
}

static void copy_field(struct buf *out, struct str name, const struct copied *c)
{
    if (is_reference(c)) {
        go_put(out, "\tif in.$ != nil {\n\t\tin, out := &in.$, &out.$\n", name);
        copy_reference(out, 2, c);
        buf_addz(out, "\t}\n");
    } else {
        go_put(out, is_shallow(c) ? "\tout.$ = in.$\n" : "\tin.$.DeepCopyInto(&out.$)\n", name);
    }
}

/* --- methods --- */

static void begin_methods(struct buf *out, struct str name)
{
    go_put(out,
           "\n// DeepCopyInto copies all of it into out.\n"
           "func (in *$) DeepCopyInto(out *$) {\n"
           "\t*out = *in\n",
           name);
}

static void end_methods(struct buf *out, struct str name, bool object)
{
    go_put(out,
           "}\n\n// DeepCopy makes a copy of all of it.\n"
           "func (in *$) DeepCopy() *$ {\n"
           "\tif in == nil {\n"
           "\t\treturn nil\n"
           "\t}\n"
           "\tout := new($)\n"
           "\tin.DeepCopyInto(out)\n"
           "\treturn out\n"
           "}\n",
           name);
    if (object)
        go_put(out,
               "\n// DeepCopyObject makes a copy of all of it.\n"
               "func (in *$) DeepCopyObject() runtime.Object {\n"
               "\tif c := in.DeepCopy(); c != nil {\n"
               "\t\treturn c\n"
               "\t}\n"
               "\treturn nil\n"
               "}\n",
               name);
}

static void write_class(struct buf *out, const struct go_kind *k, const struct go_class *c)
{
    begin_methods(out, c->name);
    for (size_t i = 0; i < c->fields.n; i++) {
        const struct go_class *class = c->children[i] ? &k->classes.v[c->children[i] - 1] : NULL;
        struct copied what = {k, c->shapes[i], class, go_is_pointer(c->shapes[i], c->fields.v[i].required)};
        copy_field(out, c->names[i], &what);
    }
    end_methods(out, c->name, false);
}

static void copy_tree(struct buf *out, const struct go_kind *k, enum xp_tree_name tree, const char *field)
{
    bool shallow = k->classes.v[k->roots[tree] - 1].shallow;
    go_put(out, shallow ? "\tout.$ = in.$\n" : "\tin.$.DeepCopyInto(&out.$)\n", str_of(field));
}

static void write_frame(struct buf *out, const struct go_kind *k)
{
    begin_methods(out, k->name);
    buf_addz(out, "\tout.TypeMeta = in.TypeMeta\n"
                  "\tin.ObjectMeta.DeepCopyInto(&out.ObjectMeta)\n"
                  "\tin.Spec.DeepCopyInto(&out.Spec)\n"
                  "\tin.Status.DeepCopyInto(&out.Status)\n");
    end_methods(out, k->name, true);
    begin_methods(out, k->list);
    go_put(out,
           "\tout.TypeMeta = in.TypeMeta\n"
           "\tin.ListMeta.DeepCopyInto(&out.ListMeta)\n"
           "\tif in.Items != nil {\n"
           "\t\tin, out := &in.Items, &out.Items\n"
           "\t\t*out = make([]$, len(*in))\n"
           "\t\tfor i := range *in {\n"
           "\t\t\t(*in)[i].DeepCopyInto(&(*out)[i])\n"
           "\t\t}\n"
           "\t}\n",
           k->name);
    end_methods(out, k->list, true);
    begin_methods(out, k->spec);
    buf_addz(out, k->flavour == FLAVOUR_CLUSTER
                      ? "\tin.ClusterManagedResourceSpec.DeepCopyInto(&out.ClusterManagedResourceSpec)\n"
                      : "\tin.ManagedResourceSpec.DeepCopyInto(&out.ManagedResourceSpec)\n");
    copy_tree(out, k, FOR_PROVIDER, "ForProvider");
    if (k->roots[INIT_PROVIDER])
        copy_tree(out, k, INIT_PROVIDER, "InitProvider");
    end_methods(out, k->spec, false);
    begin_methods(out, k->status);
    buf_addz(out, "\tin.ManagedResourceStatus.DeepCopyInto(&out.ManagedResourceStatus)\n");
    copy_tree(out, k, AT_PROVIDER, "AtProvider");
    end_methods(out, k->status, false);
}

void go_deepcopy_write(struct buf *out, const struct go_kind *k)
{
    write_frame(out, k);
    for (size_t i = 0; i < k->order.n; i++)
        write_class(out, k, &k->classes.v[k->order.v[i] - 1]);
}
