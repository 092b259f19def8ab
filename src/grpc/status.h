/* How a call ended: gRPC's status codes. Terraform providers report their own errors as diagnostics instead; see plugin. */
#pragma once

#include "base/str.h"

enum grpc_status {
    GRPC_OK = 0,
    GRPC_CANCELLED = 1,
    GRPC_UNKNOWN = 2,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_DEADLINE_EXCEEDED = 4,
    GRPC_NOT_FOUND = 5,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_UNAVAILABLE = 14,
    GRPC_UNAUTHENTICATED = 16,
};

struct grpc_result {
    enum grpc_status status; /* peers may send any code, including codes not listed above */
    struct str message;      /* in the arena of the call */
};

/* The name, such as "UNAVAILABLE"; an unnamed code such as 42 gives "UNKNOWN". */
const char *grpc_status_name(enum grpc_status status);
