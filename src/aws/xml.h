/*
 * The little XML that old services of AWS answer with: the text of one element, found by its place.
 *
 * The whole text must be well-formed, or nothing is found in it: an answer that was cut short is no answer. Document types are
 * refused, and with them all entities but the five that XML has. Prefixes and attributes are passed over.
 */
#pragma once

#include "base/json.h"

enum { AWS_XML_MAX_DEPTH = 32, AWS_XML_MAX_TEXT = 1 << 20 };

/* `place` is names with / between, from the root: "ErrorResponse/Error/Code"; * stands for any name. The first such element
 * counts. */
bool aws_xml_text(struct arena *a, struct str xml, const char *place, struct str *ret);

/*
 * All of it: an element with others in it is an object with a member for each, in order, names as often as they come; any other
 * is a text. The root is an object with one member. NULL: not well-formed, or past a bound.
 */
const struct json *aws_xml_tree(struct arena *a, struct str xml);
