// A protected call whose outcome goes to a function of the host. The called function may wait, so the call
// starts here and not in Swift.
#include "internal.h"

#include <lauxlib.h>

// Stack: the function that was called, the other arguments (`count` in all), its result or error.
static int notify(lua_State *L, int status, lua_KContext count) {
    int others = (int)count - 1;
    luaL_checkstack(L, others + 4, NULL);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushboolean(L, status == LUA_OK || status == LUA_YIELD);
    lua_pushvalue(L, (int)count + 1);
    for (int argument = 0; argument < others; argument++) lua_pushvalue(L, argument + 2);
    lua_call(L, others + 2, LUA_MULTRET);
    return lua_gettop(L) - (int)count - 1;
}

static int call_guarded(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    int count = lua_gettop(L);
    lua_pushvalue(L, 1);
    return notify(L, lua_pcallk(L, 0, 1, 0, count, notify), count);
}

void clua_push_guard(lua_State *L) { lua_pushcclosure(L, call_guarded, 1); }
