// Tracebacks. Lua's own walks a deep stack from its top again and again, which takes seconds when a recursion
// has used all of it; of such a stack only the top is shown.
#include "internal.h"

#include <lauxlib.h>

enum { DEEP = 1000, TOLD = 20 };

// As luaL_traceback puts it.
static void push_level(lua_State *L, lua_State *thread, lua_Debug *ar) {
    lua_getinfo(thread, "Slnt", ar);
    if (ar->currentline > 0) lua_pushfstring(L, "\n\t%s:%d: in ", ar->short_src, ar->currentline);
    else lua_pushfstring(L, "\n\t%s: in ", ar->short_src);
    if (*ar->namewhat) lua_pushfstring(L, "%s '%s'", ar->namewhat, ar->name);
    else if (*ar->what == 'm') lua_pushliteral(L, "main chunk");
    else if (*ar->what == 'C') lua_pushliteral(L, "?");
    else lua_pushfstring(L, "function <%s:%d>", ar->short_src, ar->linedefined);
    if (ar->istailcall) lua_pushliteral(L, "\n\t(...tail calls...)");
    else lua_pushliteral(L, "");
    lua_concat(L, 3);
}

void clua_push_traceback(lua_State *L, lua_State *thread, const char *message, int level) {
    lua_Debug ar;
    if (level < 0 || !lua_getstack(thread, DEEP, &ar)) {
        luaL_traceback(L, thread, message, level);
        return;
    }
    luaL_checkstack(L, TOLD + 8, "traceback");
    lua_pushstring(L, message ? message : "");
    lua_pushstring(L, message ? "\nstack traceback:" : "stack traceback:");
    for (int i = 0; i < TOLD; i++)
        if (level <= DEEP && lua_getstack(thread, level + i, &ar)) push_level(L, thread, &ar);
        else lua_pushliteral(L, "");
    lua_pushliteral(L, "\n\t...\t(a deep stack)");
    lua_concat(L, TOLD + 3);
}

// debug.traceback. Upvalue: Lua's own.
int clua_traceback_function(lua_State *L) {
    lua_State *thread = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
    int argument = thread == L && !lua_isthread(L, 1) ? 1 : 2;
    if (!lua_isstring(L, argument) && !lua_isnoneornil(L, argument)) return clua_original(L);
    lua_Integer level = luaL_optinteger(L, argument + 1, thread == L ? 1 : 0);
    const char *message = lua_tostring(L, argument);
    clua_push_traceback(L, thread, message, level < 0 || level > DEEP ? DEEP + 1 : (int)level);
    return 1;
}
