// Collections that the host asks for: at once, in steps while the script rests, and after a run.
#include "internal.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Values that die with their owner are found one cycle later; see owner.c.
enum { CYCLES = 6 };

void clua_collect(clua_state *state) {
    bool innermost = state->script_innermost;
    state->script_innermost = false;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        state->finds_more = false;
        lua_gc(state->main, LUA_GCCOLLECT);
        if (!state->finds_more) break;
    }
    state->script_innermost = innermost;
    state->cycles_ended = 0;
}

bool clua_collect_step(clua_state *state) {
    // A step of no size does as much as an allocation would, and says when a cycle has come to its end.
    if (!lua_gc(state->main, LUA_GCSTEP, 0)) return false;
    bool found_more = state->finds_more;
    state->finds_more = false;
    state->cycles_ended++;
    // The second cycle finds values that died during the first.
    if (state->cycles_ended < 2 || (found_more && state->cycles_ended < CYCLES)) return false;
    state->cycles_ended = 0;
    return true;
}

void clua_expect_growth(clua_state *state) {
    enum { SLACK = 512 << 10, BOXES = 512 };
    size_t used = clua_used(state);
    state->expected_bytes = used + used / 4 + SLACK;
    state->expected_userdata = state->userdata + state->userdata / 4 + BOXES;
    state->has_grown = false;
}

bool clua_has_grown(const clua_state *state) { return state->has_grown; }

void clua_give_back(clua_state *state) {
    clua_collect(state);
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

// Of a heap of 100 kB a cycle of Lua's collector would begin with every second document of 10 kB, and mark
// what the call under way holds. Twice as much garbage as Lua would let come still fits the processor's
// cache.
static void choose_pause(clua_state *state) {
    enum { SMALL = 512 << 10, USUAL = 200, LONG = 400 };
    bool is_small = clua_used(state) < SMALL;
    if (is_small == state->has_long_pause) return;
    state->has_long_pause = is_small;
    lua_gc(state->main, LUA_GCINC, is_small ? LONG : USUAL, 0, 0);
}

void clua_tidy(clua_state *state) {
    choose_pause(state);
    bool starved = state->starved || (state->was_expired && clua_used(state) > state->limit / 2);
    state->starved = false;
    if (starved) clua_collect(state);
    if (state->has_grown) return;
    if (clua_used(state) <= state->expected_bytes && state->userdata <= state->expected_userdata) return;
    state->has_grown = true;
    state->callbacks.grew(state->main);
}
