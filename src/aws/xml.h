/*
 * Reads the simple XML that AWS's older services answer with.
 *
 * The whole text must be well-formed, otherwise nothing is found, so that a truncated answer is not used. Document types are
 * refused, and with them all entities but XML's five. Prefixes and attributes are ignored.
 */
#pragma once

#include "base/json.h"

enum { AWS_XML_MAX_DEPTH = 32, AWS_XML_MAX_TEXT = 1 << 20 };

/* The text of the first element at `place`: names from the root joined with /, "ErrorResponse/Error/Code"; * matches any name. */
bool aws_xml_text(struct arena *a, struct str xml, const char *place, struct str *ret);

/*
 * The whole document: an element that contains elements becomes an object with a member for each, in order (names may repeat);
 * any other becomes a string. The root is an object with one member. NULL if not well-formed or a limit is exceeded.
 */
const struct json *aws_xml_tree(struct arena *a, struct str xml);
