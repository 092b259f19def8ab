/*
 * The services that every plugin has besides Terraform's own (docs/core-rules.md 1.4). Their messages are so small that they are
 * encoded and decoded here by hand.
 */
#pragma once

#include "base/arena.h"

#define SERVICE_HEALTH_CHECK "/grpc.health.v1.Health/Check"
#define SERVICE_HEALTH_WATCH "/grpc.health.v1.Health/Watch"
#define SERVICE_SHUTDOWN "/plugin.GRPCController/Shutdown"
#define SERVICE_STDIO "/plugin.GRPCStdio/StreamStdio"
#define SERVICE_BROKER "/plugin.GRPCBroker/StartStream"

/* The empty message: Shutdown's request and response, StreamStdio's request. */
#define SERVICE_EMPTY STR_EMPTY

/* HealthCheckResponse{status = SERVING}. */
#define HEALTH_SERVING STR("\x08\x01")

enum stdio_channel { STDIO_INVALID, STDIO_STDOUT, STDIO_STDERR };

/* StdioData; unknown fields are skipped. False: the bytes are not a StdioData message. */
bool stdio_data_decode(struct str message, enum stdio_channel *ret_channel, struct str *ret_data);

/* The value of the message's first length-delimited field of this number; false when there is none or the bytes are not valid. */
bool service_find_bytes(struct str message, uint32_t field, struct str *ret);
