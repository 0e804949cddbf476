// Swift's functions, objects and errors inside Lua: userdata, and the one trampoline through which all
// functions go.
#define _GNU_SOURCE
#include "internal.h"

#include <lauxlib.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// A function, an error or an attachment of the host is not measured: it counts as so many bytes.
enum { SMALL_OBJECT_BYTES = 256 };

static const char box_metatable_key, error_metatable_key, known_key, errors_key;
static uint64_t tag;

static void make_tag(void) {
    // An address differs from one process to the next as well, should the system have no numbers.
    if (getentropy(&tag, sizeof tag) != 0) tag = (uint64_t)(uintptr_t)&tag;
}

clua_userdata *clua_userdata_at(lua_State *L, int index) {
    clua_userdata *userdata = lua_touserdata(L, index);
    if (!userdata || lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != sizeof *userdata) return NULL;
    return userdata->tag == tag ? userdata : NULL;
}

static void charge(clua_state *state, clua_userdata *userdata, size_t bytes) {
    state->charged += bytes - userdata->charge;
    bool is_more = bytes > userdata->charge;
    userdata->charge = bytes;
    if (is_more && clua_used(state) > state->limit) state->over_limit = true;
}

static void let_go(clua_state *state, clua_userdata *userdata) {
    void *object = userdata->object;
    userdata->object = NULL;
    state->userdata--;
    charge(state, userdata, 0);
    state->callbacks.release(object);
}

// Lua calls a finalizer once. Where the stack is full the call fails, and the userdata is freed like plain
// memory later. No tag stays in memory that is free: what is made there next need not write all of it.
void clua_free_userdata(clua_state *state, void *block, size_t size) {
    clua_userdata *userdata = (clua_userdata *)((char *)block + size - sizeof *userdata);
    if (userdata->tag != tag) return;
    userdata->tag = 0;
    if (!userdata->object) return;
    bool innermost = state->script_innermost;
    state->script_innermost = false;
    let_go(state, userdata);
    state->script_innermost = innermost;
}

// Runs inside any allocation: the release touches nothing of Lua's. An object that is finalized is marked, as
// a dying table may still show it to a finalizer of another.
static int release(lua_State *L) {
    clua_userdata *userdata = clua_userdata_at(L, 1);
    if (!userdata || !userdata->object) return 0;
    clua_state *state = state_of(L);
    bool innermost = state->script_innermost;
    state->script_innermost = false;
    if (!clua_resurrect(L, userdata)) let_go(state, userdata);
    state->script_innermost = innermost;
    return 0;
}

void clua_know(lua_State *L, void *object) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &known_key);
    if (lua_rawgetp(L, -1, object) == LUA_TNIL) {
        lua_pushvalue(L, -3);
        lua_rawsetp(L, -3, object);
    }
    lua_settop(L, -3);
}

static clua_userdata *push_userdata(lua_State *L, void *object, int kind, int values) {
    clua_userdata *userdata = lua_newuserdatauv(L, sizeof *userdata, values);
    *userdata = (clua_userdata){tag, object, (uint8_t)kind, false, 0, 0};
    state_of(L)->userdata++;
    return userdata;
}

static void push_plain_userdata(lua_State *L, void *object, int kind, int values, size_t kept) {
    charge(state_of(L), push_userdata(L, object, kind, values), kept);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &box_metatable_key);
    lua_setmetatable(L, -2);
}

static int continue_wait(lua_State *L, int status, lua_KContext context) {
    (void)status, (void)context;
    clua_state *state = state_of(L);
    if (state->answer_raises) {
        state->answer_raises = false;
        return lua_error(L);
    }
    return state->answer_count;
}

// Everything that jumps stands after Swift's return.
int clua_run_userdata(lua_State *L, clua_userdata *userdata) {
    clua_state *state = state_of(L);
    if (!userdata->object) return luaL_error(L, "the object is gone");
    if (!clua_has_stack_space(L))
        return luaL_error(L, "stack overflow: no room for a function of the host (nest calls less, or pass a table)");
    userdata->spared_in = 0;
    bool innermost = state->script_innermost;
    state->script_innermost = false;
    state->host_calls++;
    int verdict = state->callbacks.call(L, userdata->object);
    state->host_calls--;
    state->script_innermost = innermost;
    if (!clua_within_limit(state) || clua_gave_too_much(state)) {
        // Lua raises this text as it raises its own: past all message handlers.
        clua_note_place(state);
        lua_settop(L, 0);
        lua_pushliteral(L, "not enough memory");
        return lua_error(L);
    }
    // Loops of a host function give up when the time is over, so its answer may be incomplete. One that
    // suspends has handed its waiter on.
    if (state->expired && verdict != CLUA_SUSPEND) clua_check_budget(L);
    switch (verdict) {
    case CLUA_RAISE_HERE:
        clua_push_position(L);
        return lua_error(L);
    case CLUA_RAISE: return lua_error(L);
    case CLUA_SUSPEND:
        state->waits = true;
        return lua_yieldk(L, 0, 0, continue_wait);
    default: return verdict;
    }
}

