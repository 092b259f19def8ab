/* Reading and writing hexadecimal digits. */
#pragma once

#include "base/arena.h"

/* The value of a digit, in upper or lower case; -1 when `c` is not a hexadecimal digit. */
static inline int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads exactly n digits at p (n at most 8); false when one of them is not a digit, which includes the NUL of a shorter text. */
static inline bool hex_number(const char *p, size_t n, uint32_t *ret)
{
    uint32_t value = 0;
    for (size_t i = 0; i < n; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *ret = value;
    return true;
}

/* Two lower-case digits for each byte, followed by a NUL. */
static inline struct str hex_of(struct arena *a, const void *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *p = bytes;
    char *text = arena_alloc(a, 2 * n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[p[i] >> 4];
        text[2 * i + 1] = digits[p[i] & 15];
    }
    text[2 * n] = '\0';
    return (struct str){text, 2 * n};
}
