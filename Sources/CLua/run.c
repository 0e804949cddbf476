// Runs that may wait: Swift's coroutines. Each is a thread whose first function is a protected call of the
// script's, so that an error is met with a traceback and to-be-closed variables end while hooks and waits
// still work.
#include "internal.h"

enum { HANDLER = 1 };

bool clua_may_wait(lua_State *L) { return lua_isyieldable(L) && state_of(L)->relays; }

static int finish_body(lua_State *L, int status, lua_KContext context) {
    (void)context;
    bool failed = status != LUA_OK && status != LUA_YIELD;
    // Swift reads the results where they lie, and pushes more.
    if (!failed && !clua_has_stack_space(L)) {
        lua_settop(L, HANDLER);
        lua_pushliteral(L, "stack overflow: too many results (return a table)");
        failed = true;
        status = LUA_ERRRUN;
    }
    state_of(L)->body_status = failed ? status : LUA_OK;
    return failed ? 1 : lua_gettop(L) - HANDLER;
}

// Stack: the handler, the script's function, its arguments.
static int body(lua_State *L) {
    int arguments = lua_gettop(L) - HANDLER - 1;
    return finish_body(L, lua_pcallk(L, arguments, LUA_MULTRET, HANDLER, 0, finish_body), 0);
}

void clua_prepare(lua_State *thread) {
    clua_reserve(thread, 4);
    lua_pushcfunction(thread, body);
    lua_pushcfunction(thread, clua_traceback);
}

int clua_resume(
    clua_state *state, lua_State *thread, lua_State *target, int count, bool raising,
    const clua_budget *budget, int *results, uint64_t *used) {
    clua_entry saved;
    *used = 0;
    if (clua_is_deep(state)) {
        // A waiting coroutine can't go on, not even with an error.
        lua_settop(target, -count - 1);
        clua_reserve(thread, 1);
        return clua_refuse_deep(state, thread, 0);
    }
    clua_forget_failure(state);
    if (!clua_within_limit(state)) {
        lua_settop(target, -count - 1);
        lua_pushliteral(target, "not enough memory");
        if (lua_status(thread) == LUA_OK) return LUA_ERRMEM;
        count = 1;
        raising = true;
    }
    lua_State *outer_base = state->base;
    bool outer_relays = state->relays;
    clua_enter(state, thread, budget, &saved);
    uint64_t begin = clua_now(state);
    state->base = thread;
    state->relays = true;
    state->waits = false;
    state->target = target;
    state->answer_count = count;
    state->answer_raises = raising;
    int status = lua_resume(thread, saved.current, target == thread ? count : 0, results);
    if (status == LUA_OK && state->body_status != LUA_OK) status = state->body_status;
    state->waits = false;
    state->base = outer_base;
    state->relays = outer_relays;
    *used = clua_now(state) - begin;
    clua_leave(state, &saved);
    return status;
}

static void close_chain(clua_state *state, lua_State *L) {
    lua_State *inner = clua_relayed(L);
    if (inner) close_chain(state, inner);
    state->current = L;
    lua_resetthread(L);
}

void clua_cancel(clua_state *state, lua_State *thread, const clua_budget *budget) {
    clua_entry saved;
    // Each cancels the next when it is closed: the others are left to the collector.
    if (clua_is_deep(state)) return;
    clua_enter(state, thread, budget, &saved);
    close_chain(state, thread);
    clua_leave(state, &saved);
}
