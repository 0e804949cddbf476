// Values that Swift keeps: one table in the registry, whose slots Swift numbers.
#include "internal.h"

static const char references_key;

static void push_references(lua_State *L) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &references_key) == LUA_TTABLE) return;
    lua_settop(L, -2);
    lua_createtable(L, 64, 0);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &references_key);
}

static void set(lua_State *L, lua_Integer slot) {
    clua_reserve(L, 3);
    push_references(L);
    lua_insert(L, -2);
    lua_rawseti(L, -2, slot);
    lua_settop(L, -2);
}

void clua_anchor(lua_State *L, lua_Integer slot) {
    clua_state *state = state_of(L);
    set(L, slot);
    state->anchored++;
    if (clua_used(state) > state->limit) state->over_limit = true;
}

void clua_release(lua_State *L, lua_Integer slot) {
    clua_reserve(L, 3);
    // Not nil: an array part keeps its size, so slots that come again need no new memory.
    lua_pushboolean(L, 0);
    set(L, slot);
    state_of(L)->anchored--;
}

void clua_push_anchored(lua_State *L, lua_Integer slot) {
    clua_reserve(L, 3);
    push_references(L);
    lua_rawgeti(L, -1, slot);
    lua_remove(L, -2);
}
