// The script's `coroutine` library. A host function may wait inside a coroutine that the script made: its
// resume then passes the wait outward, thread by thread, and the answer finds its way back. The answer's
// values go straight to the thread that waits; the threads between are merely resumed.
#include "internal.h"

#include <lauxlib.h>
#include <lualib.h>

// In a resume and in a call of a wrapped coroutine alike, the coroutine lies at the bottom of the C frame.
enum { COROUTINE = 1 };

static int co_resume(lua_State *L);
static int co_call_wrapped(lua_State *L);

static lua_State *check_thread(lua_State *L) {
    lua_State *co = lua_tothread(L, COROUTINE);
    luaL_argexpected(L, co, COROUTINE, "coroutine");
    return co;
}

static int co_yield(lua_State *L) {
    if (L == state_of(L)->base) return luaL_error(L, "attempt to yield from outside a coroutine");
    return lua_yield(L, lua_gettop(L));
}

static lua_CFunction top_function(lua_State *L, lua_Debug *ar) {
    if (lua_status(L) != LUA_YIELD || !lua_checkstack(L, 2) || !lua_getstack(L, 0, ar)) return NULL;
    lua_getinfo(L, "f", ar);
    lua_CFunction function = lua_tocfunction(L, -1);
    lua_settop(L, -2);
    return function;
}

// One that yielded lies in our yield; any other that is suspended waits for the host, and only the host may
// go on.
static bool waits_for_host(lua_State *co) {
    lua_Debug ar;
    return lua_status(co) == LUA_YIELD && top_function(co, &ar) != co_yield;
}

lua_State *clua_relayed(lua_State *L) {
    lua_Debug ar;
    lua_CFunction function = top_function(L, &ar);
    if (function != co_resume && function != co_call_wrapped) return NULL;
    if (!lua_getlocal(L, &ar, COROUTINE)) return NULL;
    lua_State *co = lua_tothread(L, -1);
    lua_settop(L, -2);
    return co;
}

static int step(lua_State *L, lua_State *co, int count, int *results) {
    clua_state *state = state_of(L);
    bool outer = state->relays;
    state->relays = outer && lua_isyieldable(L);
    state->current = co;
    int status = lua_resume(co, L, count, results);
    state->current = L;
    state->relays = outer;
    return status;
}

static int answer_count(lua_State *L, lua_State *co) {
    return co == state_of(L)->target ? state_of(L)->answer_count : 0;
}

static int close_thread(lua_State *L, lua_State *co) {
    clua_state *state = state_of(L);
    // Lua 5.4.4 does not count the C calls of what is closed: each coroutine may close the next.
    if (clua_is_deep(state)) return luaL_error(L, "C stack overflow: coroutines close each other too deeply");
    state->current = co;
    int status = lua_resetthread(co);
    state->current = L;
    clua_check_budget(L);
    return status;
}

static int resume_again(lua_State *L, int status, lua_KContext context);

static int fail(lua_State *L, const char *message) {
    lua_pushboolean(L, 0);
    lua_pushstring(L, message);
    return 2;
}

static int resume(lua_State *L, lua_State *co, int count) {
    int results = 0;
    int status = step(L, co, count, &results);
    if (status == LUA_YIELD && state_of(L)->waits) return lua_yieldk(L, 0, 0, resume_again);
    clua_check_budget(L);
    bool failed = status != LUA_OK && status != LUA_YIELD;
    if (failed) results = 1;
    if (!lua_checkstack(L, results + 1)) {
        lua_settop(co, -results - 1);
        return fail(L, "too many results to resume");
    }
    lua_pushboolean(L, !failed);
    lua_xmove(co, L, results);
    return results + 1;
}

static int resume_again(lua_State *L, int status, lua_KContext context) {
    (void)status, (void)context;
    lua_State *co = lua_tothread(L, COROUTINE);
    return resume(L, co, answer_count(L, co));
}

static const char waits_message[] = "cannot resume a coroutine that waits for the host";

static int co_resume(lua_State *L) {
    lua_State *co = check_thread(L);
    int count = lua_gettop(L) - COROUTINE;
    if (co == state_of(L)->main) return fail(L, "cannot resume non-suspended coroutine");
    if (waits_for_host(co)) return fail(L, waits_message);
    if (!lua_checkstack(co, count)) return fail(L, "too many arguments to resume");
    lua_xmove(L, co, count);
    return resume(L, co, count);
}

static int call_again(lua_State *L, int status, lua_KContext context);

static int raise_from(lua_State *L, lua_State *co) {
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD && !clua_died_of_budget(co)) status = close_thread(L, co);
    lua_xmove(co, L, 1);
    // A coroutine that got no memory to begin with has no line; its caller's will do.
    if (status == LUA_ERRMEM && !state_of(L)->failure.source) clua_note_place(state_of(L));
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) clua_push_position(L);
    return lua_error(L);
}

static int call_wrapped(lua_State *L, lua_State *co, int count) {
    int results = 0;
    int status = step(L, co, count, &results);
    if (status == LUA_YIELD && state_of(L)->waits) return lua_yieldk(L, 0, 0, call_again);
    clua_check_budget(L);
    if (status != LUA_OK && status != LUA_YIELD) return raise_from(L, co);
    luaL_checkstack(L, results, "too many results");
    lua_xmove(co, L, results);
    return results;
}

static int call_again(lua_State *L, int status, lua_KContext context) {
    (void)status, (void)context;
    lua_State *co = lua_tothread(L, COROUTINE);
    return call_wrapped(L, co, answer_count(L, co));
}

static int co_call_wrapped(lua_State *L) {
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int count = lua_gettop(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, COROUTINE);
    if (waits_for_host(co)) return luaL_error(L, waits_message);
    if (!lua_checkstack(co, count)) return luaL_error(L, "too many arguments to resume");
    lua_xmove(L, co, count);
    return call_wrapped(L, co, count);
}

static int co_create(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

static int co_wrap(lua_State *L) {
    co_create(L);
    lua_pushcclosure(L, co_call_wrapped, 1);
    return 1;
}

static int co_close(lua_State *L) {
    lua_Debug ar;
    lua_State *co = check_thread(L);
    if (co == L) return luaL_error(L, "cannot close a running coroutine");
    // The main thread has no call while a run of the host's goes on beside it; what lies on it is the host's.
    if (co == state_of(L)->main || (lua_status(co) == LUA_OK && lua_getstack(co, 0, &ar)))
        return luaL_error(L, "cannot close a normal coroutine");
    if (waits_for_host(co)) return luaL_error(L, "cannot close a coroutine that waits for the host");
    if (lua_status(co) > LUA_YIELD && clua_died_of_budget(co))
        return fail(L, "the coroutine used up its CPU time");
    int status = close_thread(L, co);
    lua_pushboolean(L, status == LUA_OK);
    if (status == LUA_OK) return 1;
    lua_xmove(co, L, 1);
    return 2;
}

static int co_isyieldable(lua_State *L) {
    lua_State *co = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
    lua_pushboolean(L, co != state_of(L)->base && lua_isyieldable(co));
    return 1;
}

void clua_open_coroutines(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"create", co_create}, {"resume", co_resume}, {"wrap", co_wrap},           {"yield", co_yield},
        {"close", co_close},   {"isyieldable", co_isyieldable}, {NULL, NULL},
    };
    luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 1);
    luaL_setfuncs(L, functions, 0);
    lua_settop(L, -2);
}
