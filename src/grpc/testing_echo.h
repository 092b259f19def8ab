/*
 * A small service for tests, benchmarks and interoperation: messages are plain bytes.
 *
 *     /test.Echo/Unary     one message, sent back
 *     /test.Echo/Large     the decimal number of bytes wanted, answered with that many (testing_pattern)
 *     /test.Echo/Repeat    "COUNT SIZE": that many messages of that size
 *     /test.Echo/Collect   any number of messages, answered with "COUNT BYTES"
 *     /test.Echo/Chat      each message sent back as it comes
 *     /test.Echo/Fail      "CODE TEXT": the call ends with this status
 *     /test.Echo/Hold      held open until cancelled
 */
#pragma once

#include "grpc/server.h"

/* For grpc_server_options.handler; `ctx`, if not NULL, is an atomic_int that counts calls which were cancelled. */
void testing_echo(void *ctx, struct grpc_call *call);

/* Byte i of every test message. */
static inline char testing_pattern(size_t i)
{
    return (char)(i * 31 + i / 256);
}
struct str testing_message(struct arena *a, size_t n);
bool testing_is_pattern(struct str message, size_t n);
/* The first 64 KiB of a file, empty when it does not exist: for certificates of peers. */
struct str testing_read_file(struct arena *a, const char *path);
