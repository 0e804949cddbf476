// Room on Lua's stacks. Lua allows about a million values on one, and whatever Swift pushes must find room: it has no
// way to fail. So a function of the host is only called where there is plenty, and the error of a stack that is too full
// is raised before Swift begins.
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

// Lua tells nobody how full a whole stack is, and asking for room makes a small one grow. But one that is nearly full is
// a large block of memory, of which there are few.
bool clua_has_room(lua_State *L) {
    clua_state *state = state_of(L);
    if (state->large_blocks == 0) return true;
    return lua_checkstack(L, CLUA_ROOM) && (L == state->main || lua_checkstack(state->main, CLUA_ROOM));
}

void clua_reserve(lua_State *L, int count) {
    if (lua_checkstack(L, count)) return;
    fputs("resthost: a function of the host has no room on its Lua stack\n", stderr);
    abort();
}
