#include "chash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "xxhash 0.8.0 or newer is needed: before it, the values of XXH3 were not final"
#endif

chash_128 chash_xxh3(const void *bytes, size_t count) {
    XXH128_hash_t hash = XXH3_128bits(bytes, count);
    return (chash_128){.low = hash.low64, .high = hash.high64};
}
