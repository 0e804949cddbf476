// The end of userdata that Lua finds dead, once there are owners (owner.c).
//
// A value that departed may refer to userdata that were found dead with it, and that nothing else refers to.
// So only the next cycle releases a userdata, if it finds it dead too and the userdata was not used in
// between. An owner is released at once, for that shows its end.
#include "owner.h"

// The cycle that is under way, or was last. Dead values leave `cycle`, a table with weak values, before
// finalizers run; the watch, which is always dead, puts itself back in its own finalizer.
static uint32_t current_cycle(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_cycle);
    bool has_begun = lua_rawgeti(L, -1, 1) == LUA_TNIL;
    lua_settop(L, -3);
    return state_of(L)->cycle + has_begun;
}

// Of the host objects that own, those that Swift holds stay alive, for they may lead it back to the script;
// the others are the script's alone from now on.
static void pin_shared(lua_State *L) {
    clua_state *state = state_of(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_objects);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_pinned);
    int objects = lua_gettop(L) - 1;
    lua_pushnil(L);
    while (lua_next(L, objects)) {
        lua_settop(L, -2);
        const clua_userdata *userdata = clua_userdata_at(L, -1);
        if (!userdata->object) continue;
        bool shared = state->callbacks.is_shared(userdata->object);
        lua_pushvalue(L, -1);
        bool was_pinned = lua_rawget(L, objects + 1) != LUA_TNIL;
        lua_settop(L, -2);
        if (shared == was_pinned) continue;
        if (was_pinned) state->finds_more = true;
        lua_pushvalue(L, -1);
        if (shared) lua_pushboolean(L, 1);
        else lua_pushnil(L);
        lua_rawset(L, objects + 1);
    }
    lua_settop(L, objects - 1);
}

// The finalizer of the watch: once in each cycle.
static int watch_cycle(lua_State *L) {
    clua_state *state = state_of(L);
    if (state->is_closing) return 0;
    lua_getmetatable(L, 1);
    lua_setmetatable(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_cycle);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    state->cycle++;
    bool innermost = state->script_innermost;
    state->script_innermost = false;
    pin_shared(L);
    state->script_innermost = innermost;
    return 0;
}

void clua_open_watch(lua_State *L) {
    state_of(L)->has_owners = true;
    // A userdata that was never spared must not look like one that was in the cycle before.
    state_of(L)->cycle = 1;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_cycle);
    lua_newuserdatauv(L, 0, 0);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, watch_cycle);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_rawseti(L, -2, 1);
    lua_settop(L, -2);
}

// Pushes what the userdata at 1 holds, or nothing.
static bool push_held(lua_State *L, const clua_userdata *userdata) {
    if (userdata->kind == CLUA_COMPANION) {
        if (lua_getiuservalue(L, 1, 1) == LUA_TTABLE) return true;
        lua_settop(L, -2);
        return false;
    }
    if (!userdata->owns) return false;
    lua_pushvalue(L, 1);
    return clua_registry_get(L, &clua_objects);
}

// Drops values that live, for they have other holders too. That is known only now: `values` forgets dead
// values.
static bool keep_only_the_dead(lua_State *L, int held) {
    bool any = false;
    lua_pushnil(L);
    while (lua_next(L, held)) {
        lua_pushvalue(L, -2);
        if (lua_type(L, -1) != LUA_TUSERDATA) {
            lua_settop(L, -3);
        } else if (clua_registry_get(L, &clua_values)) {
            lua_settop(L, -3);
            lua_pushvalue(L, -1);
            lua_pushnil(L);
            lua_rawset(L, held);
        } else {
            any = true;
            lua_settop(L, -2);
        }
    }
    return any;
}

// Puts the values that only the userdata at 1 held among the dead. Allocates nothing.
static void depart(lua_State *L, const clua_userdata *userdata) {
    if (push_held(L, userdata) && keep_only_the_dead(L, 2)) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_dead);
        lua_rawseti(L, 2, CLUA_LINK);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &clua_dead);
    }
    lua_settop(L, 1);
}

// Makes the userdata at 1 one like any other, which will be finalized again (manual 2.5.3); it can be found
// again, and so can what it owns.
static void revive(lua_State *L, const clua_userdata *userdata) {
    lua_getmetatable(L, 1);
    lua_setmetatable(L, 1);
    lua_settop(L, 1);
    if (userdata->kind == CLUA_OBJECT) clua_know(L, userdata->object);
    if (push_held(L, userdata)) clua_registry_set_all(L, 2, &clua_values);
    lua_settop(L, 1);
}

bool clua_resurrect(lua_State *L, clua_userdata *userdata) {
    clua_state *state = state_of(L);
    if (state->is_closing || !state->has_owners) return false;
    // Swift got it after the watch had looked.
    if (userdata->owns && state->callbacks.is_shared(userdata->object)) {
        revive(L, userdata);
        lua_pushvalue(L, 1);
        lua_pushboolean(L, 1);
        clua_registry_set(L, &clua_pinned);
        return true;
    }
    if (userdata->owns || userdata->kind == CLUA_COMPANION) {
        depart(L, userdata);
        return false;
    }
    uint32_t cycle = current_cycle(L);
    if (userdata->spared_in + 1 == cycle) return false;
    userdata->spared_in = cycle;
    state->finds_more = true;
    revive(L, userdata);
    return true;
}
