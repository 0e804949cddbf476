// The one door to Lua 5.4: all calls that can raise, yield or jump are made here, under protection.
//
// Swift runs *inside* a C frame of ours and answers with a result; only after it has returned does that
// frame raise or yield. Swift itself calls nothing but the functions below and those of lua.h that the manual
// marks as raising nothing but memory errors, which the allocator never refuses while the host is innermost.
#ifndef CLUA_H
#define CLUA_H

#include "clua_budget.h"
#include "clua_chunk.h"
#include "clua_collection.h"

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

/// Swift answers a call with the number of results, or with one of these. All but SUSPEND need a value on
/// top.
enum {
    CLUA_RAISE = -1,
    /// The value is a string; the caller's position is put before it.
    CLUA_RAISE_HERE = -2,
    CLUA_SUSPEND = -3,
};

/// The kinds of a userdata's object.
enum { CLUA_FUNCTION = 1, CLUA_OBJECT = 2, CLUA_ERROR = 3, CLUA_COMPANION = 4 };

typedef struct {
    /// Runs the host function of `userdata`. Must not raise.
    int (*call)(lua_State *L, void *userdata);
    /// Lets go of a userdata's object. Runs inside any allocation: must neither raise nor touch Lua.
    void (*release)(void *object);
    /// Whether others than the asking userdata hold its object. The same rules.
    bool (*is_shared)(void *object);
    /// Pushes one string that describes the error that `object` is.
    void (*describe)(lua_State *L, void *object);
    /// After an outermost run: the state holds more than `clua_expect_growth` said. Must not touch Lua.
    void (*grew)(lua_State *L);
} clua_callbacks;

// state.c

/// NULL when the system has no memory.
clua_state *clua_open(size_t limit, clua_callbacks callbacks);
/// Finalizes all values; returns the bytes that are still counted.
size_t clua_close(clua_state *state);
/// Frees the account itself, after `clua_close`.
void clua_free(clua_state *state);
lua_State *clua_main(const clua_state *state);
void clua_set_owner(clua_state *state, void *owner);
void *clua_owner(lua_State *L);
size_t clua_used(const clua_state *state);
/// The bytes held and asked for when memory was last refused; or the bytes that the host got, and its limit.
void clua_shortage(const clua_state *state, size_t *held, size_t *asked, size_t *given, size_t *takes);
/// The running host function has read so many bytes of the script's, which may end where they are not
/// counted.
void clua_hand_over(clua_state *state, size_t bytes);
/// Userdata whose object has not been released yet.
int64_t clua_userdata_count(const clua_state *state);
/// For tests: refuses the script's nth allocation from now and the retry after it; 0 turns it off.
void clua_refuse(clua_state *state, int64_t nth);
/// For tests: whether `clua_refuse` has struck.
bool clua_refused(const clua_state *state);
/// Whether the host may make a value of so many bytes for the script: how many may follow in all, or 0. Then
/// the script is refused at the next step, as when it allocates too much itself, or its time is over.
/// Collects when that helps; raises nothing.
size_t clua_lend(lua_State *L, size_t bytes);

// c_stack.c

/// Whether the thread's stack has hardly room for one more entry into Lua; without, it would fail: "C stack
/// overflow".
bool clua_is_nearly_deep(const clua_state *state);

// run_status.c

/// The part of a state's runs that other threads may see. Outlives the state.
typedef struct clua_run_status clua_run_status;

/// NULL when the system has no memory.
clua_run_status *clua_run_status_new(void);
void clua_run_status_free(clua_run_status *status);
void clua_set_run_status(clua_state *state, clua_run_status *status);
/// A number that changes with the beginning and the end of each run and is odd in between; and whose run it
/// is. Any thread.
uint64_t clua_run_status_read(const clua_run_status *status, const char **phase, int64_t *limit_milliseconds);

// call.c: every way from Swift into Lua. Results are Lua's status codes; an error's value is left on top.

/// As `lua_pcall`, with a traceback.
int clua_call(clua_state *state, lua_State *L, int arguments, int results, const clua_budget *budget);
/// Where and how the last failed call failed. The caller frees both strings, which may be NULL.
void clua_take_failure(clua_state *state, char **traceback, char **source, int *line, bool *deliberate);
/// Gives a position to a string on top: "file:line: ".
void clua_push_position(lua_State *L);

