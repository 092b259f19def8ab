/* Base64 of RFC 4648 with padding. (Handshake lines have none: grpc/tls.h.) */
#pragma once

#include "base/buf.h"

void base64_write(struct buf *out, struct str bytes);

/* False when the text is not base64: other characters, a wrong length, bits left over. Line breaks are skipped, as Go does. */
bool base64_read(struct arena *a, struct str text, struct str *ret);
