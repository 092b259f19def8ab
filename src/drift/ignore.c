#include "drift/ignore.h"

#include "base/ascii.h"
#include "base/buf.h"

#include <inttypes.h>

enum { DRIFTIGNORE_DOT = '\x1f', MAX_SUBJECT = 1 << 20, MAX_LINE = 4096 };

/* Replaces separating dots by another character; escaped characters stay as they are. */
static struct str pattern_of(struct arena *a, struct str line)
{
    char *out = arena_make_n(a, char, line.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '\\' && i + 1 < line.n)
            out[n++] = line.p[++i];
        else if (line.p[i] == '.')
            out[n++] = DRIFTIGNORE_DOT;
        else if (line.p[i] != '*' || n == 0 || out[n - 1] != '*')
            out[n++] = line.p[i];
    }
    return (struct str){out, n};
}

void driftignore_read(struct driftignore *d, struct arena *a, struct str text, const char *source, struct diags *diags)
{
    for (uint32_t number = 1; text.n > 0; number++) {
        struct str line = str_trim(str_cut(&text, '\n'));
        if (line.n == 0 || line.p[0] == '#')
            continue;
        bool keep = line.p[0] == '!';
        struct str rest = keep ? str_slice(line, 1, line.n) : line;
        if (rest.n == 0 || rest.n > MAX_LINE || rest.p[0] == '.') {
            diags_warn(diags, "Line without effect",
                       "%s:%" PRIu32 " is not a pattern; expected TYPE.ID or TYPE.ID.ATTRIBUTE, as aws_instance.*", source,
                       number);
            continue;
        }
        *VEC_PUSH(a, &d->rules) = (struct driftignore_rule){.pattern = pattern_of(a, rest), .keep = keep};
    }
}

struct subject {
    struct str text;
    size_t attribute; /* where the attribute's path begins: case is ignored from there on */
};

static bool same(const struct subject *s, size_t at, char c)
{
    char have = s->text.p[at];
    return have == c || (at >= s->attribute && to_lower(have) == to_lower(c));
}

/* Does the pattern match the subject, or a prefix of it that ends at a separator? */
static bool matches(struct str pattern, const struct subject *s)
{
    size_t p = 0, at = 0, star = SIZE_MAX, from = 0;
    for (;;) {
        if (p == pattern.n && (at == s->text.n || s->text.p[at] == DRIFTIGNORE_DOT))
            return true;
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            from = at;
        } else if (p < pattern.n && at < s->text.n && same(s, at, pattern.p[p])) {
            p++;
            at++;
        } else if (star != SIZE_MAX && from < s->text.n) {
            p = star + 1;
            at = ++from;
        } else {
            return false;
        }
    }
}

static bool is_ignored(const struct driftignore *d, const struct subject *s)
{
    for (size_t i = d->rules.n; i-- > 0;)
        if (matches(d->rules.v[i].pattern, s))
            return !d->rules.v[i].keep;
    return false;
}

bool driftignore_object(const struct driftignore *d, struct arena *scratch, struct str type, struct str id)
{
    if (d->rules.n == 0)
        return false;
    struct str text = arena_printf(scratch, STR_FMT "%c" STR_FMT, STR_ARG(type), DRIFTIGNORE_DOT, STR_ARG(id));
    return is_ignored(d, &(struct subject){text, text.n});
}

bool driftignore_attribute(const struct driftignore *d, struct arena *scratch, struct str type, struct str id, struct path path)
{
    if (d->rules.n == 0)
        return false;
    struct buf out BUF_AUTO = BUF_INIT(MAX_SUBJECT);
    buf_printf(&out, STR_FMT "%c" STR_FMT, STR_ARG(type), DRIFTIGNORE_DOT, STR_ARG(id));
    size_t n = out.n;
    for (size_t i = 0; i < path.n; i++) {
        const struct path_step *step = &path.steps[i];
        buf_addc(&out, DRIFTIGNORE_DOT);
        if (step->kind == PATH_INDEX)
            buf_printf(&out, "%" PRId64, step->index);
        else
            buf_add(&out, step->name);
    }
    return is_ignored(d, &(struct subject){buf_copy(&out, scratch), n});
}
