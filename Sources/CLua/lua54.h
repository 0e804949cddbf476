// Facts about Lua that this code uses and Lua's manual doesn't promise. Each was read in Lua's source, and
// the suite in brackets fails where it is not so. Check the list before you move to another Lua.
//
//  1. The binary form of a chunk (ldump.c, lundump.c): chunk.c reads it, for fingerprints, coverage and
//     `check` (ChunkLinesTests, FingerprintTests).
//  2. The numbers and the layout of four instructions (lopcodes.h): GETTABUP, SETTABUP, TEST and TESTSET, in
//     GlobalAssignment.swift (GlobalAssignmentTests).
//  3. The memory of a full userdata ends with the bytes that were asked for, and is handed back to the
//     allocator in one piece, as large as it was (lgc.c, lobject.h): so state.c finds userdata whose
//     finalizer could not be called (FullStackTests).
//  4. Objects begin at multiples of 16, because the allocator's blocks do: fingerprint.c drops four bits of
//     their addresses, which costs collisions and nothing else where it isn't so.
//  5. `lua_getlocal` gives a C function's temporaries, from 1 (ldebug.c, luaG_findlocal): so coroutine.c
//     finds the coroutine for which a suspended `coroutine.resume` waits (WaitingTests, CancellingTests).
//  6. A thread that ended by an error keeps its hook (ldo.c, luaD_throw and lua_resume): so budget.c knows of
//     what it died (BudgetTests).
//  7. Inside a finalizer `lua_gc` answers -1 to everything from 5.4.4 on, before never (lapi.c, gcstp):
//     state.c (MemoryTests).
//  8. A thread is not in the middle of a change of its stack while a signal handler sets its hook, and
//     `lua_sethook` may be called there (manual 4.7 promises the call; ldebug.c that no field is half
//     written): budget.c (BudgetTests, HostileTests).
//  9. Looking for what `__call` stands for passes no instruction (ldo.c, luaD_tryfuncTM): state.c ends it by
//     the stack's growth (StackTests).
// 10. `lua_resetthread` doesn't count its C calls before 5.4.5 (lstate.c): coroutine.c bounds the depth
//     itself (HostileTests).
// 11. While a stack is moved, from 5.4.5 on, calls hold offsets from its old block in place of pointers, and
//     a call begins with where its function lies (ldo.c, relstack; struct CallInfo): call.c reads the line of
//     a call then, for the error of a stack that gets no memory (StackTests, MemoryTests).
//
// The suite of LuaRuntime has passed with 5.4.4, 5.4.6, 5.4.7 and 5.4.8; `scripts/test-lua-versions` runs it
// with others. 5.4.3 words one error in another way; it and what is older are refused.
#ifndef CLUA_LUA54_H
#define CLUA_LUA54_H

#include <lua.h>

#if LUA_VERSION_NUM != 504
#error "CLua knows Lua 5.4 by heart, and no other: see the list above"
#endif

#if LUA_VERSION_RELEASE_NUM < 50404
#error "CLua needs Lua 5.4.4 or newer: see the list above"
#endif

_Static_assert(sizeof(lua_Integer) == 8 && sizeof(lua_Number) == 8, "CLua: Lua with numbers of 64 bits");

#endif
