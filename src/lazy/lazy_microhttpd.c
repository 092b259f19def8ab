#include "lazy/lazy.h"

#include <microhttpd.h>
#include <stdarg.h>

#define F(type, name, parameters, arguments) LAZY_FUNCTION("libmicrohttpd.so.12", type, name, parameters, arguments)

F(void, MHD_stop_daemon, (struct MHD_Daemon * d), (d))
F(struct MHD_Response *, MHD_create_response_from_buffer, (size_t n, void *bytes, enum MHD_ResponseMemoryMode mode),
  (n, bytes, mode))
F(enum MHD_Result, MHD_add_response_header, (struct MHD_Response * r, const char *name, const char *content), (r, name, content))
F(enum MHD_Result, MHD_queue_response, (struct MHD_Connection * c, unsigned status, struct MHD_Response *r), (c, status, r))
F(void, MHD_destroy_response, (struct MHD_Response * r), (r))
F(int, MHD_get_connection_values, (struct MHD_Connection * c, enum MHD_ValueKind kind, MHD_KeyValueIterator each, void *ctx),
  (c, kind, each, ctx))
F(const char *, MHD_lookup_connection_value, (struct MHD_Connection * c, enum MHD_ValueKind kind, const char *key),
  (c, kind, key))

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accept_ctx,
                                    MHD_AccessHandlerCallback handle, void *ctx, ...)
{
    LAZY_FIND("libmicrohttpd.so.12", MHD_start_daemon_va, f)
    va_list options;
    va_start(options, ctx);
    struct MHD_Daemon *daemon = f(flags, port, accept, accept_ctx, handle, ctx, options);
    va_end(options);
    return daemon;
}

/* What it may be asked for needs no further argument. */
const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *d, enum MHD_DaemonInfoType type, ...)
{
    LAZY_FIND("libmicrohttpd.so.12", MHD_get_daemon_info, f)
    return f(d, type);
}
