#ifndef STATE_HPP
#define STATE_HPP

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include "cjson.h"
#include "cluajson.h"

/// One Lua state for all inputs of a run.
inline lua_State *fuzzState() {
    static lua_State *L = [] {
        lua_State *state = luaL_newstate();
        cjson_open(state);
        return state;
    }();
    return L;
}

#endif
