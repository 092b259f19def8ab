/*
 * How to find objects that a provider does not list: a data file (share/discovery/NAME.yaml, or one of the user's) with a row for
 * each type. docs/import.md has the format for people; in short:
 *
 *   provider: hashicorp/aws
 *   services:
 *     iam: {protocol: query, version: "2010-05-08", region: us-east-1, host: iam.amazonaws.com, rate: 10}
 *   types:
 *     aws_iam_role:
 *       service: iam
 *       call: ListRoles
 *       items: Roles.member
 *       id: "{RoleName}"
 *       owned: [{when: {Path: "/aws-service-role/?*"}, why: service-linked role}]
 *     aws_iam_role_policy: {parent: aws_iam_role, service: iam, call: ListRolePolicies, ...}
 *     aws_ebs_volume: {data: aws_ebs_volumes, items: ids}
 *   pairs:
 *   - {parent: aws_iam_role, argument: inline_policy, own: aws_iam_role_policy, by: {role: name}}
 *   asks:
 *   - {type: aws_instance, argument: user_data_base64, instead: user_data, hex: "40"}
 *
 * A name that begins with a dot is a row that only serves other rows. Loading checks everything: names, templates, and that
 * parents exist and form no cycle. Rows of a later file replace those of an earlier one.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "import/pick.h"

enum { ROWS_MAX_FILE = 4 << 20, ROWS_MAX = 4096, ROWS_MAX_PARENTS = 8 };

enum row_protocol {
    ROW_QUERY,     /* form request, XML answer */
    ROW_EC2,       /* the same with another format of errors */
    ROW_JSON,      /* X-Amz-Target */
    ROW_REST_JSON, /* method and path */
    ROW_REST_XML,
    ROW_REST, /* any other API: JSON, with headers that the service declares */
};

/* How to request the next page: by a token, or by a page number (`out` is "+": until a page is empty). */
struct row_page {
    struct str in, out; /* request parameter; path of the token in the answer. Empty: no pages */
};

struct row_service {
    struct str name;
    enum row_protocol protocol;
    struct str version;               /* query, ec2 */
    struct str target;                /* json */
    struct str content_type;          /* json: application/x-amz-json-1.0 */
    struct str host, region, signing; /* AWS; empty: NAME, the run's region, NAME; a host not in .com is completed */
    const struct json *endpoints;     /* other names of its endpoint in the provider's configuration, or NULL */
    struct str url;                   /* rest: a template with facts */
    const struct json *headers;       /* rest: an object of templates, or NULL */
    struct row_page page;
    int64_t rate; /* calls a second; 0: no limit */
};

/*
 * A rule holds when every pattern matches a string at its path. "!PATTERN": no string matches. "<TYPE": the string is the id of
 * an object of TYPE that the cloud owns. "=PATH": it equals the string at PATH.
 */
struct row_rule {
    const struct json *when;
    struct str why;
};

struct row {
    struct str name;   /* a type, or .NAME */
    const char *where; /* FILE:LINE */
    const struct row_service *service;
    struct str call, items, id;    /* items "^PATH": parts of the parent's item, without a call */
    struct str strip;              /* prefix to remove from ids */
    struct str of;                 /* of a pair's own type: the value of the parent that `by` compares; empty: not told */
    const struct json *parameters; /* an object, or NULL */
    struct str parent_name;
    const struct row *parent; /* NULL: none */
    const struct json *only;  /* conditions like those of rules, or NULL */
    const struct row_rule *owned;
    size_t n_owned;
    bool with_owned;           /* also what belongs to parents that the cloud owns */
    const struct json *each;   /* the items themselves, instead of a call; or NULL */
    const struct json *absent; /* patterns of errors that mean that nothing exists */
    struct row_page page;
    struct str data; /* a plural data source; `items` is the path of its ids, `parameters` its configuration */
    size_t depth;    /* number of parents */
};

/* An argument of a parent that another resource can express. */
struct row_pair {
    struct str parent, argument, own;
    const struct json *by; /* one member: argument of `own` -> attribute of the parent */
};

/*
 * An argument that the provider reads only where the state has it; otherwise it reads `instead`, which tells less. `hex`: only
 * where that is a hash of so many hexadecimal digits; empty: whatever it is.
 */
struct row_ask {
    struct str type, argument, instead, hex;
};
/* Is there more to know than this text of `instead`? */
bool row_ask_applies(const struct row_ask *ask, struct str text);

struct rows {
    struct arena *arena;
    struct map services, rows; /* by name */
    VEC(struct row_pair) pairs;
    VEC(struct row_ask) asks;
};

void rows_init(struct rows *r, struct arena *a);
/* Adds or replaces rows. False with a diagnostic that has file and line. `text` must live as long as the arena. */
bool rows_read(struct rows *r, struct str text, const char *source, struct diags *diags);
/* Call once, after all files: resolves parents and conditions on other rows. */
bool rows_bind(struct rows *r, struct diags *diags);

const struct row *rows_of(const struct rows *r, struct str type);
/* The service of a type, for rate limits: that of its row, else the second word of its name. */
struct str rows_service_of(const struct rows *r, struct str type);
/* Does the type's service have no regions? Then the service declares the region in which it is called. */
bool rows_is_global(const struct rows *r, struct str type);
