// Shared by CLua's own files; not for Swift.
#ifndef CLUA_INTERNAL_H
#define CLUA_INTERNAL_H

#include "clua.h"
#include "lua54.h"
#include "slab.h"

typedef struct clua_clock clua_clock;
typedef struct clua_coverage clua_coverage;

typedef struct {
    char *traceback;
    char *source;
    int line;
    bool deliberate;
} clua_failure;

struct clua_state {
    lua_State *main;
    void *owner;
    clua_callbacks callbacks;

    // Memory. While the host is innermost an excess is granted and noted, because a refusal would jump over
    // Swift.
    clua_pool pool;
    size_t used, limit;
    /// Bytes that Swift keeps for the script's objects: the sum of the userdata' charges. They count when the
    /// host makes more, and not when the script allocates: they are let go of by finalizers, which no
    /// allocation runs.
    size_t charged;
    /// Values that Swift keeps; see CLUA_REFERENCE_BYTES.
    size_t anchored;
    bool script_innermost;
    bool over_limit;
    /// Bytes that the last collection of this run for the limit's sake left; 0 before the first.
    size_t kept;
    /// A script was refused memory in this run.
    bool starved;
    /// The bytes that the host asked for in vain; 0 once the script was refused for it.
    size_t lacks;
    /// The bytes held and asked for when memory was last refused.
    size_t held, asked;
    int64_t refuse_in;
    bool refused;
    int64_t userdata;
    /// Host functions that are running inside each other; the bytes that all have read since the run began;
    /// and the same when that was too much, else 0.
    int host_calls;
    size_t handed, given;

    /// A block that is to grow, while its refusal is noted; see call.c.
    const void *moved;

    /// Something has been held by an owner; see owner.c.
    bool has_owners;
    /// The next cycle will find more.
    bool finds_more;
    /// Cycles that ended since `clua_collect_step` answered true.
    int cycles_ended;
    /// Beyond these sizes `grew` is called once.
    size_t expected_bytes;
    int64_t expected_userdata;
    bool has_grown, is_closing;
    bool has_long_pause;  // see collection.c
    /// Counts collection cycles once there are owners.
    uint32_t cycle;

    /// Below this the thread's stack has no room for another entry.
    uintptr_t floor;
    /// Blocks in use that are so large that each may be a Lua stack with too little room left; see
    /// lua_stack.c.
    int64_t large_blocks;
    /// How large blocks of memory with a userdata in them are, without and with a value; 0 until userdata are
    /// open.
    size_t box_blocks[2];

    // CPU. The tick's signal handler reads these on this same thread, hence volatile and no locks.
    clua_clock *clock;
    lua_State *volatile current;
    volatile uint64_t deadline, used_ticks;
    volatile bool expired;
    bool was_expired;
    /// The budget whose deadline counts, and when it began.
    clua_budget budget;
    uint64_t started;
    clua_excess excess;
    /// NULL when no watchdog looks; and how many entries there are inside each other.
    clua_run_status *run_status;
    int depth;
    uint64_t runs;

    // A wait. `waits` tells a host's yield from a script's; the others carry the answer to the thread that
    // waits.
    bool waits;
    lua_State *target;
    int answer_count;
    bool answer_raises;
    int body_status;
    /// The run's own thread, from which a script can't yield.
    lua_State *base;
    /// Whether all threads between the run's and the current one could pass a wait on.
    bool relays;

    /// The functions `error` and `assert`: scripts raise their errors deliberately.
    lua_CFunction raisers[2];
    /// `string.match`.
    lua_CFunction match;
    /// NULL when no lines are counted.
    clua_coverage *coverage;
    clua_failure failure;
};

/// The start of every full userdata. The tag is a number that no script knows, so it proves a userdata.
typedef struct {
    uint64_t tag;
    /// NULL once it has been released.
    void *object;
    uint8_t kind;
    /// Values live for as long as it does.
    bool owns;
    /// The cycle that found it dead and let it live; 0 at first, and when it has been used since.
    uint32_t spared_in;
    /// Bytes that its object keeps outside of Lua; they count as memory of the state.
    size_t charge;
} clua_userdata;

static inline clua_state *state_of(lua_State *L) { return *(clua_state **)lua_getextraspace(L); }

// state.c
/// For messages; answers NULL.
void *clua_note_shortage(clua_state *state, size_t asked);
/// Whether the host got more bytes in this run than it takes.
bool clua_gave_too_much(clua_state *state);

// collection.c
/// After the outermost run. Values that a run ended by its limits left on the stack count as alive under the
/// next run's frames (Lua marks all registers of a function), so that run would be refused memory for them.
void clua_tidy(clua_state *state);
/// Collects, and gives what became free to the system: for a state that ran out of memory.
void clua_give_back(clua_state *state);

// c_stack.c
/// Where the calling thread's stack gets too short for one more entry into Lua; 0 when that isn't known.
uintptr_t clua_stack_floor(void);
/// Whether it has got that short.
static inline bool clua_is_deep(const clua_state *state) {
    return (uintptr_t)__builtin_frame_address(0) < state->floor;
}

// lua_stack.c

/// Values that one function of the host may put on a stack. The deepest tree takes 3,000 (CJSON).
enum { CLUA_MIN_SLOTS = 8192 };
/// No smaller block is a stack with less room than that.
#define CLUA_LARGE_BLOCK ((size_t)(LUAI_MAXSTACK - CLUA_MIN_SLOTS) * 16)
/// Whether `L` and the main thread, on which Swift works too, have that room. Where they have it is promised:
/// pushing from Swift can't fail.
bool clua_has_stack_space(lua_State *L);
/// For functions that Swift calls: the promise is kept, or the process stops; there is no error that could
/// pass Swift.
void clua_reserve(lua_State *L, int count);

