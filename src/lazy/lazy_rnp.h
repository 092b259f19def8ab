/* The librnp functions that Terrane calls; calling one that is not listed here does not compile. Contract: lazy.h. */
#pragma once

#include "lazy/lazy.h"

#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#define LAZY_RNP(F)                                                                                                              \
    F(rnp, ffi_create)                                                                                                           \
    F(rnp, ffi_destroy)                                                                                                          \
    F(rnp, import_keys)                                                                                                          \
    F(rnp, input_from_memory)                                                                                                    \
    F(rnp, input_destroy)                                                                                                        \
    F(rnp, buffer_destroy)                                                                                                       \
    F(rnp, locate_key)                                                                                                           \
    F(rnp, key_handle_destroy)                                                                                                   \
    F(rnp, key_is_revoked)                                                                                                       \
    F(rnp, key_get_primary_fprint)                                                                                               \
    F(rnp, op_verify_detached_create)                                                                                            \
    F(rnp, op_verify_execute)                                                                                                    \
    F(rnp, op_verify_get_signature_count)                                                                                        \
    F(rnp, op_verify_get_signature_at)                                                                                           \
    F(rnp, op_verify_signature_get_status)                                                                                       \
    F(rnp, op_verify_signature_get_handle)                                                                                       \
    F(rnp, op_verify_destroy)                                                                                                    \
    F(rnp, signature_get_keyid)                                                                                                  \
    F(rnp, signature_handle_destroy)

struct lazy_rnp {
    LAZY_RNP(LAZY_MEMBER)
};

const struct lazy_rnp *lazy_rnp(struct diags *diags);
