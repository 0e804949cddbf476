// Text of unknown size, for library functions: short ones stay on the C stack, longer ones in userdata, which
// an error leaves to the collector.
#include "internal.h"

#include <lauxlib.h>
#include <string.h>

void clua_text_begin(clua_text *text, lua_State *L) {
    luaL_checkstack(L, 4, "text");
    text->L = L;
    text->data = text->small;
    text->size = 0;
    text->capacity = sizeof text->small;
    // The memory's place.
    lua_pushnil(L);
    text->slot = lua_gettop(L);
}

void *clua_new_bytes(lua_State *L, size_t size) {
    clua_state *state = state_of(L);
    // Lua would collect all garbage before it gave up on what can never be.
    if (size > state->limit) {
        clua_note_shortage(state, size);
        lua_pushliteral(L, "not enough memory");
        lua_error(L);
    }
    return lua_newuserdatauv(L, size, 0);
}

char *clua_text_reserve(clua_text *text, size_t count) {
    if (count <= text->capacity - text->size) return text->data + text->size;
    lua_State *L = text->L;
    clua_poll(L);
    if (count > SIZE_MAX / 4 - text->size) luaL_error(L, "resulting string too large");
    size_t needed = text->size + count;
    // The first request is often for the whole text.
    size_t capacity = needed > 2 * text->capacity ? needed : 2 * text->capacity;
    char *data = clua_new_bytes(L, capacity);
    memcpy(data, text->data, text->size);
    lua_replace(L, text->slot);
    text->data = data;
    text->capacity = capacity;
    return data + text->size;
}

void clua_text_add(clua_text *text, const char *bytes, size_t count) {
    memcpy(clua_text_reserve(text, count), bytes, count);
    text->size += count;
}

void clua_text_add_value(clua_text *text) {
    size_t length;
    const char *bytes = lua_tolstring(text->L, -1, &length);
    clua_text_add(text, bytes, length);
    lua_settop(text->L, -2);
}

void clua_text_push(clua_text *text) { lua_pushlstring(text->L, text->data, text->size); }
