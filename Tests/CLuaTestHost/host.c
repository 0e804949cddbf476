#include "luahost.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

char *luahost_run(const char *source, size_t length, size_t *result_length) {
    lua_State *L = luaL_newstate();
    if (!L) return NULL;
    luaL_openlibs(L);
    if (luaL_loadbufferx(L, source, length, "@test.lua", "t") == LUA_OK) lua_pcall(L, 0, 1, 0);
    size_t count;
    const char *text = luaL_tolstring(L, -1, &count);
    char *result = malloc(count + 1);
    if (result) memcpy(result, text, count + 1);
    *result_length = count;
    lua_close(L);
    return result;
}
