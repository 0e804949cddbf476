// The code of a function as a part of its fingerprint.
#include "fingerprint.h"

#include <stdlib.h>

// A walk over what `lua_dump` wrote, in the format of Lua 5.4 (ldump.c), to leave out where a function was written.
typedef struct {
    const uint8_t *at, *end;
    bool bad;
} reader;

static const uint8_t *take(reader *r, size_t count) {
    if ((size_t)(r->end - r->at) < count) {
        r->bad = true;
        r->at = r->end;
        return NULL;
    }
    const uint8_t *start = r->at;
    r->at += count;
    return start;
}

static size_t take_size(reader *r) {
    size_t value = 0;
    for (;;) {
        const uint8_t *byte = take(r, 1);
        if (!byte || value > SIZE_MAX >> 7) return 0;
        value = value << 7 | (*byte & 0x7F);
        if (*byte & 0x80) return value;
    }
}

static void hash_bytes(walk *w, reader *r, size_t count) {
    const uint8_t *bytes = take(r, count);
    if (bytes) mix_bytes(w, bytes, count);
}

static void hash_string(walk *w, reader *r) {
    size_t size = take_size(r);
    if (size) hash_bytes(w, r, size - 1);
    else mix(w, 0);
}

static size_t hash_size(walk *w, reader *r) {
    size_t size = take_size(r);
    mix(w, size);
    return size;
}

static void hash_constant(walk *w, reader *r) {
    const uint8_t *tag = take(r, 1);
    if (!tag) return;
    mix(w, *tag);
    switch (*tag) {
    case 0x03: hash_bytes(w, r, sizeof(lua_Integer)); break;
    case 0x13: hash_bytes(w, r, sizeof(lua_Number)); break;
    case 0x04:
    case 0x14: hash_string(w, r); break;
    default: break;
    }
}

static void hash_prototype(walk *w, reader *r, int depth) {
    if (depth > 200) r->bad = true;
    hash_string(w, r);
    take_size(r), take_size(r);
    hash_bytes(w, r, 3);
    hash_bytes(w, r, take_size(r) * 4);
    for (size_t n = hash_size(w, r); n && !r->bad; n--) hash_constant(w, r);
    hash_bytes(w, r, take_size(r) * 3);
    for (size_t n = hash_size(w, r); n && !r->bad; n--) hash_prototype(w, r, depth + 1);
    take(r, take_size(r));
    for (size_t n = take_size(r); n && !r->bad; n--) take_size(r), take_size(r);
    for (size_t n = take_size(r); n && !r->bad; n--) hash_string(w, r), take_size(r), take_size(r);
    for (size_t n = take_size(r); n && !r->bad; n--) hash_string(w, r);
}

static int append(lua_State *L, const void *bytes, size_t count, void *argument) {
    (void)L;
    walk *w = argument;
    if (w->code_size + count > most_code) return 1;
    if (w->code_size + count > w->code_capacity) {
        size_t capacity = (w->code_size + count) * 2 + 256;
        uint8_t *code = realloc(w->code, capacity);
        if (!code) return 1;
        w->code = code;
        w->code_capacity = capacity;
    }
    memcpy(w->code + w->code_size, bytes, count);
    w->code_size += count;
    return 0;
}

void clua_hash_code(walk *w) {
    w->code_size = 0;
    if (lua_dump(w->L, append, w, 1) != 0 || (w->bytes += w->code_size) > most_bytes) {
        w->gave_up = true;
        return;
    }
    // Signature, version, format, data, three sizes, two samples; then the count of upvalues.
    const size_t header = 4 + 1 + 1 + 6 + 3 + sizeof(lua_Integer) + sizeof(lua_Number) + 1;
    reader r = {w->code + header, w->code + w->code_size, w->code_size < header || w->code[4] != 0x54};
    if (!r.bad) hash_prototype(w, &r, 0);
    if (r.bad || r.at != r.end) w->gave_up = true;
}
