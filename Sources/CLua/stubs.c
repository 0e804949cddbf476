// Functions of the standard library that scripts don't get. They exist so that ordinary libraries load, and
// say why they fail when one is called.
#include "internal.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

/// The registry's table of what to do instead, by the function's full name.
static const char advice_key;

static int refuse(lua_State *L) {
    const char *name = lua_tostring(L, lua_upvalueindex(1)), *advice = NULL;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &advice_key) == LUA_TTABLE) {
        lua_getfield(L, -1, name);
        advice = lua_tostring(L, -1);
    }
    if (!advice) return luaL_error(L, "'%s' is not available to scripts", name);
    return luaL_error(L, "'%s' is not available to scripts: %s", name, advice);
}

void clua_push_stub(lua_State *L, const char *name) {
    lua_pushstring(L, name);
    lua_pushcclosure(L, refuse, 1);
}

void clua_advise(lua_State *L, const char *name, const char *advice) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &advice_key) != LUA_TTABLE) {
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &advice_key);
        lua_remove(L, -2);
    }
    lua_pushstring(L, advice);
    lua_setfield(L, -2, name);
    lua_settop(L, -2);
}

static void stub(lua_State *L, const char *library, const char *const names[]) {
    lua_getglobal(L, library);
    for (; *names; names++) {
        if (strcmp(library, LUA_GNAME) == 0) {
            clua_push_stub(L, *names);
        } else {
            clua_push_stub(L, lua_pushfstring(L, "%s.%s", library, *names));
            lua_remove(L, -2);
        }
        lua_setfield(L, -2, *names);
    }
    lua_settop(L, -2);
}

static int give_nil(lua_State *L) {
    lua_pushnil(L);
    return 1;
}

void clua_open_stubs(lua_State *L) {
    static const char *const base[] = {"dofile", "loadfile", NULL};
    static const char *const string[] = {"dump", NULL};
    static const char *const io[] = {
        "close", "flush", "input", "lines", "open", "output", "popen", "read", "tmpfile", NULL,
    };
    static const char *const os[] = {
        "execute", "exit", "remove", "rename", "setlocale", "tmpname", NULL,
    };
    static const char *const debug[] = {
        "debug",    "getlocal", "getregistry",  "getupvalue", "getuservalue", "setcstacklimit", "sethook",
        "setlocal", "setmetatable", "setupvalue", "setuservalue", "upvalueid", "upvaluejoin", NULL,
    };
    stub(L, LUA_GNAME, base);
    stub(L, LUA_STRLIBNAME, string);
    stub(L, LUA_IOLIBNAME, io);
    stub(L, LUA_OSLIBNAME, os);
    stub(L, LUA_DBLIBNAME, debug);
    // Metatables are what they are elsewhere, no script has a hook, and nothing is a file.
    lua_getglobal(L, LUA_DBLIBNAME);
    lua_getglobal(L, "getmetatable");
    lua_setfield(L, -2, "getmetatable");
    lua_pushcfunction(L, give_nil);
    lua_setfield(L, -2, "gethook");
    lua_getglobal(L, LUA_IOLIBNAME);
    lua_pushcfunction(L, give_nil);
    lua_setfield(L, -2, "type");
    lua_settop(L, -3);
}
