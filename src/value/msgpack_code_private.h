/* MessagePack's first bytes, and the extension codes that stand for unknown values. Private to this folder. */
#pragma once

enum msgpack_code {
    MP_FIXINT_MAX = 0x7f,
    MP_FIXMAP = 0x80, /* to 0x8f */
    MP_FIXARRAY = 0x90,
    MP_FIXSTR = 0xa0, /* to 0xbf */
    MP_NIL = 0xc0,
    MP_FALSE = 0xc2,
    MP_TRUE = 0xc3,
    MP_BIN8 = 0xc4,
    MP_BIN16 = 0xc5,
    MP_BIN32 = 0xc6,
    MP_EXT8 = 0xc7,
    MP_EXT16 = 0xc8,
    MP_EXT32 = 0xc9,
    MP_FLOAT32 = 0xca,
    MP_FLOAT64 = 0xcb,
    MP_UINT8 = 0xcc,
    MP_UINT16 = 0xcd,
    MP_UINT32 = 0xce,
    MP_UINT64 = 0xcf,
    MP_INT8 = 0xd0,
    MP_INT16 = 0xd1,
    MP_INT32 = 0xd2,
    MP_INT64 = 0xd3,
    MP_FIXEXT1 = 0xd4, /* 2, 4, 8, 16 follow */
    MP_FIXEXT16 = 0xd8,
    MP_STR8 = 0xd9,
    MP_STR16 = 0xda,
    MP_STR32 = 0xdb,
    MP_ARRAY16 = 0xdc,
    MP_ARRAY32 = 0xdd,
    MP_MAP16 = 0xde,
    MP_MAP32 = 0xdf,
    MP_NEGATIVE_FIXINT = 0xe0,
};

enum { MP_EXT_REFINED = 12 };

/* Keys of the map inside a refined unknown. */
enum refinement_key {
    REFINE_NULLNESS = 1,
    REFINE_PREFIX = 2,
    REFINE_MIN = 3,
    REFINE_MAX = 4,
    REFINE_MIN_LENGTH = 5,
    REFINE_MAX_LENGTH = 6,
};
