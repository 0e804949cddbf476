// Metatables that scripts share with the host. A table is marked for a finalizer when it gets a metatable
// that has a `__gc` of any value; when it dies, the `__gc` of that moment runs (manual 2.5.3), with hooks
// off, out of every budget's reach. So scripts can't set such a metatable, and those of the host are locked
// against later changes.
#include "internal.h"

#include <lauxlib.h>

/// The registry's set of locked metatables that a script may take off a table, or replace.
static const char removable_key;

bool clua_has_finalizer(lua_State *L, int index) {
    index = lua_absindex(L, index);
    lua_pushliteral(L, "__gc");
    bool has = lua_rawget(L, index) != LUA_TNIL;
    lua_settop(L, -2);
    return has;
}

void clua_refuse_finalizer(lua_State *L, int index) {
    if (clua_has_finalizer(L, index))
        luaL_error(L, "'__gc' is not available to scripts: use '__close' or an explicit call");
}

void clua_let_remove(lua_State *L) {
    clua_reserve(L, 4);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &removable_key) != LUA_TTABLE) {
        lua_settop(L, -2);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &removable_key);
    }
    lua_insert(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_settop(L, -2);
}

bool clua_is_protected(lua_State *L, int index) {
    clua_reserve(L, 4);
    int top = lua_gettop(L);
    if (!lua_getmetatable(L, index)) return false;
    lua_pushliteral(L, "__metatable");
    bool is_locked = lua_rawget(L, -2) != LUA_TNIL;
    if (is_locked && lua_rawgetp(L, LUA_REGISTRYINDEX, &removable_key) == LUA_TTABLE) {
        lua_pushvalue(L, top + 1);
        is_locked = lua_rawget(L, -2) == LUA_TNIL;
    }
    lua_settop(L, top);
    return is_locked;
}

static int set_metatable(lua_State *L) {
    int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    if (type == LUA_TTABLE) clua_refuse_finalizer(L, 2);
    if (clua_is_protected(L, 1)) return luaL_error(L, "cannot change a protected metatable");
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

void clua_open_metatables(lua_State *L) {
    lua_pushcfunction(L, set_metatable);
    lua_setfield(L, -2, "setmetatable");
}
