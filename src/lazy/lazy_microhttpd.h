/* The libmicrohttpd functions that Terrane calls; calling one that is not listed here does not compile. Contract: lazy.h. */
#pragma once

#include "lazy/lazy.h"

#include <microhttpd.h>

#define LAZY_MICROHTTPD(F)                                                                                                       \
    F(MHD, start_daemon)                                                                                                         \
    F(MHD, stop_daemon)                                                                                                          \
    F(MHD, quiesce_daemon)                                                                                                       \
    F(MHD, get_daemon_info)                                                                                                      \
    F(MHD, create_response_from_buffer)                                                                                          \
    F(MHD, create_response_from_callback)                                                                                        \
    F(MHD, add_response_header)                                                                                                  \
    F(MHD, queue_response)                                                                                                       \
    F(MHD, destroy_response)                                                                                                     \
    F(MHD, get_connection_values)                                                                                                \
    F(MHD, lookup_connection_value)                                                                                              \
    F(MHD, get_connection_info)                                                                                                  \
    F(MHD, set_connection_option)

struct lazy_microhttpd {
    LAZY_MICROHTTPD(LAZY_MEMBER)
};

const struct lazy_microhttpd *lazy_microhttpd(struct diags *diags);
