// Shared by the files of the fingerprint.
#ifndef CLUA_FINGERPRINT_H
#define CLUA_FINGERPRINT_H

#include "internal.h"

#include <string.h>

enum { most_nodes = 4096, most_depth = 60, most_code = 1 << 20, most_bytes = 4 << 20 };

typedef struct {
    const void *object;
    uint32_t number;
} visit;

typedef struct {
    lua_State *L;
    uint64_t hash;
    /// Too much to look at, or no memory.
    bool gave_up;
    bool uses_globals;
    int depth;
    /// Open addressing; a power of two.
    visit *visits;
    uint32_t capacity, count;
    /// Of text and code, which many values may share.
    size_t bytes;
    uint8_t *code;
    size_t code_size, code_capacity;
} walk;

static inline void mix(walk *w, uint64_t word) {
    w->hash = (w->hash ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
    w->hash ^= w->hash >> 29;
}

static inline void mix_bytes(walk *w, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    mix(w, count);
    for (; count >= 8; at += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        mix(w, word);
    }
    uint64_t rest = 0;
    // There may be no bytes, and then no address.
    if (count > 0) memcpy(&rest, at, count);
    mix(w, rest);
}

/// Mixes in the Lua function on top, without where it was written and without its upvalues.
void clua_hash_code(walk *w);

#endif
