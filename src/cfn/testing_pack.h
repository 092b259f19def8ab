/*
 * For tests that read packs: builds a pack with a single type and without answers. The real writer is translate/pack_write.c.
 */
#pragma once

#include "base/buf.h"
#include "cfn/pack_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

/* Appends a pack with `schema` as AWS::Test::Thing. */
static inline void testing_pack_lay_out(struct buf *out, struct str schema)
{
    static const char names[] = "AWS::Test::Thingawscc_test_thing";
    enum { CF_BYTES = 16, TF_BYTES = 16, INDEX_AT = PACK_HEADER_BYTES, NAMES_AT = INDEX_AT + ENTRY_BYTES };
    enum { TEXTS_AT = NAMES_AT + NAME_BYTES, BLOCKS_AT = TEXTS_AT + CF_BYTES + TF_BYTES };
    uLongf packed = compressBound(schema.n);
    char *p = buf_room(out, BLOCKS_AT + packed);
    if (!p || compress((Bytef *)p + BLOCKS_AT, &packed, (const Bytef *)schema.p, schema.n) != Z_OK)
        abort();
    const uint64_t sections[PACK_N_SECTIONS][2] = {
        {INDEX_AT, ENTRY_BYTES}, {NAMES_AT, NAME_BYTES}, {TEXTS_AT, CF_BYTES + TF_BYTES}, {BLOCKS_AT, packed}};
    memset(p, 0, BLOCKS_AT);
    memcpy(p, CFN_PACK_MAGIC, sizeof CFN_PACK_MAGIC - 1);
    pack_put32(p + PACK_AT_FORMAT, CFN_PACK_FORMAT);
    pack_put32(p + PACK_AT_N_TYPES, 1);
    pack_put32(p + PACK_AT_N_NAMES, 1);
    pack_put64(p + PACK_AT_SIZE, BLOCKS_AT + packed);
    for (size_t i = 0; i < PACK_N_SECTIONS; i++) {
        pack_put64(p + PACK_AT_SECTIONS + i * 16, sections[i][0]);
        pack_put64(p + PACK_AT_SECTIONS + i * 16 + 8, sections[i][1]);
    }
    pack_put32(p + INDEX_AT + ENTRY_AT_CF + 4, CF_BYTES);
    pack_put32(p + INDEX_AT + ENTRY_AT_TF, CF_BYTES);
    pack_put32(p + INDEX_AT + ENTRY_AT_TF + 4, TF_BYTES);
    pack_put32(p + INDEX_AT + ENTRY_AT_FLAGS, PACK_RESOURCE);
    pack_put32(p + INDEX_AT + ENTRY_AT_CRC, (uint32_t)crc32_z(0, (const Bytef *)schema.p, schema.n));
    pack_put32(p + INDEX_AT + ENTRY_AT_PACKED, (uint32_t)packed);
    pack_put32(p + INDEX_AT + ENTRY_AT_RAW, (uint32_t)schema.n);
    pack_put32(p + NAMES_AT + NAME_AT_TEXT, CF_BYTES);
    pack_put32(p + NAMES_AT + NAME_AT_TEXT + 4, TF_BYTES);
    memcpy(p + TEXTS_AT, names, CF_BYTES + TF_BYTES);
    uLong crc = crc32(0, (const Bytef *)p, PACK_AT_CRC);
    pack_put32(p + PACK_AT_CRC, (uint32_t)crc32_z(crc, (const Bytef *)p + INDEX_AT, BLOCKS_AT - INDEX_AT));
    out->n += BLOCKS_AT + packed;
}

/* As cfn_pack_open(); the temporary file is already unlinked. */
static inline struct cfn_pack *testing_pack_open(struct str bytes, struct diags *diags)
{
    char path[] = "/tmp/terrane-pack.XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
        abort();
    struct cfn_pack *pack = cfn_pack_open(path, diags);
    (void)close(fd);
    (void)unlink(path);
    return pack;
}
