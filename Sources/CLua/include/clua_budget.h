// CPU budgets: budget.c. A part of clua.h.
#ifndef CLUA_BUDGET_H
#define CLUA_BUDGET_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

/// One Lua state with its memory account, CPU budget and callbacks. Owned by one thread.
typedef struct clua_state clua_state;

/// CPU time for one entry. Its strings stay alive as long as that.
typedef struct {
    uint64_t ticks;
    /// For messages: the whole limit; what went before and counts too; whether a run is limited as a whole.
    int64_t milliseconds;
    uint64_t ticks_before;
    bool is_total;
    /// The name of the phase, and advice for a run that takes too long; each is never freed, or NULL.
    const char *phase, *advice;
} clua_budget;

/// A limit that was passed.
typedef struct {
    bool is_total;
    int64_t used_milliseconds, limit_milliseconds;
    char phase[48];
} clua_excess;

/// The state's fields that an entry sets anew, as they were before.
typedef struct {
    clua_state *outer;
    lua_State *current;
    uint64_t deadline;
    clua_budget budget;
    uint64_t started;
    bool script_innermost, expired;
} clua_entry;

/// The length of one tick of the thread's CPU clock; budgets are counted in these.
double clua_tick_seconds(void);
/// Whether the script that ran last has used up its budget, and how.
bool clua_expired(const clua_state *state, clua_excess *excess);
/// Whether a run is under way whose time is over: all further calls of Lua in it end at their first
/// instruction. A host function that loops over a script's values asks for it now and then, and gives up: it
/// ends with the error of that budget, whatever it returns.
bool clua_is_spent(const clua_state *state);
/// The same, to be read where even a call is too much. A signal sets it, but for systems that have no such
/// timer: there only `clua_is_spent` looks at the clock.
const volatile bool *clua_spent_flag(const clua_state *state);
/// An entry of the host's own work, for example on what a script gave: it may enter Lua in between, which
/// then ends no later. `clua_end` puts back what `clua_begin` put aside.
void clua_begin(clua_state *state, const clua_budget *budget, clua_entry *saved);
void clua_end(clua_state *state, const clua_entry *saved);
double clua_cpu_seconds(const clua_state *state); // of its runs, by the ticks that fell into them
/// A number of the outermost run that is under way, or was last.
uint64_t clua_run_number(const clua_state *state);

#endif
