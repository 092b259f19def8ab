#include "lazy/lazy_microhttpd.h"

LAZY_LIBRARY(microhttpd, LAZY_MICROHTTPD, "libmicrohttpd.so.12", "libmicrohttpd12",
             "the HTTP server of the emulator and the dashboard")
