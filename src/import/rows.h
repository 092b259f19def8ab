/*
 * Where objects are found that a provider does not list: a data file (share/discovery/NAME.yaml, or one of the user's) with a row
 * for each type. docs/import.md has the format for people; in short:
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
 *
 * A name that begins with a dot is a row that only others need. Everything is checked when it is loaded: names, templates,
 * parents that are there and make no circle. A later file's rows replace those of an earlier one.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "import/pick.h"

enum { ROWS_MAX_FILE = 4 << 20, ROWS_MAX = 4096, ROWS_MAX_PARENTS = 8 };

enum row_protocol {
    ROW_QUERY,     /* forms in, XML out */
    ROW_EC2,       /* likewise; errors look different */
    ROW_JSON,      /* X-Amz-Target */
    ROW_REST_JSON, /* method and path */
    ROW_REST_XML,
    ROW_REST, /* any other API: JSON, with the headers that the service states */
};

/* How the next page is asked for: a token, or the number of the page (`out` is "+": until a page is empty). */
struct row_page {
    struct str in, out; /* parameter; path. empty: there are no pages */
};

struct row_service {
    struct str name;
    enum row_protocol protocol;
    struct str version;               /* query, ec2 */
    struct str target;                /* json */
    struct str content_type;          /* json: application/x-amz-json-1.0 */
    struct str host, region, signing; /* AWS; empty: NAME, the run's region, NAME; a host without dots at its end is completed */
    const struct json *endpoints;     /* other names of its address in the provider's configuration, or NULL */
    struct str url;                   /* rest: a template with facts */
    const struct json *headers;       /* rest: an object of templates, or NULL */
    struct row_page page;
    int64_t rate; /* calls a second; 0: no limit */
};

/*
 * When every pattern fits a text at its path; "!PATTERN": when it fits none. "<TYPE": it is the id of an object of TYPE which the
 * cloud owns. "=PATH": it is what stands there.
 */
struct row_rule {
    const struct json *when;
    struct str why;
};

struct row {
    struct str name;   /* a type, or .NAME */
    const char *where; /* FILE:LINE */
    const struct row_service *service;
    struct str call, items, id;    /* items "^PATH": parts of the parent's item, nobody is asked */
    struct str strip;              /* that ids begin with and are not to */
    const struct json *parameters; /* an object, or NULL */
    struct str parent_name;
    const struct row *parent; /* NULL: none */
    const struct json *only;  /* conditions as of rules, or NULL */
    const struct row_rule *owned;
    size_t n_owned;
    const struct json *absent; /* names of errors that mean: there is nothing; patterns */
    struct row_page page;
    struct str data; /* a plural data source; `items` is where its ids are, `parameters` its configuration */
    size_t depth;    /* how many parents */
};

/* An argument of a parent says what another resource can say. */
struct row_pair {
    struct str parent, argument, own;
    const struct json *by; /* one member: argument of `own` -> attribute of the parent */
};

struct rows {
    struct arena *arena;
    struct map services, rows; /* by name */
    VEC(struct row_pair) pairs;
};

void rows_init(struct rows *r, struct arena *a);
/* Over what is there. False with a diagnostic that has file and line. `text` lives as long as the arena. */
bool rows_read(struct rows *r, struct str text, const char *source, struct diags *diags);
/* Once, after all files: parents, and what refers to what. */
bool rows_bind(struct rows *r, struct diags *diags);

const struct row *rows_of(const struct rows *r, struct str type);
/* The service that a type belongs to, for limits: of its row, else the second word of its name. */
struct str rows_service_of(const struct rows *r, struct str type);
/* Is its service the same in all regions? Then the service states the one that it is asked in. */
bool rows_is_global(const struct rows *r, struct str type);
