// XXH3 (xxhash.com), for contents and checksums. Any thread may call it.
#ifndef CHASH_H
#define CHASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct chash_128 {
    uint64_t low;
    uint64_t high;
} chash_128;

/// XXH3's 128 bits, without a seed. `bytes` may be null when there are none.
chash_128 chash_xxh3(const void *bytes, size_t count);

#endif
