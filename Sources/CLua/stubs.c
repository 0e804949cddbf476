// Functions of io, os and debug that scripts don't get. They exist so that ordinary libraries load, and say
// why they fail when one is called.
#include "internal.h"

#include <lauxlib.h>

static int refuse(lua_State *L) {
    return luaL_error(L, "'%s' is not available to scripts", lua_tostring(L, lua_upvalueindex(1)));
}

static void stub(lua_State *L, const char *library, const char *const names[]) {
    lua_getglobal(L, library);
    for (; *names; names++) {
        lua_pushfstring(L, "%s.%s", library, *names);
        lua_pushcclosure(L, refuse, 1);
        lua_setfield(L, -2, *names);
    }
    lua_settop(L, -2);
}

void clua_open_stubs(lua_State *L) {
    static const char *const io[] = {
        "close", "flush", "input", "lines", "open", "output", "popen", "read", "tmpfile", "type", NULL,
    };
    static const char *const os[] = {
        "difftime", "execute", "exit", "remove", "rename", "setlocale", "tmpname", NULL,
    };
    static const char *const debug[] = {
        "debug",        "gethook",      "getlocal",       "getmetatable", "getregistry",
        "getupvalue",   "getuservalue", "setcstacklimit", "sethook",      "setlocal",
        "setmetatable", "setupvalue",   "setuservalue",   "upvalueid",    "upvaluejoin",
        NULL,
    };
    stub(L, "io", io);
    stub(L, "os", os);
    stub(L, "debug", debug);
}
