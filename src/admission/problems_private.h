/*
 * What is wrong with an object, gathered while it is walked and told in the end: an alternative that failed may be taken back,
 * and what is not worth reading any more is only counted.
 */
#pragma once

#include "base/json.h"

enum { PROBLEMS_MAX = 100 };

/* Where the walk is: frames on the stack, made a path when there is something to tell. */
struct at {
    const struct at *up; /* NULL: this is the object itself, and has no step */
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
    PROBLEM_BLOCKING, /* an error after which rules (cel.h) are not asked: what they rely on does not hold */
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
    size_t errors, blocking, untold; /* counted whether told or not; `untold`: more than PROBLEMS_MAX */
};

/* "PATH DETAIL": the detail is what follows the name of the field in a sentence. */
void problem_add(struct problems *p, enum problem_kind kind, const struct at *at, enum diag_where where, const char *summary,
                 const char *detail, ...) __attribute__((format(printf, 6, 7)));
/* At `more` below that place. */
void problem_add_below(struct problems *p, enum problem_kind kind, const struct at *at, struct path more, const char *summary,
                       struct str detail);

/* Is another one worth its words? */
static inline bool problems_full(const struct problems *p)
{
    return p->n >= PROBLEMS_MAX;
}

/* Back to what it was. `mark` is a copy made then. */
static inline void problems_back(struct problems *p, const struct problems *mark)
{
    p->n = mark->n;
    p->errors = mark->errors;
    p->blocking = mark->blocking;
    p->untold = mark->untold;
}

/* All of them as diagnostics; true when none is an error. */
bool problems_tell(const struct problems *p, struct diags *diags);
