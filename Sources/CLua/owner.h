// Shared by owner.c and finalize.c; not for Swift.
#ifndef CLUA_OWNER_H
#define CLUA_OWNER_H

#include "internal.h"

#include <lauxlib.h>

/// Keys in the registry; owner.c says what is there. `clua_dead` begins the chain of values that dead owners
/// held.
extern const char clua_objects, clua_pinned, clua_values, clua_dead, clua_cycle;

/// The table of a dead owner is a link of that chain. The place of the link is made with the table: a
/// finalizer may have no memory to make it.
enum { CLUA_LINK = 1 };

/// Pops a value and its key, and sets them in a table of the registry.
void clua_registry_set(lua_State *L, const void *table_key);
/// Pops a key and pushes its value in a table of the registry; pushes nothing when it has none.
bool clua_registry_get(lua_State *L, const void *table_key);
/// Sets all pairs of cell and value of the table at `held` in a table of the registry.
void clua_registry_set_all(lua_State *L, int held, const void *table_key);

// finalize.c
/// Begins to watch the collector.
void clua_open_watch(lua_State *L);

#endif
