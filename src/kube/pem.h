/* Are credentials in PEM usable? libcurl only finds out while it connects, and does not say which part is wrong. */
#pragma once

#include "base/str.h"

/* What is wrong, as the end of a sentence ("is not a certificate in PEM ..."); NULL: it can be used. */
const char *kube_pem_authority(struct str pem);
const char *kube_pem_pair(struct str certificate, struct str key);
