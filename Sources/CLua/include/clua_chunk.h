// Compiled chunks, read from what `lua_dump` writes (chunk.c).
#ifndef CLUA_CHUNK_H
#define CLUA_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A constant of a compiled function; its bytes are those of the number or of the text.
typedef struct {
    uint8_t tag;
    const uint8_t *bytes;
    size_t count;
} clua_constant;

/// Lua's tags of constants.
enum {
    CLUA_NIL = 0x00,
    CLUA_FALSE = 0x01,
    CLUA_TRUE = 0x11,
    CLUA_INTEGER = 0x03,
    CLUA_FLOAT = 0x13,
    CLUA_SHORT_STRING = 0x04,
    CLUA_LONG_STRING = 0x14,
};

/// A compiled function, whether or not it ever ran: no function of Lua's tells of code that has no closure
/// yet.
typedef struct clua_function {
    uint8_t parameters, stack_size;
    bool is_variadic;
    int64_t first_line;
    /// Instructions of four bytes each.
    const uint8_t *code;
    size_t code_count;
    clua_constant *constants;
    size_t constant_count;
    /// Three bytes each: whether it is a local of the function around this one, else one of its upvalues;
    /// which; a kind.
    const uint8_t *upvalues;
    size_t upvalue_count;
    struct clua_function *functions;
    size_t function_count;
    /// Of each instruction; none when the chunk was written without.
    int64_t *lines;
    size_t line_count;
} clua_function;

/// The main function of a chunk in Lua's binary form, which refers to `bytes`; NULL when they are none of
/// this Lua, or there is no memory.
clua_function *clua_read_chunk(const uint8_t *bytes, size_t count);
/// Frees what ``clua_read_chunk`` made; NULL is allowed.
void clua_free_chunk(clua_function *main);

#endif
