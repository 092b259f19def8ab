/* Private to sigv4*.c: the steps that signing and checking share. */
#pragma once

#include "aws/sigv4.h"

/* The canonical request of exactly these headers. False: past a bound. */
bool sigv4_canonical(struct arena *a, const struct sigv4_request *request, struct str *ret_text, struct str *ret_signed_headers);
/* Date, string to sign and signature; the canonical request is there already. */
void sigv4_finish(struct arena *a, struct str secret, struct str date, const struct sigv4_scope *scope,
                  struct sigv4_signature *s);
