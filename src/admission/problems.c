#include "admission/problems_private.h"
#include "base/vec.h"

enum { MAX_SHOWN = 512 };

static struct path path_of(struct arena *a, const struct at *at, struct path more)
{
    size_t depth = 0;
    for (const struct at *f = at; f && f->up; f = f->up)
        depth++;
    struct path_step *steps = arena_make_n(a, struct path_step, depth + more.n);
    size_t i = depth;
    for (const struct at *f = at; f && f->up; f = f->up) {
        steps[--i] = f->step;
        steps[i].name = arena_str(a, f->step.name);
    }
    if (more.n > 0)
        memcpy(steps + depth, more.steps, more.n * sizeof *steps);
    return (struct path){steps, depth + more.n};
}

static struct str shown(struct arena *a, struct path path)
{
    struct str text = path.n > 0 ? path_text(a, path) : STR("The object");
    return text.n <= MAX_SHOWN ? text : arena_printf(a, STR_FMT "...", MAX_SHOWN, text.p);
}

static void add(struct problems *p, enum problem_kind kind, enum diag_where where, const char *summary, struct path path,
                struct str detail)
{
    *VEC_PUSH(p->arena, p) = (struct problem){
        kind,
        {.severity = kind == PROBLEM_WARNING ? DIAG_WARNING : DIAG_ERROR,
         .summary = str_of(summary),
         .detail = arena_printf(p->arena, STR_FMT " " STR_FMT, STR_ARG(shown(p->arena, path)), STR_ARG(detail)),
         .path = path,
         .where = where},
    };
}

static bool count(struct problems *p, enum problem_kind kind)
{
    p->errors += kind != PROBLEM_WARNING;
    p->blocking += kind == PROBLEM_BLOCKING;
    bool full = problems_full(p);
    p->untold += full;
    return !full;
}

void problem_add(struct problems *p, enum problem_kind kind, const struct at *at, enum diag_where where, const char *summary,
                 const char *detail, ...)
{
    if (!count(p, kind))
        return;
    va_list args;
    va_start(args, detail);
    struct str text = arena_vprintf(p->arena, detail, args);
    va_end(args);
    add(p, kind, where, summary, path_of(p->arena, at, PATH_ROOT), text);
}

void problem_add_below(struct problems *p, enum problem_kind kind, const struct at *at, struct path more, const char *summary,
                       struct str detail)
{
    if (count(p, kind))
        add(p, kind, DIAG_AT_VALUE, summary, path_of(p->arena, at, more), detail);
}

bool problems_tell(const struct problems *p, struct diags *diags)
{
    for (size_t i = 0; i < p->n; i++)
        diags_add(diags, &p->v[i].diag);
    if (p->untold > 0 && p->errors > 0)
        (void)diags_fail(diags, "More problems", "%zu more problems of this object are not shown. Correct these first.",
                         p->untold);
    else if (p->untold > 0)
        diags_warn(diags, "More problems", "%zu more warnings about this object are not shown.", p->untold);
    return p->errors == 0;
}
