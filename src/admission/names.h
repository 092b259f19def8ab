/*
 * Names by Kubernetes' rules. Each function returns what is wrong with a text, as the end of a sentence ("must not be longer than
 * 63 characters"), or NULL when it is valid.
 */
#pragma once

#include "base/str.h"

enum { NAME_MAX_SUBDOMAIN = 253, NAME_MAX_LABEL = 63 };

/* RFC 1123, in lower case: names of objects, and of namespaces. */
const char *name_subdomain(struct str s);
const char *name_dns_label(struct str s);

/* [PREFIX/]NAME: a label key or a finalizer; converted to lower case, also an annotation key. */
const char *name_qualified(struct str s);
const char *name_label_value(struct str s);

/* A key of a Secret or ConfigMap. */
const char *name_data_key(struct str s);
