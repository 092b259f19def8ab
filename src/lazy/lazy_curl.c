#include "lazy/lazy_curl.h"

LAZY_LIBRARY(curl, LAZY_CURL, "libcurl.so.4", "libcurl4", "HTTP requests")
