#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(struct buf *out, struct str bytes)
{
    const unsigned char *p = (const unsigned char *)bytes.p;
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t left = bytes.n - i;
        uint32_t group = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
        char four[4] = {alphabet[group >> 18], alphabet[group >> 12 & 63], alphabet[group >> 6 & 63], alphabet[group & 63]};
        if (left < 3)
            four[3] = '=';
        if (left < 2)
            four[2] = '=';
        buf_add(out, (struct str){four, 4});
    }
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_read(struct arena *a, struct str text, struct str *ret)
{
    char *out = arena_alloc(a, text.n / 4 * 3 + 4, 1);
    size_t n = 0, digits = 0, padding = 0;
    uint32_t group = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n' || c == '\r')
            continue;
        int digit = c == '=' ? 0 : digit_of(c);
        padding += c == '=';
        /* Padding ends the text and replaces at most two of the last four digits. */
        if (digit < 0 || (padding > 0 && c != '=') || padding > 2 || (c == '=' && digits % 4 < 2))
            return false;
        group = group << 6 | (uint32_t)digit;
        if (++digits % 4 == 0) {
            out[n++] = (char)(group >> 16);
            out[n++] = (char)(group >> 8);
            out[n++] = (char)group;
            group = 0;
        }
    }
    if (digits % 4 != 0)
        return false;
    n -= padding;
    for (size_t i = 0; i < padding; i++)
        if (out[n + i] != 0)
            return false; /* Go accepts this, but no known program writes such text */
    out[n] = '\0';
    *ret = (struct str){out, n};
    return true;
}
