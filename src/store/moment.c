/* The inputs of the rules: time and randomness. */
#include "store/rules.h"

#include <sodium.h>
#include <stdio.h>

enum { UID_BYTES = 16, UID_TEXT = 37, TIME_TEXT = 20, SUFFIX = 5 };

static struct str new_uid(struct arena *a)
{
    unsigned char b[UID_BYTES];
    char hex[2 * UID_BYTES + 1], text[UID_TEXT];
    randombytes_buf(b, sizeof b);
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40); /* version 4, variant of RFC 4122 */
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    (void)sodium_bin2hex(hex, sizeof hex, b, sizeof b);
    (void)snprintf(text, UID_TEXT, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    return arena_str(a, str_of(text));
}

struct str rules_time(struct arena *a, const struct clock *clock)
{
    char text[CLOCK_TEXT];
    clock_format(clock->wall_ns(clock), text);
    return arena_printf(a, "%.*sZ", TIME_TEXT - 1, text); /* in seconds, as in metadata */
}

static struct str random_suffix(struct arena *a)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789"; /* as in Kubernetes: no vowels, so no words */
    char text[SUFFIX];
    for (size_t i = 0; i < SUFFIX; i++)
        text[i] = letters[randombytes_uniform(sizeof letters - 1)];
    return arena_str(a, (struct str){text, SUFFIX});
}

struct rules_moment rules_now(struct arena *a, const struct clock *clock)
{
    return (struct rules_moment){new_uid(a), rules_time(a, clock), random_suffix(a)};
}
