// Text to functions. The parser works for as long as its text is, so it gets the text in pieces, with a look
// at the budget before each.
#include "internal.h"

#include <lauxlib.h>
#include <string.h>

enum { PIECE = 1 << 12 };

typedef struct {
    const char *rest;
    size_t count;
} source;

static const char *read_piece(lua_State *L, void *data, size_t *size) {
    source *source = data;
    const char *piece = source->rest;
    clua_poll(L);
    *size = source->count < PIECE ? source->count : PIECE;
    source->rest += *size;
    source->count -= *size;
    return *size > 0 ? piece : NULL;
}

// Stack: the function that gives the pieces at 1; the piece that is being read at PIECE_SLOT.
enum { PIECE_SLOT = 5 };

static const char *call_reader(lua_State *L, void *data, size_t *size) {
    (void)data;
    luaL_checkstack(L, 2, "too many nested functions");
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) {
        lua_settop(L, -2);
        return NULL;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
    lua_replace(L, PIECE_SLOT);
    return lua_tolstring(L, PIECE_SLOT, size);
}

// Upvalue: the globals of the sandbox, of which the main sandbox has none here, being Lua's default. Bytecode
// could crash the process.
int clua_load_text(lua_State *L) {
    size_t length;
    bool has_environment = lua_gettop(L) >= 4;
    const char *text = lua_tolstring(L, 1, &length);
    const char *chunk = luaL_optstring(L, 2, text ? text : "=(load)"), *mode = luaL_optstring(L, 3, "t");
    if (!text) luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, PIECE_SLOT);
    int status = LUA_ERRSYNTAX;
    source source = {text, length};
    if (!strchr(mode, 't')) lua_pushfstring(L, "attempt to load a text chunk (mode is '%s')", mode);
    else if (text) status = lua_load(L, read_piece, &source, chunk, "t");
    else status = lua_load(L, call_reader, NULL, chunk, "t");
    if (status != LUA_OK) {
        luaL_pushfail(L);
        lua_rotate(L, -2, 1);
        return 2;
    }
    if (has_environment) lua_pushvalue(L, 4);
    else lua_pushvalue(L, lua_upvalueindex(1));
    if (!has_environment && lua_isnil(L, -1)) lua_settop(L, -2);
    else if (!lua_setupvalue(L, -2, 1)) lua_settop(L, -2);
    return 1;
}

// The parser allocates a lot and must be refusable. It is protected by itself (manual, lua_load) and raises
// nothing.
int clua_load(
    clua_state *state, lua_State *L, const char *text, size_t length, const char *chunk,
    const clua_budget *budget) {
    clua_entry saved;
    if (clua_is_deep(state)) return clua_refuse_deep(state, L, 0);
    clua_forget_failure(state);
    clua_enter(state, L, budget, &saved);
    source source = {text, text ? length : 0};
    int status = lua_load(L, read_piece, &source, chunk, "t");
    clua_leave(state, &saved);
    return status;
}
