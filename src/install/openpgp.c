/*
 * Each verification has its own keyring in memory: the user's keys are not used, and nothing is kept. librnp checks the
 * signature, the signatures that bind subkeys, and whether the key was valid when it signed; whether it has been revoked since is
 * checked here.
 */
#include "install/openpgp.h"

#include "lazy/lazy_rnp.h"
#include "lazy/quiet.h"

struct verify {
    const struct lazy_rnp *lib;
    struct arena *arena;
    rnp_ffi_t ffi;
    struct str why;
};

static bool fail(struct verify *v, struct str why)
{
    v->why = why;
    return false;
}

static bool import(struct verify *v, struct str armor)
{
    rnp_input_t input = NULL;
    char *report = NULL;
    bool ok = v->lib->input_from_memory(&input, (const uint8_t *)armor.p, armor.n, false) == RNP_SUCCESS &&
              v->lib->import_keys(v->ffi, input, RNP_LOAD_SAVE_PUBLIC_KEYS, &report) == RNP_SUCCESS;
    v->lib->buffer_destroy(report);
    (void)v->lib->input_destroy(input);
    return ok;
}

static bool import_all(struct verify *v, const struct str *keys, size_t n)
{
    size_t good = 0;
    for (size_t i = 0; i < n; i++)
        good += import(v, keys[i]);
    return good > 0 ||
           fail(v, n == 0 ? STR("the registry lists no signing key") : STR("the registry's signing keys cannot be read"));
}

/* Is the key, or the primary key that it belongs to, revoked? */
static bool is_revoked(struct verify *v, const char *type, const char *id)
{
    rnp_key_handle_t key = NULL;
    bool revoked = true;
    char *primary = NULL;
    if (v->lib->locate_key(v->ffi, type, id, &key) != RNP_SUCCESS || !key)
        return true;
    if (v->lib->key_is_revoked(key, &revoked) != RNP_SUCCESS)
        revoked = true;
    /* Fails for a primary key, which has no other one. */
    if (!revoked && v->lib->key_get_primary_fprint(key, &primary) == RNP_SUCCESS && primary) {
        rnp_key_handle_t owner = NULL;
        if (v->lib->locate_key(v->ffi, "fingerprint", primary, &owner) != RNP_SUCCESS || !owner ||
            v->lib->key_is_revoked(owner, &revoked) != RNP_SUCCESS)
            revoked = true;
        (void)v->lib->key_handle_destroy(owner);
    }
    v->lib->buffer_destroy(primary);
    (void)v->lib->key_handle_destroy(key);
    return revoked;
}

static struct str key_id(struct verify *v, rnp_op_verify_signature_t signature)
{
    rnp_signature_handle_t handle = NULL;
    char *text = NULL;
    struct str id = STR_EMPTY;
    if (v->lib->op_verify_signature_get_handle(signature, &handle) == RNP_SUCCESS &&
        v->lib->signature_get_keyid(handle, &text) == RNP_SUCCESS && text)
        id = arena_str(v->arena, str_of(text));
    v->lib->buffer_destroy(text);
    (void)v->lib->signature_handle_destroy(handle);
    return id;
}

/*
 * For a revoked key librnp only says that the signature is not valid, and accepts it if it was made before the revocation. So
 * revocation is checked first.
 */
static bool judge(struct verify *v, rnp_op_verify_signature_t signature, struct str *ret_key)
{
    struct str id = key_id(v, signature);
    rnp_result_t status = v->lib->op_verify_signature_get_status(signature);
    if (status == RNP_ERROR_KEY_NOT_FOUND)
        return fail(
            v, arena_printf(v->arena, "it was made with the key " STR_FMT ", which the registry does not name", STR_ARG(id)));
    if (id.n == 0 || is_revoked(v, "keyid", id.p))
        return fail(v, arena_printf(v->arena, "the key " STR_FMT " that it was made with is revoked", STR_ARG(id)));
    if (status == RNP_ERROR_SIGNATURE_EXPIRED)
        return fail(v, STR("it has expired"));
    if (status != RNP_SUCCESS)
        return fail(v, arena_printf(v->arena,
                                    "it does not match the checksums, or the key " STR_FMT " was not valid when it was made",
                                    STR_ARG(id)));
    *ret_key = id;
    return true;
}

static bool judge_all(struct verify *v, rnp_op_verify_t op, struct str *ret_key)
{
    size_t n = 0;
    (void)v->lib->op_verify_execute(op); /* its result is for all signatures together */
    if (v->lib->op_verify_get_signature_count(op, &n) != RNP_SUCCESS || n == 0)
        return fail(v, STR("it is not an OpenPGP signature"));
    for (size_t i = 0; i < n; i++) {
        rnp_op_verify_signature_t signature = NULL;
        if (v->lib->op_verify_get_signature_at(op, i, &signature) == RNP_SUCCESS && judge(v, signature, ret_key))
            return true;
    }
    return false;
}

static bool verify(struct verify *v, struct str data, struct str signature, struct str *ret_key)
{
    rnp_input_t in = NULL, sig = NULL;
    rnp_op_verify_t op = NULL;
    v->why = STR("it is not an OpenPGP signature");
    bool ok = signature.n > 0 && v->lib->input_from_memory(&in, (const uint8_t *)data.p, data.n, false) == RNP_SUCCESS &&
              v->lib->input_from_memory(&sig, (const uint8_t *)signature.p, signature.n, false) == RNP_SUCCESS &&
              v->lib->op_verify_detached_create(&op, v->ffi, in, sig) == RNP_SUCCESS && judge_all(v, op, ret_key);
    (void)v->lib->op_verify_destroy(op);
    (void)v->lib->input_destroy(in);
    (void)v->lib->input_destroy(sig);
    return ok;
}

static bool ask(struct verify *v, const struct str *keys, size_t n_keys, struct str data, struct str signature,
                struct diags *diags, struct str *ret_key)
{
    if (v->lib->ffi_create(&v->ffi, "GPG", "GPG") != RNP_SUCCESS)
        return diags_fail(diags, "Cannot check a signature", "librnp cannot be started.");
    bool ok = import_all(v, keys, n_keys < OPENPGP_MAX_KEYS ? n_keys : OPENPGP_MAX_KEYS) && verify(v, data, signature, ret_key);
    (void)v->lib->ffi_destroy(v->ffi);
    return ok;
}

bool openpgp_verify(struct arena *a, const struct str *keys, size_t n_keys, struct str data, struct str signature,
                    struct diags *diags, struct str *ret_key, struct str *reterr_why)
{
    struct verify v = {.lib = lazy_rnp(diags), .arena = a, .why = STR_EMPTY};
    *reterr_why = STR_EMPTY;
    if (!v.lib)
        return false;
    quiet(true); /* librnp prints warnings about keys; `why` has everything that the user needs */
    bool ok = ask(&v, keys, n_keys, data, signature, diags, ret_key);
    quiet(false);
    *reterr_why = v.why;
    return ok;
}
