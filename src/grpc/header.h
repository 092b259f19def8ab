/*
 * Encoding and decoding of gRPC header values, and the rules for the status when the peer sent none. Pure functions.
 */
#pragma once

#include "base/buf.h"
#include "base/clock.h"
#include "grpc/status.h"

/*
 * Longest grpc-message we send, percent-encoded: together with the other trailers it stays below the 8 KiB of metadata that
 * common peers accept. Longer texts are cut between characters.
 */
enum { GRPC_MESSAGE_SENT_MAX = 4 << 10 };

/* Appends the text as the value of grpc-message. */
void grpc_message_encode(struct buf *out, struct str text);
/* Decodes grpc-message; invalid escapes stay as they are, and a result that is not UTF-8 is converted to valid UTF-8. */
struct str grpc_message_decode(struct arena *a, struct str value);

/* Writes a grpc-timeout: at most eight digits and a unit, rounded up. `ns` > 0. */
enum { GRPC_TIMEOUT_TEXT = 12 };
void grpc_timeout_format(int64_t ns, char text[GRPC_TIMEOUT_TEXT]);
/* False when the value is not a valid timeout. Timeouts that an int64_t cannot hold become INT64_MAX. */
bool grpc_timeout_parse(struct str value, int64_t *ret_ns);

/* A decimal code of at most three digits; GRPC_UNKNOWN for anything else. */
enum grpc_status grpc_status_parse(struct str value);

/* "application/grpc", alone or followed by '+' or ';'. */
bool grpc_content_type_ok(struct str value);

/* The gRPC status for an HTTP status, or for the error code of RST_STREAM, when there is no grpc-status. */
enum grpc_status grpc_status_of_http(int http_status);
enum grpc_status grpc_status_of_reset(uint32_t error_code);
