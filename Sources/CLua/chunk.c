// Reads what `lua_dump` wrote, in the format of Lua 5.4 (ldump.c, lundump.c). All counts and sizes are
// checked against the bytes.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

// Lua's parser allows 200 C levels.
enum { MOST_NESTED = 256, ABSOLUTE_LINE = -128 };

typedef struct {
    const uint8_t *at, *end;
    bool bad;
} reader;

static size_t left(const reader *r) { return (size_t)(r->end - r->at); }

static const uint8_t *take(reader *r, size_t count) {
    if (r->bad || left(r) < count) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *start = r->at;
    r->at += count;
    return start;
}

static uint8_t take_byte(reader *r) {
    const uint8_t *byte = take(r, 1);
    return byte ? *byte : 0;
}

// Seven bits in each byte, the most significant first; the last byte is marked.
static size_t take_size(reader *r) {
    size_t value = 0;
    for (int bytes = 0; bytes < 7; bytes++) {
        const uint8_t *byte = take(r, 1);
        if (!byte) return 0;
        value = value << 7 | (*byte & 0x7F);
        if (*byte & 0x80) return value;
    }
    r->bad = true;
    return 0;
}

// How many there are of what takes at least `bytes` each.
static size_t take_count(reader *r, size_t bytes) {
    size_t count = take_size(r);
    if (count > left(r) / bytes) r->bad = true;
    return r->bad ? 0 : count;
}

static const uint8_t *take_string(reader *r, size_t *count) {
    size_t size = take_size(r);
    *count = size ? size - 1 : 0;
    return take(r, *count);
}

static void *make(reader *r, size_t count, size_t size) {
    if (count == 0 || r->bad) return NULL;
    void *made = calloc(count, size);
    if (!made) r->bad = true;
    return made;
}

static void read_constants(reader *r, clua_function *f) {
    size_t count = take_count(r, 1);
    f->constants = make(r, count, sizeof *f->constants);
    if (!f->constants) return;
    f->constant_count = count;
    for (size_t i = 0; i < count && !r->bad; i++) {
        clua_constant *constant = &f->constants[i];
        constant->tag = take_byte(r);
        switch (constant->tag) {
        case CLUA_NIL:
        case CLUA_FALSE:
        case CLUA_TRUE: break;
        case CLUA_INTEGER: constant->bytes = take(r, constant->count = sizeof(lua_Integer)); break;
        case CLUA_FLOAT: constant->bytes = take(r, constant->count = sizeof(lua_Number)); break;
        case CLUA_SHORT_STRING:
        case CLUA_LONG_STRING: constant->bytes = take_string(r, &constant->count); break;
        default: r->bad = true;
        }
    }
}

// A byte for each instruction: the difference to the line before, or a mark that the line is in the list
// behind.
static void read_lines(reader *r, clua_function *f) {
    size_t count = take_count(r, 1);
    const uint8_t *steps = take(r, count);
    size_t marks = take_count(r, 2);
    f->lines = make(r, count, sizeof *f->lines);
    if (f->lines) f->line_count = count;
    int64_t line = f->first_line;
    for (size_t i = 0; i < f->line_count && !r->bad; i++) {
        int8_t step = (int8_t)steps[i];
        if (step != ABSOLUTE_LINE) {
            line += step;
        } else if (marks > 0) {
            marks--;
            take_size(r);
            line = (int64_t)take_size(r);
        } else {
            r->bad = true;
        }
        f->lines[i] = line;
    }
    for (; marks > 0 && !r->bad; marks--) take_size(r), take_size(r);
}

static void skip_names(reader *r) {
    size_t count;
    for (size_t n = take_count(r, 3); n > 0 && !r->bad; n--) take_string(r, &count), take_size(r), take_size(r);
    for (size_t n = take_count(r, 1); n > 0 && !r->bad; n--) take_string(r, &count);
}

static void read_function(reader *r, clua_function *f, int depth) {
    size_t count;
    if (depth >= MOST_NESTED) r->bad = true;
    take_string(r, &count);
    f->first_line = (int64_t)take_size(r);
    take_size(r);
    f->parameters = take_byte(r);
    f->is_variadic = take_byte(r) != 0;
    f->stack_size = take_byte(r);
    f->code_count = take_count(r, 4);
    f->code = take(r, f->code_count * 4);
    read_constants(r, f);
    f->upvalue_count = take_count(r, 3);
    f->upvalues = take(r, f->upvalue_count * 3);
    // The least that a function takes.
    size_t functions = take_count(r, 14);
    f->functions = make(r, functions, sizeof *f->functions);
    if (f->functions) f->function_count = functions;
    for (size_t i = 0; i < f->function_count && !r->bad; i++) read_function(r, &f->functions[i], depth + 1);
    read_lines(r, f);
    skip_names(r);
}

static void clear(clua_function *f) {
    for (size_t i = 0; i < f->function_count; i++) clear(&f->functions[i]);
    free(f->functions);
    free(f->constants);
    free(f->lines);
}

clua_function *clua_read_chunk(const uint8_t *bytes, size_t count) {
    // Signature, version, format, check data, three sizes; an integer and a number; the count of upvalues.
    static const uint8_t head[] = {0x1B, 'L', 'u', 'a', 0x54, 0, 0x19, 0x93, 0x0D, 0x0A, 0x1A, 0x0A, 4, 8, 8};
    const lua_Integer integer = 0x5678;
    const lua_Number number = 370.5;
    reader r = {bytes, bytes + count, false};
    const uint8_t *start = take(&r, sizeof head + 16 + 1);
    if (!start || memcmp(start, head, sizeof head) != 0 || memcmp(start + sizeof head, &integer, 8) != 0 ||
        memcmp(start + sizeof head + 8, &number, 8) != 0)
        return NULL;
    clua_function *main = calloc(1, sizeof *main);
    if (!main) return NULL;
    read_function(&r, main, 0);
    if (!r.bad && r.at == r.end) return main;
    clua_free_chunk(main);
    return NULL;
}

void clua_free_chunk(clua_function *main) {
    if (!main) return;
    clear(main);
    free(main);
}
