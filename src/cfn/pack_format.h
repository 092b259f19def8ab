/*
 * The layout of a pack, for pack.c and for code that writes packs. All numbers are little-endian.
 *
 *     header
 *     index     n_types entries, sorted by CloudFormation name
 *     names     n_names entries: names of Terraform types and plural data sources, sorted -> entry
 *     texts     the names themselves
 *     blocks    the schemas, compressed with zlib
 *     answers   encoded as sent. The schema answers of the two modes share their equal part:
 *
 *         | only strict | both | only default |
 *         |<-- strict answer ->|
 *                       |<-- default answer ->|
 *
 *     which is possible because the fields of a protobuf message may be in any order.
 */
#pragma once

#include "cfn/pack.h"

#include <endian.h>

enum pack_section { PACK_INDEX, PACK_NAMES, PACK_TEXTS, PACK_BLOCKS, PACK_N_SECTIONS };

enum {
    /* Header. */
    PACK_AT_FORMAT = 8,
    PACK_AT_TRANSLATION = 12,
    PACK_AT_N_TYPES = 16,
    PACK_AT_N_NAMES = 20,
    PACK_AT_SIZE = 24,
    PACK_AT_SECTIONS = 32,                                     /* offset and size, 64 bits each */
    PACK_AT_ANSWERS = PACK_AT_SECTIONS + PACK_N_SECTIONS * 16, /* the same, by mode and answer */
    PACK_AT_CRC = PACK_AT_ANSWERS + 2 * CFN_N_ANSWERS * 16,    /* of the header up to here, index, names, texts */
    PACK_HEADER_BYTES = PACK_AT_CRC + 8,
    /* An entry of the index. */
    ENTRY_AT_CF = 0, /* offset in texts and length, 32 bits each; also for TF and PLURAL */
    ENTRY_AT_TF = 8,
    ENTRY_AT_PLURAL = 16,
    ENTRY_AT_FLAGS = 24,
    ENTRY_AT_CRC = 28, /* of the unpacked text */
    ENTRY_AT_BLOCK = 32,
    ENTRY_AT_PACKED = 40,
    ENTRY_AT_RAW = 44,
    ENTRY_AT_SHA = 48,
    ENTRY_BYTES = 80,
    /* An entry of the names. */
    NAME_AT_TEXT = 0,
    NAME_AT_ENTRY = 8,
    NAME_BYTES = 12,
    /* Flags, four for each mode. */
    PACK_RESOURCE = 1,
    PACK_SINGULAR = 2,
    PACK_PLURAL = 4,
    PACK_LIST = 8,
    PACK_FLAG_BITS = 4,
};

static inline uint32_t pack_get32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return le32toh(v);
}

static inline uint64_t pack_get64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64toh(v);
}

static inline void pack_put32(char *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, sizeof v);
}

static inline void pack_put64(char *p, uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, sizeof v);
}
