#include "lazy/lazy_archive.h"

LAZY_LIBRARY(archive, LAZY_ARCHIVE, "libarchive.so.13", "libarchive13", "reading zip and tar archives")
