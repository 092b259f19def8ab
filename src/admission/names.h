/*
 * Names as Kubernetes has them. Each function says what is wrong with a text, as the end of a sentence that begins with it ("must
 * not be longer than 63 characters"), or NULL when nothing is.
 */
#pragma once

#include "base/str.h"

enum { NAME_MAX_SUBDOMAIN = 253, NAME_MAX_LABEL = 63 };

/* RFC 1123, in lower case: what objects are called, and what namespaces are called. */
const char *name_subdomain(struct str s);
const char *name_dns_label(struct str s);

/* [PREFIX/]NAME: a key of a label, a finalizer; of an annotation when it is in lower case. */
const char *name_qualified(struct str s);
const char *name_label_value(struct str s);

/* A key of a Secret or ConfigMap. */
const char *name_data_key(struct str s);
