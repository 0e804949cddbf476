// CPU budgets without a standing hook. A count hook that is always on doubles the CPU of tight loops, so a
// timer on the thread's CPU clock ticks instead; its handler compares two numbers, and only when a budget is
// used up does it set a hook on the thread that runs then (manual 4.7: lua_sethook may be called from a
// signal handler). An entry is a few stores: it makes no system call.
#define _GNU_SOURCE
#include "internal.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif
#endif

enum { TICK_NANOSECONDS = 10000000, HOOK_PERIOD = 10000 };

/// One thread's CPU clock, shared by all states that the thread owns.
struct clua_clock {
    volatile uint64_t now;
    clua_state *volatile active;
    int users;
#if defined(__linux__)
    timer_t timer;
#endif
};

static _Thread_local clua_clock *thread_clock;

double clua_tick_seconds(void) { return TICK_NANOSECONDS / 1e9; }

uint64_t clua_now(const clua_state *state) { return state->clock->now; }

bool clua_expired(const clua_state *state, clua_excess *excess) {
    if (state->was_expired && excess) *excess = state->excess;
    return state->was_expired;
}

const volatile bool *clua_spent_flag(const clua_state *state) { return &state->expired; }

double clua_cpu_seconds(const clua_state *state) { return (double)state->used_ticks * clua_tick_seconds(); }

uint64_t clua_run_number(const clua_state *state) { return state->runs; }

static void note_excess(clua_state *state) {
    const clua_budget *budget = &state->budget;
    uint64_t ticks = state->clock->now - state->started + budget->ticks_before;
    state->excess = (clua_excess){
        .is_total = budget->is_total,
        .used_milliseconds = (int64_t)(ticks * (TICK_NANOSECONDS / 1000000)),
        .limit_milliseconds = budget->milliseconds,
    };
    snprintf(state->excess.phase, sizeof state->excess.phase, "%s", budget->phase ? budget->phase : "script");
}

// Raises the error that scripts and people see.
static void raise_expired(lua_State *L, const char *place) {
    clua_state *state = state_of(L);
    const char *advice = state->budget.advice;
    note_excess(state);
    lua_pushfstring(
        L, "%s%s used %I ms of CPU time %s; its limit is %I ms%s%s", place, state->excess.phase,
        (LUAI_UACINT)state->excess.used_milliseconds, state->excess.is_total ? "in all" : "in one go",
        (LUAI_UACINT)state->excess.limit_milliseconds, advice ? ": " : "", advice ? advice : "");
    lua_error(L);
}

static void expire(lua_State *L, lua_Debug *ar);

// Only what isn't armed: setting a hook walks all calls in progress, of which there may be a million. If each
// tick did that, on a slow machine the next tick would come before the walk is over, for ever. The mask tells
// of a hook that was lost because the tick came in the middle of another setting.
static void arm(lua_State *L) {
    enum { all = LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT };
    if (lua_gethook(L) != expire || lua_gethookmask(L) != all) lua_sethook(L, expire, all, 1);
}

static void expire(lua_State *L, lua_Debug *ar) {
    clua_state *state = state_of(L);
    if (!state->expired) {
        // Left over from an entry that has ended.
        lua_sethook(L, NULL, 0, 0);
        clua_watch(L);
        return;
    }
    // Arms every event from now on: code that catches this error gets the next one at its first instruction.
    arm(L);
    lua_getinfo(L, "Sl", ar);
    // A C function has no line: its caller's will do.
    for (int level = 1; ar->currentline < 0 && lua_getstack(L, level, ar); level++) lua_getinfo(L, "Sl", ar);
    const char *place = "";
    if (ar->currentline >= 0) place = lua_pushfstring(L, "%s:%d: ", ar->short_src, ar->currentline);
    raise_expired(L, place);
}

static void tick(clua_clock *clock, uint64_t ticks) {
    clock->now += ticks;
    clua_state *state = clock->active;
    if (state) state->used_ticks += ticks;
    if (!state || clock->now < state->deadline) return;
    state->expired = true;
    if (state->current) arm(state->current);
}

#if defined(__linux__)

// The thread's CPU clock has run on by a tick. The signal goes to that thread alone, in no Lua function's
// way.
static void on_tick(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    if (info->si_code != SI_TIMER || !info->si_value.sival_ptr) return;
    // A kernel that looks at its timers less often than they end tells how many ends one signal stands for.
    tick(info->si_value.sival_ptr, 1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0));
}

static void start(clua_clock *clock) {
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
    struct itimerspec period = {{0, TICK_NANOSECONDS}, {0, TICK_NANOSECONDS}};
    sigset_t set;
    event.sigev_value.sival_ptr = clock;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    if (sigaction(SIGVTALRM, &action, NULL) != 0 || pthread_sigmask(SIG_UNBLOCK, &set, NULL) != 0 ||
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &clock->timer) != 0 ||
        timer_settime(clock->timer, 0, &period, NULL) != 0) {
        perror("resthost: no CPU timer for Lua");
        abort();
    }
}

