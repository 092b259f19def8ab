/*
 * Reads the parameters of a method by a table with their names, kinds, and which are required. Null counts as absent. A parameter
 * that is missing, of another kind or not in the table is an error that names it.
 */
#pragma once

#include "jsonrpc/server.h"

enum param_kind {
    PARAM_TEXT,   /* struct str */
    PARAM_BOOL,   /* bool */
    PARAM_COUNT,  /* int64_t: a whole number, not negative */
    PARAM_OBJECT, /* const struct json * */
    PARAM_ARRAY,  /* const struct json * */
};

struct rpc_param {
    const char *name;
    enum param_kind kind;
    bool required;
    void *target; /* left alone when the member is absent */
};

/* False after rpc_fail(). */
bool rpc_params_read(struct rpc_request *r, const struct rpc_param *params, size_t n);
#define PARAMS_READ(r, table) rpc_params_read((r), (table), sizeof(table) / sizeof(table)[0])
