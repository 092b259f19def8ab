/* The libcurl functions that Terrane calls; calling one that is not listed here does not compile. Contract: lazy.h. */
#pragma once

#include "lazy/lazy.h"

#include <curl/curl.h>

#define LAZY_CURL(F)                                                                                                             \
    F(curl, global_init)                                                                                                         \
    F(curl, global_cleanup)                                                                                                      \
    F(curl, free)                                                                                                                \
    F(curl, easy_init)                                                                                                           \
    F(curl, easy_perform)                                                                                                        \
    F(curl, easy_cleanup)                                                                                                        \
    F(curl, easy_strerror)                                                                                                       \
    F(curl, slist_append)                                                                                                        \
    F(curl, slist_free_all)                                                                                                      \
    F(curl, multi_init)                                                                                                          \
    F(curl, multi_cleanup)                                                                                                       \
    F(curl, multi_add_handle)                                                                                                    \
    F(curl, multi_remove_handle)                                                                                                 \
    F(curl, multi_info_read)                                                                                                     \
    F(curl, multi_socket_action)                                                                                                 \
    F(curl, multi_assign)                                                                                                        \
    F(curl, url)                                                                                                                 \
    F(curl, url_cleanup)                                                                                                         \
    F(curl, url_get)                                                                                                             \
    F(curl, url_set)                                                                                                             \
    F(curl, easy_setopt)                                                                                                         \
    F(curl, easy_getinfo)                                                                                                        \
    F(curl, multi_setopt)

struct lazy_curl {
    LAZY_CURL(LAZY_MEMBER)
};

/*
 * libcurl checks the type of an option's value in a macro around its function, which does not work for a function pointer. This
 * macro finds the mistake that matters: numeric options take a long (or curl_off_t), all others a pointer.
 */
#define CURL_SET(curl, easy, option, value)                                                                                      \
    do {                                                                                                                         \
        _Static_assert(CURL_TAKES_NUMBER(option) == _Generic((value), long: 1, int: 2, unsigned: 2, bool: 2, default: 0),        \
                       "the type of the option's value");                                                                        \
        (void)(curl)->easy_setopt((easy), (option), (value));                                                                    \
    } while (0)
#define CURL_TAKES_NUMBER(option)                                                                                                \
    ((option) < CURLOPTTYPE_OBJECTPOINT || ((option) >= CURLOPTTYPE_OFF_T && (option) < CURLOPTTYPE_BLOB))

const struct lazy_curl *lazy_curl(struct diags *diags);