// A tick that is still pending arrives before the call returns to us, so the clock may go afterwards.
static void stop(clua_clock *clock) { timer_delete(clock->timer); }

// While the budget lasts it needs no hook. An armed hook stays; a lost one comes again with the next tick.
void clua_watch(lua_State *L) {
    const clua_state *state = state_of(L);
    if (state->coverage && !state->expired && lua_gethook(L) != clua_count_line)
        lua_sethook(L, clua_count_line, LUA_MASKLINE, 0);
}

static void look(clua_clock *clock) { (void)clock; }

#else

// No timer that signals one thread: a standing count hook reads the clock. Coroutines inherit it.
static void look(clua_clock *clock) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    uint64_t now = ((uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec) / TICK_NANOSECONDS;
    if (now > clock->now) tick(clock, now - clock->now);
}

static void on_count(lua_State *L, lua_Debug *ar) {
    if (ar->event == LUA_HOOKLINE) {
        clua_count_line(L, ar);
        return;
    }
    look(state_of(L)->clock);
    if (state_of(L)->expired) expire(L, ar);
}

static void start(clua_clock *clock) { (void)clock; }

static void stop(clua_clock *clock) { (void)clock; }

void clua_watch(lua_State *L) {
    int mask = LUA_MASKCOUNT | (state_of(L)->coverage ? LUA_MASKLINE : 0);
    if (lua_gethook(L) != on_count || lua_gethookmask(L) != mask) lua_sethook(L, on_count, mask, HOOK_PERIOD);
}

#endif

bool clua_is_spent(const clua_state *state) {
    look(state->clock);
    return state->depth > 0 && state->clock->now >= state->deadline;
}

clua_clock *clua_clock_open(void) {
    if (!thread_clock) {
        thread_clock = calloc(1, sizeof *thread_clock);
        if (!thread_clock) abort();
        start(thread_clock);
    }
    thread_clock->users++;
    return thread_clock;
}

void clua_clock_close(clua_clock *clock) {
    if (--clock->users > 0) return;
    stop(clock);
    thread_clock = NULL;
    free(clock);
}

// Entries nest. The inner one ends no later than the outer; used up, it ends alone, unless the outer's time
// is over too. Then it ends at its first instruction: the host may start one after another.
void clua_enter(clua_state *state, lua_State *L, const clua_budget *budget, clua_entry *saved) {
    clua_clock *clock = state->clock;
    *saved = (clua_entry){
        .outer = clock->active,
        .current = state->current,
        .deadline = state->deadline,
        .budget = state->budget,
        .started = state->started,
        .script_innermost = state->script_innermost,
        .expired = state->expired,
    };
    if (state->depth++ == 0) {
        state->handed = 0;
        // The script may let go of everything at the end of a run, so the next one may collect at once.
        state->kept = 0;
        state->runs++;
        if (state->run_status) clua_run_status_begin(state->run_status, budget);
    }
    uint64_t deadline = clock->now + budget->ticks;
    if (deadline < state->deadline) {
        state->deadline = deadline;
        state->budget = *budget;
        state->started = clock->now;
    }
    state->current = L;
    state->script_innermost = true;
    clock->active = state;
    if (clock->now < state->deadline) {
        clua_watch(L);
    } else {
        state->expired = true;
        arm(L);
    }
}

void clua_leave(clua_state *state, const clua_entry *saved) {
    bool is_outermost = --state->depth == 0;
    if (is_outermost && state->run_status) clua_run_status_end(state->run_status);
    state->was_expired = state->expired;
    if (state->expired) note_excess(state);
    state->clock->active = saved->outer;
    state->current = saved->current;
    state->deadline = saved->deadline;
    state->budget = saved->budget;
    state->started = saved->started;
    state->script_innermost = saved->script_innermost;
    state->expired = saved->expired;
    if (is_outermost) clua_tidy(state);
    // A tick would notice that the outer budget is used up, of this state or another, but ticks may all fall
    // into inner entries: one that ran until a tick ended it leaves the outer script a whole tick's time to
    // start the next.
    clua_state *outer = saved->outer;
    if (outer && outer->clock->now >= outer->deadline) {
        outer->expired = true;
        if (outer->current) arm(outer->current);
    }
}

void clua_begin(clua_state *state, const clua_budget *budget, clua_entry *saved) {
    clua_enter(state, state->current ? state->current : state->main, budget, saved);
    state->script_innermost = false;
}

void clua_end(clua_state *state, const clua_entry *saved) { clua_leave(state, saved); }

void clua_check_budget(lua_State *L) {
    clua_state *state = state_of(L);
    if (!state->expired) return;
    arm(L);
    luaL_where(L, 1);
    raise_expired(L, lua_tostring(L, -1));
}

void clua_poll(lua_State *L) {
    clua_state *state = state_of(L);
    look(state->clock);
    if (state->expired) clua_check_budget(L);
}

bool clua_died_of_budget(lua_State *L) { return lua_gethook(L) == expire; }
