// Compiles and runs any text as a script, as a call and as a coroutine, in a state with all functions of
// scripts, under tiny budgets. Afterwards the state is as before, and no objects are left.
#include <lua.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "clua.h"

static int call(lua_State *L, void *box) {
    (void)box;
    lua_pushinteger(L, lua_gettop(L));
    return 1;
}

static void release(void *object) { (void)object; }

static bool is_shared(void *object) {
    (void)object;
    return false;
}

static void describe(lua_State *L, void *object) {
    (void)object;
    lua_pushliteral(L, "error");
}

static void expect(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    static char host;
    clua_budget budget = {.ticks = 1, .milliseconds = 10, .phase = "fuzz"};
    clua_state *state = clua_open(512 << 10, (clua_callbacks){call, release, is_shared, describe});
    lua_State *L = clua_main(state);
    clua_open_libraries(L);
    clua_push_function(L, &host, 0);
    lua_setglobal(L, "host");
    // The first byte decides whether globals are frozen before.
    if (count > 0 && (data[0] & 1) != 0) {
        clua_push_globals(L);
        expect(clua_freeze_globals(state, L) == LUA_OK, "globals are frozen");
    }
    lua_settop(L, 0);
    if (clua_load(state, L, (const char *)data, count, "@fuzz.lua", &budget) == LUA_OK) {
        lua_pushvalue(L, 1);
        clua_call(state, L, 0, 0, &budget);
        lua_settop(L, 1);
        lua_State *thread = clua_new_thread(L);
        clua_prepare(thread);
        lua_pushvalue(L, 1);
        lua_xmove(L, thread, 1);
        int results = 0;
        uint64_t used = 0;
        if (clua_resume(state, thread, thread, 0, false, &budget, &results, &used) == LUA_YIELD)
            clua_cancel(state, thread, &budget);
    }
    lua_settop(L, 0);
    clua_collect(state);
    // One tick may be over at once on a busy machine.
    budget.ticks = 500;
    expect(clua_load(state, L, "return 1", 8, "@after.lua", &budget) == LUA_OK, "the state loads");
    expect(clua_call(state, L, 0, 1, &budget) == LUA_OK && lua_tointeger(L, 1) == 1, "the state runs");
    lua_settop(L, 0);
    expect(clua_close(state) == 0, "all bytes are given back");
    expect(clua_userdata_count(state) == 0, "no object is left");
    clua_free(state);
    return 0;
}
