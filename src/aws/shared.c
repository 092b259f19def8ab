#include "aws/shared.h"

#include "base/file.h"
#include "http/client.h"

struct parsing {
    struct aws_shared *shared;
    struct diags *diags;
    const char *file;
    bool credentials;
    size_t line;
    struct aws_section *section; /* the current section; NULL: an ignored one, or none yet */
    bool in_section;
    struct str key;  /* the last key at the start of a line */
    bool has_nested; /* its value was empty: indented lines are nested keys */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Strips " # ..." and " ; ...". */
static struct str without_comment(struct str text)
{
    for (size_t i = 1; i < text.n; i++)
        if ((text.p[i] == '#' || text.p[i] == ';') && is_blank(text.p[i - 1]))
            return str_trim(str_slice(text, 0, i));
    return text;
}

static struct str without_quotes(struct str text)
{
    if (text.n >= 2 && (text.p[0] == '"' || text.p[0] == '\'') && text.p[text.n - 1] == text.p[0])
        return str_slice(text, 1, text.n - 1);
    return text;
}

static bool fail(const struct parsing *p, const char *what)
{
    return diags_fail(
        p->diags, "Invalid AWS configuration file",
        "%s:%zu: %s. Expected sections such as [profile NAME] (in a credentials file [NAME]) and lines such as key = value.",
        p->file, p->line, what);
}

/* Parses a section's title. False if we ignore such sections. */
static bool read_title(const struct parsing *p, struct str title, enum aws_section_kind *ret_kind, struct str *ret_name)
{
    static const struct {
        const char *word;
        enum aws_section_kind kind;
    } kinds[] = {{"profile", AWS_SECTION_PROFILE}, {"sso-session", AWS_SECTION_SSO_SESSION}, {"services", AWS_SECTION_SERVICES}};
    size_t n = 0;
    while (n < title.n && !is_blank(title.p[n]))
        n++;
    struct str rest = str_trim(str_slice(title, n, title.n));
    *ret_kind = AWS_SECTION_PROFILE;
    *ret_name = without_quotes(title);
    if (p->credentials || str_eqz(title, "default"))
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (rest.n > 0 && str_eqz(str_slice(title, 0, n), kinds[i].word)) {
            *ret_kind = kinds[i].kind;
            *ret_name = without_quotes(rest);
            return true;
        }
    return false;
}

static bool open_section(struct parsing *p, struct str line)
{
    line = without_comment(line);
    if (!str_ends(line, STR("]")))
        return fail(p, "a section without ]");
    enum aws_section_kind kind;
    struct str name;
    p->in_section = true;
    p->section = NULL;
    p->key = STR_EMPTY;
    if (!read_title(p, str_trim(str_slice(line, 1, line.n - 1)), &kind, &name))
        return true;
    struct aws_shared *shared = p->shared;
    for (size_t i = 0; i < shared->sections.n; i++) {
        struct aws_section *s = &shared->sections.v[i];
        if (s->kind == kind && s->credentials == p->credentials && str_eq(s->name, name))
            p->section = s;
    }
    if (!p->section) {
        p->section = VEC_PUSH(shared->arena, &shared->sections);
        p->section->kind = kind;
        p->section->name = arena_str(shared->arena, name);
        p->section->credentials = p->credentials;
        p->section->file = arena_str(shared->arena, str_of(p->file)).p;
    }
    return true;
}

static void put(struct parsing *p, struct str key, struct str value)
{
    if (!p->section)
        return;
    struct arena *a = p->shared->arena;
    for (size_t i = 0; i < p->section->entries.n; i++)
        if (str_eq(p->section->entries.v[i].key, key)) {
            p->section->entries.v[i].value = arena_str(a, value);
            return;
        }
    *VEC_PUSH(a, &p->section->entries) = (struct aws_shared_entry){arena_str(a, key), arena_str(a, value)};
}

static bool read_key(struct parsing *p, struct str line)
{
    struct str value = line;
    struct str key = str_trim(str_cut(&value, '='));
    if (str_find(line, '=', 0) == SIZE_MAX || key.n == 0)
        return fail(p, "neither a section nor a key with a value");
    if (!p->in_section)
        return fail(p, "a key before the first section");
    value = without_comment(str_trim(value));
    p->key = arena_lower(p->shared->arena, key);
    p->has_nested = value.n == 0;
    put(p, p->key, value);
    return true;
}

static bool read_indented(struct parsing *p, struct str line)
{
    struct arena *a = p->shared->arena;
    if (p->key.n == 0)
        return read_key(p, line); /* a section whose keys are all indented */
    if (!p->has_nested) {
        struct str so_far = aws_section_get(p->section, p->key.p);
        put(p, p->key, arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(so_far), STR_ARG(line)));
        return true;
    }
    struct str value = line;
    struct str key = str_trim(str_cut(&value, '='));
    if (str_find(line, '=', 0) == SIZE_MAX || key.n == 0)
        return fail(p, "an indented line below a key without a value must be a key with a value");
    put(p, arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(p->key), STR_ARG(arena_lower(a, key))), without_comment(str_trim(value)));
    return true;
}

