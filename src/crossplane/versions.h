/* Versions of a kind's API, as Kubernetes orders them: v1alpha1 < v1beta1 < v1beta2 < v1 < v2alpha1. */
#pragma once

#include "base/str.h"

/* False for what is not such a name. */
bool xp_version_is_older(struct str version, struct str than);
