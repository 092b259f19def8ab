/* API versions of a kind, in Kubernetes' order: v1alpha1 < v1beta1 < v1beta2 < v1 < v2alpha1. */
#pragma once

#include "base/str.h"

/* False if either is not a version. */
bool xp_version_is_older(struct str version, struct str than);
