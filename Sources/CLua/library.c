// The part of the standard library that scripts get, with the few functions that had to change.
#include "internal.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

int clua_original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

void clua_guard(lua_State *L, const char *name, lua_CFunction function) {
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

static int collect_garbage(lua_State *L) {
    const char *option = luaL_optstring(L, 1, "collect");
    if (strcmp(option, "count") != 0)
        return luaL_error(L, "collectgarbage '%s' is not available to scripts, only 'count' is", option);
    lua_pushnumber(L, (lua_Number)clua_used(state_of(L)) / 1024);
    return 1;
}

// An error raised by the budget's hook calls the handler with hooks still off: an endless one would never
// end.
static int handle(lua_State *L) {
    if (state_of(L)->expired) return 1;
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int finish_xpcall(lua_State *L, int status, lua_KContext below) {
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)below;
    lua_pushboolean(L, 0);
    lua_pushvalue(L, -2);
    return 2;
}

static int protected_call(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, handle, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2);
    return finish_xpcall(L, lua_pcallk(L, lua_gettop(L) - 4, LUA_MULTRET, 2, 2, finish_xpcall), 2);
}

// Without functions and locals: those would lead out of the sandbox.
static int get_info(lua_State *L) {
    lua_Debug ar;
    lua_State *target = L;
    int argument = 1;
    if (lua_isthread(L, 1)) {
        target = lua_tothread(L, 1);
        argument = 2;
    }
    luaL_argcheck(L, target == L || lua_checkstack(target, 3), 1, "stack overflow");
    if (lua_isfunction(L, argument)) {
        lua_pushvalue(L, argument);
        lua_xmove(L, target, 1);
        lua_getinfo(target, ">Slnu", &ar);
    } else {
        lua_Integer level = luaL_checkinteger(L, argument);
        if (level < 0 || level > 1000000 || !lua_getstack(target, (int)level, &ar)) {
            luaL_pushfail(L);
            return 1;
        }
        lua_getinfo(target, "Slnu", &ar);
    }
    lua_createtable(L, 0, 9);
    lua_pushlstring(L, ar.source, ar.srclen);
    lua_setfield(L, -2, "source");
    lua_pushstring(L, ar.short_src);
    lua_setfield(L, -2, "short_src");
    lua_pushstring(L, ar.what);
    lua_setfield(L, -2, "what");
    lua_pushstring(L, ar.name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, ar.namewhat);
    lua_setfield(L, -2, "namewhat");
    lua_pushinteger(L, ar.currentline);
    lua_setfield(L, -2, "currentline");
    lua_pushinteger(L, ar.linedefined);
    lua_setfield(L, -2, "linedefined");
    lua_pushinteger(L, ar.lastlinedefined);
    lua_setfield(L, -2, "lastlinedefined");
    lua_pushinteger(L, ar.nparams);
    lua_setfield(L, -2, "nparams");
    return 1;
}

static void forget(lua_State *L, const char *name) {
    lua_pushnil(L);
    lua_setfield(L, -2, name);
}

static void open_base(lua_State *L) {
    luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
    lua_pushnil(L);
    lua_pushcclosure(L, clua_load_text, 1);
    lua_setfield(L, -2, "load");
    static const luaL_Reg functions[] = {
        {"collectgarbage", collect_garbage},
        {"xpcall", protected_call},
        {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    clua_open_metatables(L);
    clua_open_raw_access(L);
    forget(L, "warn");
    lua_getfield(L, -1, "error");
    lua_getfield(L, -2, "assert");
    state_of(L)->raisers[0] = lua_tocfunction(L, -2);
    state_of(L)->raisers[1] = lua_tocfunction(L, -1);
    lua_settop(L, -4);
}

static void open_plain(lua_State *L) {
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
    clua_open_text(L);
    lua_getfield(L, -1, "match");
    state_of(L)->match = lua_tocfunction(L, -1);
    lua_settop(L, -2);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_settop(L, -4);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
    clua_open_lists(L);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 1);
    clua_open_utf8(L);
    lua_settop(L, -4);
}

// Copies functions of the library below the new table on top.
static void keep(lua_State *L, const char *const names[]) {
    for (; *names; names++) {
        lua_getfield(L, -2, *names);
        lua_setfield(L, -2, *names);
    }
}

static void open_parts(lua_State *L) {
    static const char *const os[] = {"time", "date", "clock", "difftime", NULL}, *const debug[] = {"traceback", NULL};
    luaL_requiref(L, LUA_OSLIBNAME, luaopen_os, 0);
    clua_open_dates(L);
    lua_newtable(L);
    keep(L, os);
    lua_setglobal(L, LUA_OSLIBNAME);
    luaL_requiref(L, LUA_DBLIBNAME, luaopen_debug, 0);
    clua_guard(L, "traceback", clua_traceback_function);
    lua_newtable(L);
    keep(L, debug);
    lua_pushcfunction(L, get_info);
    lua_setfield(L, -2, "getinfo");
    lua_setglobal(L, LUA_DBLIBNAME);
    lua_newtable(L);
    lua_setglobal(L, LUA_IOLIBNAME);
    lua_settop(L, -3);
}

void clua_open_libraries(lua_State *L) {
    clua_reserve(L, 10);
    open_base(L);
    open_plain(L);
    clua_open_coroutines(L);
    open_parts(L);
    clua_open_stubs(L);
    clua_keep_globals(L);
}
