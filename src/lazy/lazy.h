/*
 * Libraries that are loaded when they are first called, not when the program starts. libcurl, libarchive and libmicrohttpd bring
 * some thirty others with them; binding all of those would be half of a provider's start and of its memory, and most runs call
 * none of them.
 *
 *     LAZY_FUNCTION("libcurl.so.4", CURL *, curl_easy_init, (void), ())
 *
 * defines the function as one that loads the library, finds its namesake there, and calls it. Callers include the library's
 * header and notice nothing. Types are the compiler's to check: the definition must agree with the header. A library that is not
 * there ends the program with its name, as the system's loader would.
 */
#pragma once

#include <stdatomic.h>

void *lazy_find(const char *library, const char *function);

/* In `f` the function, found once; two threads may both find it. */
#define LAZY_FIND(library, name, f)                                                                                              \
    static _Atomic(__typeof__(&(name))) found;                                                                                   \
    __typeof__(&(name)) f = atomic_load_explicit(&found, memory_order_acquire);                                                  \
    if (!f) {                                                                                                                    \
        f = (__typeof__(&(name)))lazy_find(library, #name);                                                                      \
        atomic_store_explicit(&found, f, memory_order_release);                                                                  \
    }

#define LAZY_FUNCTION(library, type, name, parameters, arguments)                                                                \
    type name parameters                                                                                                         \
    {                                                                                                                            \
        LAZY_FIND(library, name, f)                                                                                              \
        return f arguments;                                                                                                      \
    }
