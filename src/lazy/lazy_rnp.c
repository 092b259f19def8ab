#include "lazy/lazy_rnp.h"

LAZY_LIBRARY(rnp, LAZY_RNP, "librnp.so.0", "librnp0", "checking the signatures of provider packages")
