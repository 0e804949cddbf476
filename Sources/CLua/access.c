// Operations that may run metamethods, each as a small C function under protection.
#include "internal.h"

#include <lauxlib.h>

static const clua_budget no_limit = {.ticks = UINT64_MAX >> 1};

static int get(lua_State *L) {
    lua_gettable(L, 1);
    return 1;
}

static int set(lua_State *L) {
    lua_settable(L, 1);
    return 0;
}

static int to_string(lua_State *L) {
    luaL_tolstring(L, 1, NULL);
    return 1;
}

static int length(lua_State *L) {
    lua_pushinteger(L, luaL_len(L, 1));
    return 1;
}

static int equal(lua_State *L) {
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPEQ));
    return 1;
}

static int next(lua_State *L) { return lua_next(L, 1) ? 2 : 0; }

int clua_get(clua_state *state, lua_State *L, int index, const clua_budget *budget) {
    lua_pushvalue(L, index);
    lua_insert(L, -2);
    return clua_protect(state, L, get, 2, 1, budget);
}

int clua_set(clua_state *state, lua_State *L, int index, const clua_budget *budget) {
    lua_pushvalue(L, index);
    lua_insert(L, -3);
    return clua_protect(state, L, set, 3, 0, budget);
}

int clua_tostring(clua_state *state, lua_State *L, int index, const clua_budget *budget) {
    lua_pushvalue(L, index);
    return clua_protect(state, L, to_string, 1, 1, budget);
}

int clua_length(clua_state *state, lua_State *L, int index, const clua_budget *budget) {
    lua_pushvalue(L, index);
    return clua_protect(state, L, length, 1, 1, budget);
}

int clua_equal(clua_state *state, lua_State *L, int index, int other, bool *result) {
    index = lua_absindex(L, index);
    lua_pushvalue(L, other);
    lua_pushvalue(L, index);
    int status = clua_protect(state, L, equal, 2, 1, &no_limit);
    if (status != LUA_OK) return status;
    *result = lua_toboolean(L, -1);
    lua_settop(L, -2);
    return LUA_OK;
}

int clua_next(clua_state *state, lua_State *L, int index, bool *more) {
    int before = lua_gettop(L) - 1;
    lua_pushvalue(L, index);
    lua_insert(L, -2);
    int status = clua_protect(state, L, next, 2, LUA_MULTRET, &no_limit);
    *more = status == LUA_OK && lua_gettop(L) > before;
    return status;
}

int clua_match(clua_state *state, lua_State *L, int text, int pattern, const clua_budget *budget, int *captures) {
    text = lua_absindex(L, text);
    pattern = lua_absindex(L, pattern);
    int before = lua_gettop(L);
    lua_pushvalue(L, text);
    lua_pushvalue(L, pattern);
    int status = clua_protect(state, L, state->match, 2, LUA_MULTRET, budget);
    *captures = status == LUA_OK ? lua_gettop(L) - before : 0;
    return status;
}

bool clua_rawset(lua_State *L, int index) {
    bool is_nan = lua_type(L, -2) == LUA_TNUMBER && lua_tonumber(L, -2) != lua_tonumber(L, -2);
    if (is_nan || lua_isnil(L, -2)) {
        lua_settop(L, -3);
        return false;
    }
    lua_rawset(L, index);
    return true;
}
