#include "admission/admission.h"

struct admission_place admission_place(const struct json *document, const struct diag *diag)
{
    struct json_found found = json_find(document, diag->path);
    bool whole = found.steps == diag->path.n;
    /* For a missing value, the place of the name of what should contain it. */
    if (whole && diag->where != DIAG_AT_NAME)
        return (struct admission_place){found.value->line, found.value->column};
    return (struct admission_place){found.line, found.column};
}

struct str admission_place_text(struct arena *a, const char *file, const struct json *document, const struct diag *diag)
{
    struct admission_place at = admission_place(document, diag);
    return at.line > 0 ? arena_printf(a, "%s:%u:%u", file, at.line, at.column) : arena_str(a, str_of(file));
}
