/* Base64 of RFC 4648 with padding. (Plugin handshake lines use base64 without padding: grpc/tls.h.) */
#pragma once

#include "base/buf.h"

void base64_write(struct buf *out, struct str bytes);

/* False when the text is not base64: invalid characters, a wrong length, non-zero leftover bits. Line breaks are skipped, as in
 * Go. */
bool base64_read(struct arena *a, struct str text, struct str *ret);
