/*
 * For tests: a provider's schema with every feature, a request and a response of every call with every field set, and all of them
 * as text, so that they can be compared and differences are readable.
 */
#pragma once

#include "protocol/codec.h"

/* All features that the protocol can express. */
const struct provider_schema *testing_schema(struct arena *a, int protocol);

/* A value of the type from JSON (as in state files); fails the test when it does not fit. */
const struct value *testing_value(struct arena *a, const struct type *t, const char *json);
/* The object with that attribute unknown. */
const struct value *testing_unknown(struct arena *a, const struct value *object, const char *attr);
/* A value of resource type test_thing in which every attribute and block is set. */
const struct value *testing_thing(struct arena *a, const struct provider_schema *schema);
const struct value *testing_identity(struct arena *a, const struct provider_schema *schema);
/* An error with a path that has all kinds of steps, and a warning without path. */
void testing_diags(struct diags *d);

/* NULL if the call has no struct for it. */
const void *testing_request(struct arena *a, const struct provider_schema *schema, enum rpc rpc, int protocol);
const void *testing_response(struct arena *a, const struct provider_schema *schema, enum rpc rpc, int protocol);

/* One line per field. */
struct str testing_request_text(struct arena *a, enum rpc rpc, const void *request);
struct str testing_response_text(struct arena *a, enum rpc rpc, const void *response);
struct str testing_diags_text(struct arena *a, const struct diags *d);
/* One line per attribute, block, parameter and so on, with all its properties. */
struct str testing_schema_text(struct arena *a, const struct provider_schema *s);
struct str testing_value_text(struct arena *a, const struct value *v);