int clua_trampoline(lua_State *L) { return clua_run_userdata(L, lua_touserdata(L, lua_upvalueindex(1))); }

void clua_push_function(lua_State *L, void *object, size_t kept) {
    // The libraries' functions are the host's. Others are made when a script asks for them.
    if (state_of(L)->depth > 0) kept += SMALL_OBJECT_BYTES;
    push_plain_userdata(L, object, CLUA_FUNCTION, 0, kept);
    lua_pushcclosure(L, clua_trampoline, 1);
}

void clua_push_error(lua_State *L, void *object) {
    charge(state_of(L), push_userdata(L, object, CLUA_ERROR, 0), SMALL_OBJECT_BYTES);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &error_metatable_key);
    lua_setmetatable(L, -2);
}

void *clua_error_at(lua_State *L, int index) {
    const clua_userdata *userdata = clua_userdata_at(L, index);
    if (userdata && userdata->kind == CLUA_ERROR) return userdata->object;
    index = lua_absindex(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &errors_key);
    lua_pushvalue(L, index);
    lua_rawget(L, -2);
    userdata = clua_userdata_at(L, -1);
    lua_settop(L, -3);
    return userdata ? userdata->object : NULL;
}

void clua_link_error(lua_State *L) {
    int type = lua_type(L, -2);
    if (type != LUA_TTABLE && type != LUA_TUSERDATA) {
        lua_settop(L, -2);
        return;
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, &errors_key);
    lua_pushvalue(L, -3);
    lua_rotate(L, -3, -1);
    lua_rawset(L, -3);
    lua_settop(L, -2);
}

void clua_measure(lua_State *L, void *object, size_t kept) {
    clua_reserve(L, 3);
    if (!clua_push_known(L, object)) return;
    clua_userdata *userdata = clua_userdata_at(L, -1);
    if (userdata && userdata->object) charge(state_of(L), userdata, kept);
    lua_settop(L, -2);
}

bool clua_push_known(lua_State *L, void *object) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &known_key);
    int type = lua_rawgetp(L, -1, object);
    lua_remove(L, -2);
    if (type == LUA_TUSERDATA) return true;
    lua_settop(L, -2);
    return false;
}

bool clua_push_object(lua_State *L, void *object, const void *class_key, size_t kept) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, class_key) != LUA_TTABLE) {
        lua_settop(L, -2);
        return false;
    }
    charge(state_of(L), push_userdata(L, object, CLUA_OBJECT, 0), kept);
    lua_insert(L, -2);
    lua_setmetatable(L, -2);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &known_key);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, object);
    lua_settop(L, -2);
    return true;
}

void *clua_object_at(lua_State *L, int index) {
    clua_userdata *userdata = clua_userdata_at(L, index);
    if (!userdata || userdata->kind != CLUA_OBJECT) return NULL;
    userdata->spared_in = 0;
    return userdata->object;
}

static int describe_error(lua_State *L) {
    const clua_userdata *userdata = clua_userdata_at(L, 1);
    if (!userdata || userdata->kind != CLUA_ERROR || !userdata->object) return luaL_error(L, "not an error of the host");
    clua_state *state = state_of(L);
    bool innermost = state->script_innermost;
    state->script_innermost = false;
    state->callbacks.describe(L, userdata->object);
    state->script_innermost = innermost;
    return 1;
}

void clua_push_companion(lua_State *L, void *object) {
    push_plain_userdata(L, object, CLUA_COMPANION, 1, SMALL_OBJECT_BYTES);
}

static void push_weak_table(lua_State *L, const char *mode, const void *key) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void clua_new_metatable(lua_State *L, const char *name) {
    lua_createtable(L, 0, 8);
    lua_pushcfunction(L, release);
    lua_setfield(L, -2, "__gc");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
}

// Lua says nowhere how much it puts before a userdata's bytes.
static void measure_blocks(lua_State *L) {
    clua_state *state = state_of(L);
    lua_gc(L, LUA_GCSTOP);
    for (int values = 0; values < 2; values++) {
        size_t before = state->used;
        memset(lua_newuserdatauv(L, sizeof(clua_userdata), values), 0, sizeof(clua_userdata));
        state->box_blocks[values] = state->used - before;
        lua_settop(L, -2);
    }
    lua_gc(L, LUA_GCRESTART);
}

void clua_open_userdata(lua_State *L) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tag);
    measure_blocks(L);
    clua_new_metatable(L, "function");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &box_metatable_key);
    clua_new_metatable(L, "error");
    lua_pushcfunction(L, describe_error);
    lua_setfield(L, -2, "__tostring");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &error_metatable_key);
    push_weak_table(L, "v", &known_key);
    push_weak_table(L, "k", &errors_key);
}
