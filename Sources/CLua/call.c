// Ways into Lua. Each sets who is innermost and which budget counts, calls protected, and puts both back.
#define _GNU_SOURCE
#include "internal.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

// While Lua moves a stack, from 5.4.5 on, what points into it is an offset from its old block, which is still
// there; of all this only the function of a call, its first field, is looked at here. See lua54.h.
static void read_line(lua_State *L, lua_Debug *ar, const char *moved) {
    uintptr_t *function = (uintptr_t *)ar->i_ci;
    uintptr_t offset = *function;
    bool is_offset = moved && offset < (uintptr_t)LUAI_MAXSTACK * 32;
    if (is_offset) *function = (uintptr_t)moved + offset;
    lua_getinfo(L, "Sl", ar);
    if (is_offset) *function = offset;
}

static bool note_place(clua_failure *failure, lua_State *L, int level, const char *moved) {
    lua_Debug ar;
    for (; lua_getstack(L, level, &ar); level++) {
        read_line(L, &ar, moved);
        if (ar.currentline <= 0) continue;
        free(failure->source);
        failure->source = strdup(ar.source);
        failure->line = ar.currentline;
        return true;
    }
    return false;
}

bool clua_note_place(clua_state *state) {
    if (!note_place(&state->failure, state->current, 0, state->moved)) return false;
    free(state->failure.traceback);
    state->failure.traceback = NULL;
    state->failure.deliberate = false;
    return true;
}

// Message handler: notes where the error was raised, before the stack unwinds. It leaves the value as it is.
int clua_traceback(lua_State *L) {
    clua_state *state = state_of(L);
    clua_failure *failure = &state->failure;
    lua_Debug ar;
    free(failure->traceback);
    free(failure->source);
    *failure = (clua_failure){0};
    // Level 0 is this handler, level 1 what raised.
    if (lua_getstack(L, 1, &ar)) {
        lua_getinfo(L, "f", &ar);
        lua_CFunction raiser = lua_tocfunction(L, -1);
        failure->deliberate = raiser && (raiser == state->raisers[0] || raiser == state->raisers[1]);
        lua_settop(L, 1);
    }
    note_place(failure, L, 1, NULL);
    clua_push_traceback(L, L, NULL, 1);
    failure->traceback = strdup(lua_tostring(L, -1));
    lua_settop(L, 1);
    return 1;
}

void clua_take_failure(clua_state *state, char **traceback, char **source, int *line, bool *deliberate) {
    *traceback = state->failure.traceback;
    *source = state->failure.source;
    *line = state->failure.line;
    *deliberate = state->failure.deliberate;
    state->failure = (clua_failure){0};
}

// The value that the host began to make is garbage by now.
static bool refuse_lack(clua_state *state) {
    state->held = clua_used(state);
    state->asked = state->lacks;
    state->given = 0;
    state->lacks = 0;
    state->over_limit = false;
    clua_give_back(state);
    return false;
}

bool clua_within_limit(clua_state *state) {
    if (state->lacks) return refuse_lack(state);
    if (!state->over_limit) return true;
    state->over_limit = false;
    size_t used = clua_used(state), share = state->limit / 64;
    if (used <= state->limit) return true;
    // A collection takes as long as the state is large: another one is for when there can be something to
    // find. In between there may be a little too much.
    if (used > state->kept + share || used + share < state->kept) {
        clua_collect(state);
        state->kept = used = clua_used(state);
    }
    if (state->kept <= state->limit) return true;
    state->held = used;
    state->asked = 0;
    state->given = 0;
    return false;
}

// The call fails before it begins: what the host pushed is too much for the script.
static int refuse(lua_State *L, int count) {
    lua_settop(L, -count - 1);
    lua_pushliteral(L, "not enough memory");
    return LUA_ERRMEM;
}

int clua_refuse_deep(clua_state *state, lua_State *L, int count) {
    clua_forget_failure(state);
    state->was_expired = false;
    if (state->current) clua_note_place(state);
    lua_settop(L, -count - 1);
    lua_pushliteral(L, CLUA_DEEP);
    return LUA_ERRRUN;
}

void clua_forget_failure(clua_state *state) {
    if (!state->failure.traceback && !state->failure.source && !state->held) return;
    state->held = state->asked = state->given = 0;
    free(state->failure.traceback);
    free(state->failure.source);
    state->failure = (clua_failure){0};
}

int clua_call(
    clua_state *state, lua_State *L, int arguments, int results, const clua_budget *budget) {
    clua_entry saved;
    if (clua_is_deep(state)) return clua_refuse_deep(state, L, arguments + 1);
    clua_forget_failure(state);
    if (!clua_within_limit(state)) return refuse(L, arguments + 1);
    int base = lua_gettop(L) - arguments;
    lua_pushcfunction(L, clua_traceback);
    lua_insert(L, base);
    clua_enter(state, L, budget, &saved);
    int status = lua_pcall(L, arguments, results, base);
    clua_leave(state, &saved);
    lua_remove(L, base);
    return status;
}

int clua_protect(
    clua_state *state, lua_State *L, lua_CFunction function, int arguments, int results,
    const clua_budget *budget) {
    lua_pushcfunction(L, function);
    lua_insert(L, -arguments - 1);
    return clua_call(state, L, arguments, results, budget);
}

void clua_push_position(lua_State *L) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
}
