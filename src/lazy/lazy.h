/*
 * Libraries that are loaded at first use, not when the program starts: README.md says why. For each library there is a function:
 *
 *     const struct lazy_curl *curl = lazy_curl(diags);
 *     if (!curl)
 *         return false;
 *     CURL *easy = curl->easy_init();
 *
 * It returns the library's functions as a table, so no function can be called before the library is loaded and found complete.
 * Each member has the type that the library's own header declares. When a library cannot be loaded, a diagnostic names the
 * package to install. A library is loaded once and kept until the program ends; any thread may call.
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

/* Fills the table. False, with a diagnostic, when the library or one of its functions is missing. */
bool lazy_load(struct lazy_library *library, struct diags *diags);

/* An ELF note that tells packagers about the dependency, since the library is not linked:
 * https://systemd.io/ELF_DLOPEN_METADATA */
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
#ifdef __clang__ /* clang's AddressSanitizer would put padding between the notes */
#define LAZY_NOTE_PLACE __attribute__((used, section(".note.dlopen"), aligned(4), no_sanitize("address")))
#else
#define LAZY_NOTE_PLACE __attribute__((used, section(".note.dlopen"), aligned(4)))
#endif

/* Defines everything for one library: the only place that names its soname, its package and its purpose. */
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