static bool read_line(struct parsing *p, struct str line)
{
    struct str text = str_trim(line);
    if (text.n == 0 || text.p[0] == '#' || text.p[0] == ';')
        return true;
    if (text.p[0] == '[')
        return open_section(p, text);
    return is_blank(line.p[0]) ? read_indented(p, text) : read_key(p, text);
}

bool aws_shared_parse(struct aws_shared *shared, struct str text, const char *file, bool credentials, struct diags *diags)
{
    struct parsing p = {.shared = shared, .diags = diags, .file = file, .credentials = credentials};
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_slice(text, 3, text.n);
    while (text.n > 0) {
        p.line++;
        if (!read_line(&p, str_cut(&text, '\n')))
            return false;
    }
    return true;
}

bool aws_shared_read(struct aws_shared *shared, const char *file, bool credentials, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str text;
    if (!file_exists(file))
        return true;
    if (!file_read(scratch, file, AWS_SHARED_MAX_FILE, diags, &text))
        return false;
    bool ok = aws_shared_parse(shared, text, file, credentials, diags);
    str_wipe(text);
    return ok;
}

void aws_shared_wipe(struct aws_shared *shared)
{
    for (size_t i = 0; i < shared->sections.n; i++)
        for (size_t k = 0; k < shared->sections.v[i].entries.n; k++)
            str_wipe(shared->sections.v[i].entries.v[k].value);
}

const struct aws_section *aws_shared_find(const struct aws_shared *shared, enum aws_section_kind kind, struct str name,
                                          bool credentials)
{
    for (size_t i = 0; i < shared->sections.n; i++) {
        const struct aws_section *s = &shared->sections.v[i];
        if (s->kind == kind && s->credentials == credentials && str_eq(s->name, name))
            return s;
    }
    return NULL;
}

bool aws_shared_has_profile(const struct aws_shared *shared, struct str name)
{
    return aws_shared_find(shared, AWS_SECTION_PROFILE, name, true) || aws_shared_find(shared, AWS_SECTION_PROFILE, name, false);
}

struct str aws_section_get(const struct aws_section *section, const char *key)
{
    for (size_t i = 0; section && i < section->entries.n; i++)
        if (str_eqz(section->entries.v[i].key, key))
            return section->entries.v[i].value;
    return STR_EMPTY;
}

struct str aws_profile_get(const struct aws_shared *shared, struct str profile, const char *key)
{
    struct str value = aws_section_get(aws_shared_find(shared, AWS_SECTION_PROFILE, profile, true), key);
    return value.n > 0 ? value : aws_section_get(aws_shared_find(shared, AWS_SECTION_PROFILE, profile, false), key);
}
