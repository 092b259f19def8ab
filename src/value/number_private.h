/* What number.c and number_text.c share. Private to this folder. */
#pragma once

#include "value/number.h"

#include <mpfr.h>

enum { DOUBLE_BITS = 53 };

/* Never changed after it was created, so threads may share it. */
struct number_big {
    mpfr_t x; /* has a precision of DOUBLE_BITS or NUMBER_BITS; its limbs are stored below */
    mp_limb_t limbs[];
};
