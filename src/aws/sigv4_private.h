/* Private to sigv4*.c: the steps that signing and verification share. */
#pragma once

#include "aws/sigv4.h"

/* The canonical request, with exactly these headers. False if a limit is exceeded. */
bool sigv4_canonical(struct arena *a, const struct sigv4_request *request, struct str *ret_text, struct str *ret_signed_headers);
/* Computes date, string to sign and signature from s->canonical_request. */
void sigv4_finish(struct arena *a, struct str secret, struct str date, const struct sigv4_scope *scope,
                  struct sigv4_signature *s);
