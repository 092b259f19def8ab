#include "emulator/fault.h"

#include "base/buf.h"

static const char *const hook_statuses[] = {"HOOK_COMPLETE_FAILED", "HOOK_FAILED", "HOOK_COMPLETE_SUCCEEDED"};
enum { N_HOOK_STATUSES = sizeof hook_statuses / sizeof hook_statuses[0] };

static bool wrong(struct diags *diags, struct str text, struct str why)
{
    return diags_fail(diags, "Wrong fault", "\"" STR_FMT "\": " STR_FMT, STR_ARG(text), STR_ARG(why));
}

/* TYPE[/OPERATION] */
static bool read_target(struct str text, struct str target, struct emulator_fault *ret, struct diags *diags)
{
    struct str operation = target;
    ret->type = str_cut(&operation, '/');
    bool any = ret->type.n == target.n; /* without / */
    ret->operation = any ? EMULATOR_OP_UNKNOWN : emulator_operation_named(operation);
    size_t star = str_find(ret->type, '*', 0);
    if (ret->type.n == 0)
        return wrong(diags, text, STR("the type is missing, as in AWS::Logs::*=Throttling."));
    if (star != SIZE_MAX && star + 1 != ret->type.n)
        return wrong(diags, text, STR("a * is allowed only at the end of the type."));
    if (!any && ret->operation == EMULATOR_OP_UNKNOWN)
        return wrong(diags, text, STR("the operation must be CREATE, UPDATE or DELETE."));
    return true;
}

static bool is_error_code(struct str name)
{
    for (size_t i = 0; emulator_error_code(i); i++)
        if (str_eqz(name, emulator_error_code(i)))
            return true;
    return false;
}

static bool wrong_code(struct diags *diags, struct str text)
{
    struct buf codes BUF_AUTO = BUF_INIT(1 << 12);
    for (size_t i = 0; emulator_error_code(i); i++)
        buf_printf(&codes, "%s%s", i > 0 ? ", " : "the error code must be one of ", emulator_error_code(i));
    buf_addc(&codes, '.');
    return wrong(diags, text, buf_str(&codes));
}

bool emulator_fault_parse(struct str text, struct emulator_fault *ret, struct diags *diags)
{
    struct emulator_fault f = {.what = text};
    struct str target = str_cut(&f.what, '=');
    if (!read_target(text, target, &f, diags))
        return false;
    if (!is_error_code(f.what))
        return wrong_code(diags, text);
    *ret = f;
    return true;
}

static bool is_hook_status(struct str name)
{
    for (int i = 0; i < N_HOOK_STATUSES; i++)
        if (str_eqz(name, hook_statuses[i]))
            return true;
    return false;
}

bool emulator_fault_parse_hook(struct str text, struct emulator_fault *ret, struct diags *diags)
{
    struct str rest = text;
    struct emulator_fault f = {0};
    struct str target = str_cut(&rest, '=');
    if (!read_target(text, target, &f, diags))
        return false;
    f.warns = str_ends(rest, STR("/WARN"));
    f.what = f.warns ? str_slice(rest, 0, rest.n - 5) : rest;
    if (!is_hook_status(f.what))
        return wrong(diags, text,
                     STR("the hook status must be HOOK_COMPLETE_FAILED, HOOK_FAILED or HOOK_COMPLETE_SUCCEEDED, optionally "
                         "followed by /WARN."));
    *ret = f;
    return true;
}

static bool means_type(const struct emulator_fault *f, struct str type)
{
    bool any = str_ends(f->type, STR("*"));
    return any ? str_starts(type, str_slice(f->type, 0, f->type.n - 1)) : str_eq(type, f->type);
}

bool emulator_fault_is_of(const struct emulator_fault *fault, const struct cfn_pack *pack)
{
    for (size_t i = 0; i < cfn_pack_size(pack); i++) {
        struct cfn_pack_entry entry;
        cfn_pack_entry(pack, i, &entry);
        if (means_type(fault, entry.cf_type))
            return true;
    }
    return false;
}

const struct emulator_fault *emulator_fault_of(const struct emulator_fault *v, size_t n, struct str type,
                                               enum emulator_operation operation)
{
    for (size_t i = 0; i < n; i++)
        if (means_type(&v[i], type) && (v[i].operation == EMULATOR_OP_UNKNOWN || v[i].operation == operation))
            return &v[i];
    return NULL;
}
