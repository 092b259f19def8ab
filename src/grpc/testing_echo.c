#include "grpc/testing_echo.h"

#include <stdatomic.h>
#include <stdio.h>

struct str testing_message(struct arena *a, size_t n)
{
    char *p = arena_alloc(a, n + 1, 1);
    for (size_t i = 0; i < n; i++)
        p[i] = testing_pattern(i);
    return (struct str){p, n};
}

bool testing_is_pattern(struct str message, size_t n)
{
    if (message.n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (message.p[i] != testing_pattern(i))
            return false;
    return true;
}

static int64_t number(struct str text)
{
    int64_t n = 0;
    (void)str_to_i64(text, &n);
    return n;
}

static void echo(struct grpc_call *call)
{
    struct str message;
    if (grpc_call_recv(call, &message))
        (void)grpc_call_send(call, message);
}

static void large(struct grpc_call *call)
{
    struct str message;
    if (grpc_call_recv(call, &message))
        (void)grpc_call_send(call, testing_message(grpc_call_arena(call), (size_t)number(message)));
}

static void repeat(struct grpc_call *call)
{
    struct str request;
    if (!grpc_call_recv(call, &request))
        return;
    int64_t n = number(str_cut(&request, ' '));
    struct str message = testing_message(grpc_call_arena(call), (size_t)number(request));
    for (int64_t i = 0; i < n; i++)
        if (!grpc_call_send(call, message))
            return;
}

static void collect(struct grpc_call *call)
{
    int64_t n = 0, bytes = 0;
    for (struct str message; grpc_call_recv(call, &message); n++)
        bytes += (int64_t)message.n;
    (void)grpc_call_send(call, arena_printf(grpc_call_arena(call), "%lld %lld", (long long)n, (long long)bytes));
}

static void chat(struct grpc_call *call)
{
    for (struct str message; grpc_call_recv(call, &message);)
        if (!grpc_call_send(call, message))
            return;
}

static void fail_call(struct grpc_call *call)
{
    struct str request;
    if (!grpc_call_recv(call, &request))
        return;
    int64_t code = number(str_cut(&request, ' '));
    grpc_call_finish(call, (enum grpc_status)code, request);
}

void testing_echo(void *ctx, struct grpc_call *call)
{
    static const struct {
        const char *method;
        void (*run)(struct grpc_call *call);
    } methods[] = {
        {"/test.Echo/Unary", echo},          {"/test.Echo/Large", large}, {"/test.Echo/Repeat", repeat},
        {"/test.Echo/Collect", collect},     {"/test.Echo/Chat", chat},   {"/test.Echo/Fail", fail_call},
        {"/test.Echo/Hold", grpc_call_hold},
    };
    bool found = false;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0] && !found; i++) {
        found = str_eqz(grpc_call_method(call), methods[i].method);
        if (found)
            methods[i].run(call);
    }
    if (!found)
        grpc_call_finish(call, GRPC_UNIMPLEMENTED, STR("unknown method"));
    if (ctx && grpc_call_cancelled(call))
        (void)atomic_fetch_add((atomic_int *)ctx, 1);
}

struct str testing_read_file(struct arena *a, const char *path)
{
    enum { FILE_MAX = 64 << 10 };
    char *text = arena_alloc(a, FILE_MAX, 1);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, FILE_MAX, f) : 0;
    if (f)
        (void)fclose(f);
    return (struct str){text, n};
}
