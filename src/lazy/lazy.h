/*
 * Libraries that are loaded when they are first needed, not when the program starts: README.md says why. For each there is
 *
 *     const struct lazy_curl *curl = lazy_curl(diags);
 *     if (!curl)
 *         return false;
 *     CURL *easy = curl->easy_init();
 *
 * The table of functions can only be had from a library that is there and has them all, so nothing can be called before it is
 * loaded. Each member has the type that the library's own header declares. A library that cannot be loaded is a diagnostic with
 * the package to install. Loaded once, kept until the program ends; from any thread.
 */
#pragma once

#include "base/diag.h"

#include <pthread.h>
#include <stdint.h>

/* A member of the table: FUNCTIONS(LAZY_MEMBER) with F(curl, easy_init) declares `easy_init` as a pointer to curl_easy_init(). */
#define LAZY_MEMBER(prefix, name) typeof(prefix##_##name) *name;

struct lazy_function {
    const char *name;
    size_t offset; /* in the table */
};

struct lazy_library {
    const char *soname, *package, *purpose;
    const struct lazy_function *functions;
    size_t n;
    void *table;
    pthread_mutex_t lock;
    bool loaded;
};

/* Fills the table. False and a diagnostic: the library, or a function of it, is not there. */
bool lazy_load(struct lazy_library *library, struct diags *diags);

/* What packagers read instead of the dependencies of a linked library: https://systemd.io/ELF_DLOPEN_METADATA */
enum { LAZY_NOTE_TYPE = 0x407c0c0a };
#define LAZY_NOTE_OWNER "FDO"
#define LAZY_NOTE_TEXT(soname, purpose)                                                                                          \
    "[{\"soname\":[\"" soname "\"],\"description\":\"" purpose "\",\"priority\":\"recommended\"}]"
#define LAZY_NOTE(soname, purpose)                                                                                               \
    static const struct {                                                                                                        \
        uint32_t owner_bytes, text_bytes, type;                                                                                  \
        char owner[sizeof LAZY_NOTE_OWNER];                                                                                      \
        _Alignas(uint32_t) char text[sizeof LAZY_NOTE_TEXT(soname, purpose)];                                                    \
    } note LAZY_NOTE_PLACE = {                                                                                                   \
        .owner_bytes = sizeof LAZY_NOTE_OWNER,                                                                                   \
        .text_bytes = sizeof LAZY_NOTE_TEXT(soname, purpose),                                                                    \
        .type = LAZY_NOTE_TYPE,                                                                                                  \
        .owner = LAZY_NOTE_OWNER,                                                                                                \
        .text = LAZY_NOTE_TEXT(soname, purpose),                                                                                 \
    }
#ifdef __clang__ /* whose AddressSanitizer would put bytes of its own between the notes */
#define LAZY_NOTE_PLACE __attribute__((used, section(".note.dlopen"), aligned(4), no_sanitize("address")))
#else
#define LAZY_NOTE_PLACE __attribute__((used, section(".note.dlopen"), aligned(4)))
#endif

/* All that stands behind one library: the only place that names its soname, its package, and what it is for. */
#define LAZY_LIBRARY(library, FUNCTIONS, soname, package, purpose)                                                               \
    LAZY_NOTE(soname, purpose);                                                                                                  \
    static struct lazy_##library table;                                                                                          \
    static const struct lazy_function functions[] = {FUNCTIONS(LAZY_FUNCTION)};                                                  \
    static struct lazy_library loading = {                                                                                       \
        soname, package, purpose, functions, sizeof functions / sizeof functions[0], &table, PTHREAD_MUTEX_INITIALIZER, false};  \
    const struct lazy_##library *lazy_##library(struct diags *diags)                                                             \
    {                                                                                                                            \
        return lazy_load(&loading, diags) ? &table : NULL;                                                                       \
    }
#define LAZY_FUNCTION(prefix, name) {#prefix "_" #name, offsetof(typeof(table), name)},
