// The code of a function as a part of its fingerprint.
#include "fingerprint.h"

#include <stdlib.h>

static void hash_constant(walk *w, const clua_constant *constant) {
    mix(w, constant->tag);
    mix_bytes(w, constant->bytes, constant->count);
}

// Without what the script calls it and where it was written.
static void hash_prototype(walk *w, const clua_function *f) {
    mix(w, (uint64_t)f->parameters << 16 | (uint64_t)f->is_variadic << 8 | f->stack_size);
    mix_bytes(w, f->code, f->code_count * 4);
    mix(w, f->constant_count);
    for (size_t i = 0; i < f->constant_count; i++) hash_constant(w, &f->constants[i]);
    mix_bytes(w, f->upvalues, f->upvalue_count * 3);
    mix(w, f->function_count);
    for (size_t i = 0; i < f->function_count; i++) hash_prototype(w, &f->functions[i]);
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
    clua_function *main = clua_read_chunk(w->code, w->code_size);
    if (main) hash_prototype(w, main);
    else w->gave_up = true;
    clua_free_chunk(main);
}
