/*
 * Problems of an object, collected during the walk and reported at the end: those of a failed alternative can be taken back, and
 * those beyond a limit are only counted.
 */
#pragma once

#include "base/json.h"

enum { PROBLEMS_MAX = 100 };

/* The current place of the walk: frames on the stack, turned into a path only for a problem. */
struct at {
    const struct at *up; /* NULL: the object itself; `step` is unused */
    struct path_step step;
};

static inline struct at at_name(const struct at *up, struct str name)
{
    return (struct at){up, {.kind = PATH_ATTR, .name = name}};
}
static inline struct at at_key(const struct at *up, struct str key)
{
    return (struct at){up, {.kind = PATH_KEY, .name = key}};
}
static inline struct at at_index(const struct at *up, size_t index)
{
    return (struct at){up, {.kind = PATH_INDEX, .index = (int64_t)index}};
}

enum problem_kind {
    PROBLEM_ERROR,
    PROBLEM_BLOCKING, /* an error after which rules (cel.h) are not evaluated, because they rely on what it violates */
    PROBLEM_WARNING,
};

struct problem {
    enum problem_kind kind;
    struct diag diag;
};

struct problems {
    struct arena *arena;
    struct problem *v;
    size_t n, cap;
    size_t errors, blocking, untold; /* counts of all problems, kept or not; `untold`: those beyond PROBLEMS_MAX */
};

/* Adds "PATH DETAIL": the detail continues a sentence that begins with the field's name. */
void problem_add(struct problems *p, enum problem_kind kind, const struct at *at, enum diag_where where, const char *summary,
                 const char *detail, ...) __attribute__((format(printf, 6, 7)));
/* The same at the path `more` below that place. */
void problem_add_below(struct problems *p, enum problem_kind kind, const struct at *at, struct path more, const char *summary,
                       struct str detail);

/* Will another problem only be counted? */
static inline bool problems_full(const struct problems *p)
{
    return p->n >= PROBLEMS_MAX;
}

/* Rolls back to `mark`, an earlier copy. */
static inline void problems_back(struct problems *p, const struct problems *mark)
{
    p->n = mark->n;
    p->errors = mark->errors;
    p->blocking = mark->blocking;
    p->untold = mark->untold;
}

/* Reports all problems as diagnostics; true when none is an error. */
bool problems_tell(const struct problems *p, struct diags *diags);