// access.c: operations that may run metamethods. Same statuses.

int clua_get(clua_state *state, lua_State *L, int index, const clua_budget *budget);
int clua_set(clua_state *state, lua_State *L, int index, const clua_budget *budget);
int clua_tostring(clua_state *state, lua_State *L, int index, const clua_budget *budget);
int clua_length(clua_state *state, lua_State *L, int index, const clua_budget *budget);
/// As `string.match`; leaves its results, of which one is nil when nothing matches.
int clua_match(clua_state *state, lua_State *L, int text, int pattern, const clua_budget *budget, int *captures);
int clua_equal(clua_state *state, lua_State *L, int index, int other, bool *equal);
/// Takes the key on top; pushes the next pair and sets `more`, or pushes nothing.
int clua_next(clua_state *state, lua_State *L, int index, bool *more);
/// Raw set of the pair on top; false (and nothing set) when the key is nil or NaN.
bool clua_rawset(lua_State *L, int index);

// load.c

/// Text only; leaves a function or a message.
int clua_load(
    clua_state *state, lua_State *L, const char *text, size_t length, const char *chunk, const clua_budget *budget);

// guard.c

/// Pops a function and pushes one that calls its own first argument, protected and able to wait, and then the
/// popped one: with whether that ended well, its first result or what it raised, and the arguments behind the
/// first.
void clua_push_guard(lua_State *L);

// coverage.c

/// Counts from now on the lines of the chunks that are named. False when there is no memory.
bool clua_cover_lines(clua_state *state);
/// Counts lines 1 to `lines` of the chunk with this source name. Naming one twice keeps its counts.
bool clua_cover_chunk(clua_state *state, const char *source, size_t length, int lines);
/// How often a line was reached.
uint32_t clua_hits(const clua_state *state, const char *source, size_t length, int line);
/// The function on top in Lua's binary form, which the caller frees; NULL when there is no memory.
unsigned char *clua_dump(lua_State *L, size_t *count);

// coroutine.c

/// Whether a host function called on `L` could suspend: no C function lies between it and the run's start.
bool clua_may_wait(lua_State *L);
/// Readies an idle thread: what is pushed next is the function and its arguments.
void clua_prepare(lua_State *thread);
/// Starts or continues `thread`. `count` values on the top of `target`, the thread that waits, are its
/// arguments or answer; with `raising` the one value is raised there. LUA_OK: `*results` values on top;
/// LUA_YIELD: it waits.
int clua_resume(
    clua_state *state, lua_State *thread, lua_State *target, int count, bool raising, const clua_budget *budget,
    int *results, uint64_t *used);
/// Closes a waiting thread and the script's own coroutines through which it waits, innermost first.
void clua_cancel(clua_state *state, lua_State *thread, const clua_budget *budget);

// object.c

/// Pushes a Lua function that calls `object` through `callbacks.call`. Takes over one reference of `object`.
/// The state is charged with `kept` bytes until it lets go of the object, and with some more when a script
/// runs.
void clua_push_function(lua_State *L, void *object, size_t kept);
/// Pushes a userdata for an error value. Takes over one reference.
void clua_push_error(lua_State *L, void *object);
/// The error of the value at `index`, whether it is a userdata or a value that `clua_link_error` linked; or
/// NULL.
void *clua_error_at(lua_State *L, int index);
/// Links the table or userdata below the error userdata on top to that userdata, and pops the userdata.
void clua_link_error(lua_State *L);
/// Pushes the userdata that already stands for `object`, if there is one.
bool clua_push_known(lua_State *L, void *object);
/// Pushes a new userdata and takes over one reference; false (nothing pushed) when `class_key` has no
/// metatable yet. The state is charged with what the object keeps, until it is let go of.
bool clua_push_object(lua_State *L, void *object, const void *class_key, size_t kept);
/// The object keeps so many bytes now. No effect when Lua doesn't have it.
void clua_measure(lua_State *L, void *object, size_t kept);
/// The object of a host object at `index`, or NULL.
void *clua_object_at(lua_State *L, int index);

// class.c

