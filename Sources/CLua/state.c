// The state itself: its memory account and the end of everything that must never happen.
#include "internal.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// No script gets so many bytes in one block after its budget's end: the error that ends the run needs less.
enum { LATE_GROWTH = 512 << 10 };

static const char no_memory[] = "resthost: the system has no memory left for Lua\n";

// A memory error passes no message handler, so its place is noted here: reading the calls disturbs no
// allocation. A refusal after the calls are gone, as when Lua makes its stack smaller, is not the cause.
void *clua_note_shortage(clua_state *state, size_t size) {
    if ((state->current && clua_note_place(state)) || !state->failure.source) {
        state->held = clua_used(state);
        state->asked = size;
        state->given = 0;
    }
    return NULL;
}

// The block may be a stack that Lua is moving.
static void *refuse(clua_state *state, const void *block, size_t size) {
    state->moved = block;
    clua_note_shortage(state, size);
    state->moved = NULL;
    return NULL;
}

void clua_hand_over(clua_state *state, size_t bytes) {
    if (state->host_calls > 0) state->handed += bytes;
}

// Bytes handed over may end where they are not counted, in a resource or a request under way. This is the
// most that a script may hand over in one go.
static size_t takes(const clua_state *state) {
    size_t least = (size_t)256 << 20;
    return state->limit > least / 4 ? state->limit * 4 : least;
}

bool clua_gave_too_much(clua_state *state) {
    if (state->handed <= takes(state)) return false;
    state->held = clua_used(state);
    state->given = state->handed;
    return true;
}

size_t clua_lend(lua_State *L, size_t bytes) {
    enum { AHEAD = 256 << 10 };
    clua_state *state = state_of(L);
    // Not for want of memory: the function that makes it ends with the error of its budget.
    if (clua_is_spent(state)) return 0;
    for (int attempt = 0; bytes <= state->limit && attempt < 2; attempt++) {
        size_t used = clua_used(state);
        if (used <= state->limit - bytes) {
            size_t left = state->limit - bytes - used;
            return bytes + (left < AHEAD ? left : AHEAD);
        }
        if (attempt == 0) clua_collect(state);
    }
    state->lacks = bytes;
    return 0;
}

// Inside a finalizer Lua answers nothing else about its collector. Before 5.4.4 it never says so.
static bool is_finalizing(const clua_state *state) { return lua_gc(state->main, LUA_GCISRUNNING) < 0; }

// The script may be refused: Lua collects, tries again and raises. The host may not, see internal.h; when the
// system itself has nothing left there, stopping is the one thing that skips no Swift frame. Finalizers are
// the host's: one whose call is refused is never called again, and its object never released.
[[gnu::noinline]] static void *resize(clua_state *state, void *block, size_t before, size_t new_size) {
    if (new_size > before) {
        bool over = state->used - before + new_size > state->limit;
        if (state->script_innermost) {
            if (over && !is_finalizing(state)) {
                state->starved = true;
                return refuse(state, block, new_size);
            }
            // Lua looks for what `__call` stands for without an instruction that a hook could stop at, while
            // the stack grows: a table that stands for itself is called for ever.
            if (state->expired && new_size >= LATE_GROWTH) return refuse(state, block, new_size);
            if (state->refuse_in && --state->refuse_in < 2) {
                state->refused = true;
                return refuse(state, block, new_size);
            }
        } else if (over) {
            state->over_limit = true;
        }
    }
    void *result = clua_pool_resize(&state->pool, block, before, new_size);
    if (!result) {
        if (state->script_innermost) return NULL;
        fputs(no_memory, stderr);
        abort();
    }
    state->used += new_size - before;
    state->large_blocks += (new_size >= CLUA_LARGE_BLOCK) - (before >= CLUA_LARGE_BLOCK);
    return result;
}

[[gnu::noinline]] static void release(clua_state *state, void *block, size_t size) {
    clua_pool_resize(&state->pool, block, size, 0);
    state->large_blocks -= size >= CLUA_LARGE_BLOCK;
}

// A twentieth of what Lua does is this, so that what is nearly always the case calls nothing.
static void *allocate(void *account, void *block, size_t old_size, size_t new_size) {
    clua_state *state = account;
    if (!block) {
        if (new_size == 0) return NULL;
        // A small block is refused for no other reason.
        if (new_size <= CLUA_SMALL && state->refuse_in == 0 && state->used + new_size <= state->limit) {
            void *taken = clua_pool_take(&state->pool, new_size);
            if (taken) {
                state->used += new_size;
                return taken;
            }
        }
        return resize(state, NULL, 0, new_size);
    }
    if (new_size) return resize(state, block, old_size, new_size);
    if (old_size == state->box_blocks[0] || old_size == state->box_blocks[1])
        clua_free_userdata(state, block, old_size);
    state->used -= old_size;
    if (!clua_pool_give(block, old_size)) release(state, block, old_size);
    return NULL;
}

// Reached only by an error outside every protected call, which is a fault of this module.
static int panic(lua_State *L) {
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no message";
    fprintf(stderr, "resthost: unprotected error in Lua: %s\n", message);
    abort();
}

clua_state *clua_open(size_t limit, clua_callbacks callbacks) {
    clua_state *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->limit = limit;
    state->callbacks = callbacks;
    state->deadline = UINT64_MAX;
    state->relays = true;
    lua_State *L = lua_newstate(allocate, state);
    if (!L) {
        free(state);
        return NULL;
    }
    lua_atpanic(L, panic);
    *(clua_state **)lua_getextraspace(L) = state;
    state->main = L;
    state->clock = clua_clock_open();
    state->floor = clua_stack_floor();
    clua_open_userdata(L);
    clua_open_owners(L);
    clua_expect_growth(state);
    return state;
}

size_t clua_close(clua_state *state) {
    state->is_closing = true;
    lua_close(state->main);
    state->main = NULL;
    clua_pool_close(&state->pool);
    clua_clock_close(state->clock);
    clua_coverage_close(state->coverage);
    state->coverage = NULL;
    // Swift may still have references, which are useless now.
    state->anchored = 0;
    free(state->failure.traceback);
    free(state->failure.source);
    return clua_used(state);
}

void clua_free(clua_state *state) { free(state); }

lua_State *clua_main(const clua_state *state) { return state->main; }

void clua_set_owner(clua_state *state, void *owner) { state->owner = owner; }

void *clua_owner(lua_State *L) { return state_of(L)->owner; }

size_t clua_used(const clua_state *state) {
    return state->used + state->charged + state->anchored * CLUA_REFERENCE_BYTES;
}

void clua_shortage(const clua_state *state, size_t *held, size_t *asked, size_t *given, size_t *most) {
    *held = state->held;
    *asked = state->asked;
    *given = state->given;
    *most = takes(state);
}

int64_t clua_userdata_count(const clua_state *state) { return state->userdata; }

// Lua tries a refused allocation once more after a collection, so two in a row are refused.
void clua_refuse(clua_state *state, int64_t nth) {
    state->refuse_in = nth ? nth + 2 : 0;
    state->refused = false;
}

bool clua_refused(const clua_state *state) { return state->refused; }