// budget.c
clua_clock *clua_clock_open(void);
void clua_clock_close(clua_clock *clock);
void clua_enter(clua_state *state, lua_State *L, const clua_budget *budget, clua_entry *saved);
void clua_leave(clua_state *state, const clua_entry *saved);
/// Raises when the budget is used up: what a pcall or a coroutine's end caught goes on.
void clua_check_budget(lua_State *L);
/// Whether `L` ended by its budget: Lua runs no hook there any more (it died inside one).
bool clua_died_of_budget(lua_State *L);
uint64_t clua_now(const clua_state *state);
/// Sets the hooks that `L` is to have while its budget lasts.
void clua_watch(lua_State *L);

// coverage.c
void clua_count_line(lua_State *L, lua_Debug *ar);
void clua_coverage_close(clua_coverage *coverage);

/// Raises when the budget is used up. For library functions that work long without calling anything.
void clua_poll(lua_State *L);

// metatable.c
/// Whether the table at `index` has a `__gc` of any value. May raise memory errors.
bool clua_has_finalizer(lua_State *L, int index);
/// Raises when it has.
void clua_refuse_finalizer(lua_State *L, int index);
/// Puts what scripts get for `setmetatable` into the table on top.
void clua_open_metatables(lua_State *L);

// run_status.c
void clua_run_status_begin(clua_run_status *status, const clua_budget *budget);
void clua_run_status_end(clua_run_status *status);

// call.c
int clua_traceback(lua_State *L);
void clua_forget_failure(clua_state *state);
/// Notes the line that runs, if there is one, for an error that no message handler gets to see. Allocates
/// nothing of Lua's.
bool clua_note_place(clua_state *state);
/// Collects when the host went over the limit; false when that did not help.
bool clua_within_limit(clua_state *state);
/// For an entry that the thread's stack has no room for: takes `count` values off and leaves the error.
int clua_refuse_deep(clua_state *state, lua_State *L, int count);
#define CLUA_DEEP "C stack overflow: functions of the script and of the host call each other too deeply"
/// As `clua_call` with a C function that takes what is on top, without a traceback.
int clua_protect(
    clua_state *state, lua_State *L, lua_CFunction function, int arguments, int results,
    const clua_budget *budget);

// object.c
/// The userdata at `index`, or NULL.
clua_userdata *clua_userdata_at(lua_State *L, int index);
/// Makes the userdata on top the one for its object, if that has none.
void clua_know(lua_State *L, void *object);
/// Pushes a userdata with room for one Lua value. Takes over one reference.
void clua_push_companion(lua_State *L, void *object);
/// Runs a userdata's host function on the stack as it is and returns, raises or yields as Swift says.
int clua_run_userdata(lua_State *L, clua_userdata *userdata);
int clua_trampoline(lua_State *L);
/// For a block of that size that is being freed: if a userdata lies in it, its object is released, should its
/// finalizer not have done so.
void clua_free_userdata(clua_state *state, void *block, size_t size);
/// Pushes a metatable that releases the object of a userdata, and that scripts can't get at.
void clua_new_metatable(lua_State *L, const char *name);
void clua_open_userdata(lua_State *L);

// owner.c
void clua_open_owners(lua_State *L);

// finalize.c
/// Called by the finalizer of `userdata`, which lies at 1, with the host innermost. False: it is to be
/// released, and what it held is among the dead.
bool clua_resurrect(lua_State *L, clua_userdata *userdata);

// coroutine.c
/// The coroutine of the script through which the suspended `L` waits, or NULL.
lua_State *clua_relayed(lua_State *L);
void clua_open_coroutines(lua_State *L);

// stubs.c
void clua_open_stubs(lua_State *L);

// library.c
/// Calls the library's own function, which is the first upvalue of the running one.
int clua_original(lua_State *L);
/// Puts `function` in the place of a function of the library on top, which becomes its upvalue.
void clua_guard(lua_State *L, const char *name, lua_CFunction function);

// freeze.c
/// Versions of raw functions that see what a frozen table holds, for the base library on top.
void clua_open_raw_access(lua_State *L);

// traceback.c
void clua_push_traceback(lua_State *L, lua_State *thread, const char *message, int level);
int clua_traceback_function(lua_State *L);

// load.c
int clua_load_text(lua_State *L);

// builder.c

/// Text that grows. Between its beginning and its end the stack is used as one: what is pushed is popped.
typedef struct {
    lua_State *L;
    char *data;
    size_t size, capacity;
    int slot;
    char small[1024];
} clua_text;

void clua_text_begin(clua_text *text, lua_State *L);
/// Makes room for `count` more bytes and answers where; `size` is the caller's to raise.
char *clua_text_reserve(clua_text *text, size_t count);
void clua_text_add(clua_text *text, const char *bytes, size_t count);
/// Pops a string or number.
void clua_text_add_value(clua_text *text);
void clua_text_push(clua_text *text);
/// Pushes userdata of that size.
void *clua_new_bytes(lua_State *L, size_t size);

// search.c, text.c, list.c, utf8.c: bounded functions for the library table on top
void clua_open_search(lua_State *L);
void clua_open_text(lua_State *L);
void clua_open_dates(lua_State *L);
void clua_open_lists(lua_State *L);
void clua_open_utf8(lua_State *L);

// sandbox.c
/// Keeps what the globals are before any script runs: sandboxes begin with a copy of it.
void clua_keep_globals(lua_State *L);

#endif