/// Forgets a class: its metatable lives on with the objects that have it.
void clua_forget_class(lua_State *L, const void *class_key);
/// Makes a class of what is on the stack: methods, getters and setters (tables), fallbacks for reading and
/// writing (functions), and a table of further metamethods. Getters and setters map names to functions.
void clua_new_class(lua_State *L, const void *class_key, const char *name);

// owner.c

/// Pops a value and pushes a cell, by which the host finds it without keeping it.
void clua_new_cell(lua_State *L);
/// Pops a cell and pushes its value, also one whose owners died; false (nothing pushed) when it is gone.
bool clua_open_cell(lua_State *L);
/// Pops a cell: its value lives for as long as the host object or the table with an attachment at `owner`.
/// False when that is neither, or the value is gone.
bool clua_hold(lua_State *L, int owner);
/// The host's object that lives for as long as the table at `index`, or NULL.
void *clua_attachment_at(lua_State *L, int index);
/// Gives the table at `index` such an object. Takes over one reference.
void clua_attach(lua_State *L, int index, void *object);

// reference.c

/// The bytes of the host's object that refers to a value, and of the entry for it in a list. The state is
/// charged with them for each value that is kept, so that a script can't make such objects without end.
enum { CLUA_REFERENCE_BYTES = 128 };

/// Pops a value and keeps it under `slot`.
void clua_anchor(lua_State *L, lua_Integer slot);
void clua_release(lua_State *L, lua_Integer slot);
void clua_push_anchored(lua_State *L, lua_Integer slot);

// library.c

/// Opens the allowed part of the standard library.
void clua_open_libraries(lua_State *L);

// stubs.c

/// Pushes a function that says that `name`, as in "io.open", is not available.
void clua_push_stub(lua_State *L, const char *name);
/// Sets the advice of such a function.
void clua_advise(lua_State *L, const char *name, const char *advice);

// freeze.c

/// Pops a function, which is called for every assignment (table, key, value) and raises, and makes the table
/// below it read only, for raw access too. A metatable that it has goes on answering for names that are
/// missing.
void clua_freeze(lua_State *L);
/// Whether the value at `index` is a table that clua_freeze made read only.
bool clua_is_frozen(lua_State *L, int index);
/// Pushes the content of such a table, else nothing. For looking at: scripts must not get it.
bool clua_push_content(lua_State *L, int index);
/// Pops a table of globals and makes it and the libraries in it read only. LUA_OK, or an error's value is
/// left.
int clua_freeze_globals(clua_state *state, lua_State *L);
/// Pushes the script's `next`.
void clua_push_next(lua_State *L);

// metatable.c

/// Pops a metatable that is locked (`__metatable`), which scripts may take off their tables nevertheless.
void clua_let_remove(lua_State *L);
/// Whether the value at `index` has a metatable that no script may replace.
bool clua_is_protected(lua_State *L, int index);

// fingerprint.c

/// Tells functions apart by what they do: the same code that reaches the same values has the same number in
/// every state, wherever it was written. 0 when there is too much to look at.
uint64_t clua_fingerprint(lua_State *L, int index);

// sandbox.c

/// Pushes a table of globals as a new state has them; Swift's own functions are not in it yet.
void clua_push_new_globals(lua_State *L);
/// Pops a table and makes it the globals of the loaded chunk below it.
void clua_set_globals(lua_State *L);

// Functions in place of macros of lua.h.

static inline lua_State *clua_new_thread(lua_State *L) { return lua_newthread(L); }
static inline void clua_pop(lua_State *L, int count) { lua_settop(L, -count - 1); }
static inline void clua_remove(lua_State *L, int index) {
    lua_rotate(L, index, -1);
    lua_settop(L, -2);
}
static inline void clua_insert(lua_State *L, int index) { lua_rotate(L, index, 1); }
static inline void clua_push_globals(lua_State *L) { lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS); }

// place.c

/// The innermost line of script code that is running; false when there is none. The source lives as long as
/// its code.
bool clua_caller_place(lua_State *L, const char **source, int *line);
/// The same for the script that runs in the state; false when none does.
bool clua_running_place(const clua_state *state, const char **source, int *line);
/// Where the function at `index` was written; false for what no script wrote. Needs one free slot.
bool clua_function_place(lua_State *L, int index, const char **source, int *line);

#endif
