#include "faults.h"

#include "protocol/proto_wire.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    ANSWER_MS = 200,      /* time for a call's answer to be sent, before a crash after it */
    PANIC_STATUS = 2,     /* exit status of Go's runtime */
    TRUNCATED_CLAIM = 99, /* bytes that a field claims to have */
};

static void sleep_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};
    while (ms > 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

void faults_say(int fd, struct str text)
{
    while (text.n > 0) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR)
            return;
        text = str_slice(text, n > 0 ? (size_t)n : 0, text.n);
    }
}

/* ---- crashes ---- */

static const char panic_text[] = "panic: runtime error: invalid memory address or nil pointer dereference\n"
                                 "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n"
                                 "\n"
                                 "goroutine 1 [running]:\n"
                                 "fake.(*Provider).apply(0x0)\n"
                                 "\t/src/fake/provider.go:42 +0x1d\n";

static void crash(const struct effect *e)
{
    switch (e->crash) {
    case CRASH_NOT:
        return;
    case CRASH_EXIT:
        _exit((int)e->exit_status);
    case CRASH_ABORT:
        abort();
    case CRASH_KILL:
        (void)raise(SIGKILL);
        return;
    case CRASH_PANIC:
        faults_say(STDERR_FILENO, STR(panic_text));
        _exit(PANIC_STATUS);
    case CRASH_STOP:
        (void)raise(SIGSTOP);
        return;
    case CRASH_CLIENT: /* kills the parent; we die with it, and answer nothing more */
        (void)kill(getppid(), SIGKILL);
        for (;;)
            (void)pause();
    }
}

static void *crash_later(void *arg)
{
    sleep_ms(ANSWER_MS);
    crash(arg);
    return NULL;
}

static void crash_after_answer(const struct effect *e)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, crash_later, (void *)e) == 0)
        (void)pthread_detach(thread);
}

void faults_acted(const struct effect *e)
{
    if (!e)
        return;
    sleep_ms(e->answer_ms);
    if (e->crash_when == CRASH_ACTED)
        crash(e);
}

/* ---- malformed answers ---- */

/* Puts the buffer's content into field `number`. */
static void wrap(struct buf *message, uint32_t number)
{
    struct buf inner BUF_AUTO = *message;
    *message = BUF_INIT(inner.max);
    proto_add_bytes(message, number, buf_str(&inner));
}

/* Wraps MessagePack as a response's state, in the field where most calls have it. */
static void wrap_state(struct buf *message, struct str rpc)
{
    enum { DYNAMIC_MSGPACK = 1, STATE = 1, EPHEMERAL_RESULT = 3, IMPORTED_STATE = 2, IMPORTED = 1 };
    wrap(message, DYNAMIC_MSGPACK);
    if (str_eq(rpc, STR("OpenEphemeralResource"))) {
        wrap(message, EPHEMERAL_RESULT);
    } else if (str_eq(rpc, STR("ImportResourceState"))) {
        wrap(message, IMPORTED_STATE);
        wrap(message, IMPORTED);
    } else {
        wrap(message, STATE);
    }
}

/*
 * A schema of nested blocks, or a state of nested lists. Wrapping each level would copy the whole every time, so the levels are
 * written from the inside out, backwards into reserved space.
 */
static void deep_schema(struct buf *message, int64_t depth)
{
    enum { TAG_NESTED = 3 << 3 | 2, TAG_BLOCK = 2 << 3 | 2, SCHEMA_BLOCK = 2, PROVIDER = 1 };
    size_t room = (size_t)depth * 12 + 16, at = room, n = 0;
    char *space = malloc(room);
    if (!space)
        abort();
    for (int64_t i = 0; i < depth * 2; i++) {
        unsigned char length[10];
        size_t digits = 0;
        for (size_t rest = n; digits == 0 || rest > 0; rest >>= 7)
            length[digits++] = (unsigned char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
        at -= digits;
        memcpy(space + at, length, digits);
        space[--at] = i % 2 == 0 ? TAG_BLOCK : TAG_NESTED;
        n = room - at;
    }
    proto_add_bytes(message, SCHEMA_BLOCK, (struct str){space + at, n});
    free(space);
    wrap(message, PROVIDER);
}

static void deep_state(struct buf *message, int64_t depth, struct str rpc)
{
    enum { ARRAY_OF_ONE = 0x91, NIL = 0xc0 };
    for (int64_t i = 0; i < depth; i++)
        buf_addc(message, (char)ARRAY_OF_ONE);
    buf_addc(message, (char)NIL);
    wrap_state(message, rpc);
}

static void write_garbage(struct buf *message)
{
    for (unsigned i = 0; i < 64; i++)
        buf_addc(message, (char)(0xff - i));
}

static void write_truncated(struct buf *message)
{
    enum { TAG_FIRST = 1 << 3 | 2 };
    buf_addc(message, TAG_FIRST);
    buf_addc(message, TRUNCATED_CLAIM);
    buf_addz(message, "only this much");
}

static void write_oversized(struct buf *message, int64_t size)
{
    char *room = buf_room(message, (size_t)size);
    if (!room)
        abort();
    memset(room, 0, (size_t)size);
    buf_grew(message, (size_t)size);
}

static void write_wrong_type(struct buf *message, struct str rpc)
{
    buf_add(message, STR("\xa3"
                         "foo")); /* a string instead of an object */
    wrap_state(message, rpc);
}

static void send_faulty(const struct effect *e, struct grpc_call *call, struct str rpc)
{
    struct buf message BUF_AUTO = BUF_INIT(SIZE_MAX / 2);
    switch (e->fault) {
    case FAULT_GARBAGE:
        write_garbage(&message);
        break;
    case FAULT_TRUNCATED:
        write_truncated(&message);
        break;
    case FAULT_OVERSIZED:
        write_oversized(&message, e->size);
        break;
    case FAULT_DEEP:
        if (str_eq(rpc, STR("GetProviderSchema")))
            deep_schema(&message, e->depth);
        else
            deep_state(&message, e->depth, rpc);
        break;
    case FAULT_WRONG_TYPE:
        write_wrong_type(&message, rpc);
        break;
    case FAULT_BYTES:
        buf_add(&message, e->bytes);
        break;
    default:
        break;
    }
    if (grpc_call_send(call, buf_str(&message)))
        grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

static bool answer_badly(const struct effect *e, struct grpc_call *call, struct str rpc)
{
    switch (e->fault) {
    case FAULT_NONE:
    case FAULT_UNKNOWN:
    case FAULT_NULL:
    case FAULT_MISSING:
        return false; /* handled by the provider itself */
    case FAULT_HANG:
        grpc_call_hold(call);
        return true;
    case FAULT_STATUS:
        grpc_call_finish(call, (enum grpc_status)e->grpc_status, e->grpc_message);
        return true;
    default:
        send_faulty(e, call, rpc);
        return true;
    }
}

bool faults_before(const struct effect *e, struct grpc_call *call, struct str rpc)
{
    faults_say(STDOUT_FILENO, e->stdout_text);
    faults_say(STDERR_FILENO, e->stderr_text);
    sleep_ms(e->latency_ms);
    if (e->crash_when == CRASH_BEFORE)
        crash(e);
    else if (e->crash_when == CRASH_ANSWERED)
        crash_after_answer(e);
    return answer_badly(e, call, rpc);
}
