// Sandboxes: several scripts in one state, each with globals and library tables of its own.
#include "internal.h"

#include <lauxlib.h>
#include <lualib.h>

static const char pristine_key;

// Copies the fields of the table at `from`, one level, into the new table that it pushes.
static void copy_table(lua_State *L, int from) {
    from = lua_absindex(L, from);
    lua_createtable(L, 0, 16);
    lua_pushnil(L);
    while (lua_next(L, from)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
}

// Strings have one metatable in a state, and it leads to one table of functions: what a script adds to
// `string` would not be found as a method if each sandbox had a copy.
static bool is_shared(lua_State *L, int key) {
    lua_pushliteral(L, LUA_STRLIBNAME);
    bool shared = lua_rawequal(L, -1, key);
    lua_settop(L, -2);
    return shared;
}

static bool is_globals_name(lua_State *L, int key) {
    lua_pushliteral(L, LUA_GNAME);
    bool equal = lua_rawequal(L, -1, key);
    lua_settop(L, -2);
    return equal;
}

// Pushes a copy of the globals at `from`, in which the library tables are copies too. `_G` is left out.
static void copy_globals(lua_State *L, int from) {
    from = lua_absindex(L, from);
    lua_createtable(L, 0, 48);
    int to = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, from)) {
        int key = to + 1;
        if (is_globals_name(L, key)) {
            lua_settop(L, key);
            continue;
        }
        if (lua_type(L, -1) == LUA_TTABLE && !is_shared(L, key)) copy_table(L, -1);
        lua_pushvalue(L, key);
        lua_insert(L, -2);
        lua_rawset(L, to);
        lua_settop(L, key);
    }
}

void clua_keep_globals(lua_State *L) {
    clua_reserve(L, 12);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    copy_globals(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &pristine_key);
    lua_settop(L, -2);
}

void clua_push_new_globals(lua_State *L) {
    clua_reserve(L, 12);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &pristine_key);
    copy_globals(L, -1);
    lua_remove(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, LUA_GNAME);
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, clua_load_text, 1);
    lua_setfield(L, -2, "load");
}

void clua_set_globals(lua_State *L) {
    if (!lua_setupvalue(L, -2, 1)) lua_settop(L, -2);
}
