// Room on Lua's stacks. Lua allows about a million values on one, and Swift's pushes must find room: they
// have no way to fail. So a function of the host is only called where there is plenty, and the error of a
// stack that is too full is raised before Swift begins.
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

// Room that is asked for belongs to the function that runs, and goes with it.
static int measure(lua_State *L) {
    lua_pushboolean(L, lua_checkstack(L, CLUA_MIN_SLOTS));
    return 1;
}

// The lowest function of the main thread never ends: what it asked for would stay for good.
static bool main_has_space(lua_State *main) {
    if (!lua_checkstack(main, 2)) return false;
    lua_pushcfunction(main, measure);
    bool measured = lua_pcall(main, 0, 1, 0) == LUA_OK && lua_toboolean(main, -1);
    lua_settop(main, -2);
    return measured;
}

// Lua doesn't say how full a whole stack is, and asking for room makes a small one grow. But one that is
// nearly full is a large block of memory, of which there are few.
bool clua_has_stack_space(lua_State *L) {
    clua_state *state = state_of(L);
    if (state->large_blocks == 0) return true;
    return lua_checkstack(L, CLUA_MIN_SLOTS) && (L == state->main || main_has_space(state->main));
}

void clua_reserve(lua_State *L, int count) {
    if (lua_checkstack(L, count)) return;
    fputs("resthost: a function of the host has no room on its Lua stack\n", stderr);
    abort();
}
