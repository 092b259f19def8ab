/*
 * Reads the members of a request, with the error messages of AWS's service framework: one answer reports the errors of all
 * members, with their values unless they are secret.
 */
#pragma once

#include "emulator/emulator_private.h"

struct emulator_member {
    const char *key;
    struct str *ret;     /* empty: absent */
    size_t min, max;     /* characters */
    const char *pattern; /* for the whole value; NULL: any */
    bool required, secret;
};

#define EMULATOR_TOKEN_PATTERN "[-A-Za-z0-9+/=]+"
enum {
    EMULATOR_MAX_TOKEN = 128,
    EMULATOR_INPUT_MAX_IDENTIFIER = 1024,
    EMULATOR_INPUT_MAX_MODEL = 256 << 10, /* of DesiredState, PatchDocument and ResourceModel */
    EMULATOR_INPUT_MAX_NEXT = 4096,
};
#define EMULATOR_MEMBER_TYPE(ret_)                                                                                               \
    {.key = "TypeName",                                                                                                          \
     .ret = (ret_),                                                                                                              \
     .min = 10,                                                                                                                  \
     .max = 196,                                                                                                                 \
     .pattern = "[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}",                                                       \
     .required = true}
#define EMULATOR_MEMBER_IDENTIFIER(ret_)                                                                                         \
    {.key = "Identifier", .ret = (ret_), .min = 1, .max = EMULATOR_INPUT_MAX_IDENTIFIER, .required = true}
#define EMULATOR_MEMBER_DOCUMENT(key_, ret_, required_)                                                                          \
    {.key = (key_), .ret = (ret_), .min = 1, .max = EMULATOR_INPUT_MAX_MODEL, .required = (required_), .secret = true}
#define EMULATOR_MEMBER_REQUEST_TOKEN(ret_)                                                                                      \
    {.key = "RequestToken",                                                                                                      \
     .ret = (ret_),                                                                                                              \
     .min = 1,                                                                                                                   \
     .max = EMULATOR_MAX_TOKEN,                                                                                                  \
     .pattern = EMULATOR_TOKEN_PATTERN,                                                                                          \
     .required = true}
#define EMULATOR_MEMBER_CLIENT_TOKEN(ret_)                                                                                       \
    {.key = "ClientToken", .ret = (ret_), .min = 1, .max = EMULATOR_MAX_TOKEN, .pattern = EMULATOR_TOKEN_PATTERN}
#define EMULATOR_MEMBER_NEXT_TOKEN(ret_) {.key = "NextToken", .ret = (ret_), .min = 1, .max = EMULATOR_INPUT_MAX_NEXT}

/* False if the call has failed. */
bool emulator_input_read(struct emulation *e, const struct emulator_member *members, size_t n);
#define emulator_input(e, ...)                                                                                                   \
    emulator_input_read((e), (const struct emulator_member[]){__VA_ARGS__},                                                      \
                        sizeof((const struct emulator_member[]){__VA_ARGS__}) / sizeof(struct emulator_member))

/* MaxResults: 1 to EMULATOR_MAX_PAGE; default EMULATOR_PAGE. */
bool emulator_input_page(struct emulation *e, size_t *ret);

/* A list of words of ResourceRequestStatusFilter, returned as ",CREATE,UPDATE,"; empty: all. */
bool emulator_input_filter(struct emulation *e, const char *key, const char *const *words, size_t n, struct str *ret);

/* Parses a member that contains JSON; NULL if the call has failed. */
const struct json *emulator_input_document(struct emulation *e, const char *key, struct str text, enum json_kind kind);
