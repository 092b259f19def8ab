/*
 * The members of a request, checked in the words of the framework that AWS's services stand on: what is wrong with any of them is
 * told at once, with the value unless it is a secret.
 */
#pragma once

#include "emulator/private.h"

struct cc_member {
    const char *key;
    struct str *ret;     /* empty: it is not there */
    size_t min, max;     /* characters */
    const char *pattern; /* of the whole; NULL: any */
    bool required, secret;
};

#define CC_TOKEN_PATTERN "[-A-Za-z0-9+/=]+"
enum {
    CC_INPUT_MAX_IDENTIFIER = 1024,
    CC_INPUT_MAX_MODEL = 256 << 10, /* of DesiredState, PatchDocument and ResourceModel */
    CC_INPUT_MAX_NEXT = 4096,
};
#define CC_MEMBER_TYPE(ret_)                                                                                                     \
    {                                                                                                                            \
        .key = "TypeName", .ret = (ret_), .min = 10, .max = 196,                                                                 \
        .pattern = "[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}", .required = true                                   \
    }
#define CC_MEMBER_IDENTIFIER(ret_)                                                                                               \
    {                                                                                                                            \
        .key = "Identifier", .ret = (ret_), .min = 1, .max = CC_INPUT_MAX_IDENTIFIER, .required = true                           \
    }
#define CC_MEMBER_DOCUMENT(key_, ret_, required_)                                                                                \
    {                                                                                                                            \
        .key = (key_), .ret = (ret_), .min = 1, .max = CC_INPUT_MAX_MODEL, .required = (required_), .secret = true               \
    }
#define CC_MEMBER_REQUEST_TOKEN(ret_)                                                                                            \
    {                                                                                                                            \
        .key = "RequestToken", .ret = (ret_), .min = 1, .max = CC_API_MAX_TOKEN, .pattern = CC_TOKEN_PATTERN, .required = true   \
    }
#define CC_MEMBER_CLIENT_TOKEN(ret_)                                                                                             \
    {                                                                                                                            \
        .key = "ClientToken", .ret = (ret_), .min = 1, .max = CC_API_MAX_TOKEN, .pattern = CC_TOKEN_PATTERN                      \
    }
#define CC_MEMBER_NEXT_TOKEN(ret_)                                                                                               \
    {                                                                                                                            \
        .key = "NextToken", .ret = (ret_), .min = 1, .max = CC_INPUT_MAX_NEXT                                                    \
    }

/* False: the call has failed. */
bool cc_input_read(struct cc_emulation *e, const struct cc_member *members, size_t n);
#define cc_input(e, ...)                                                                                                         \
    cc_input_read((e), (const struct cc_member[]){__VA_ARGS__},                                                                  \
                  sizeof((const struct cc_member[]){__VA_ARGS__}) / sizeof(struct cc_member))

/* MaxResults: 1 to CC_EMULATOR_MAX_PAGE, CC_EMULATOR_PAGE if it is not there. */
bool cc_input_page(struct cc_emulation *e, size_t *ret);

/* A list of words of ResourceRequestStatusFilter, as ",CREATE,UPDATE,"; empty: all. */
bool cc_input_filter(struct cc_emulation *e, const char *key, const char *const *words, size_t n, struct str *ret);

/* JSON within JSON; NULL: refused. */
const struct json *cc_input_document(struct cc_emulation *e, const char *key, struct str text, enum json_kind kind);
