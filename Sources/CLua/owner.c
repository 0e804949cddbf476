// Values that live for as long as one of their owners, and not for the host that refers to them.
//
// What an owner holds hangs on it through an ephemeron table, so a value that refers back to its owner keeps
// neither of them alive. When the owner dies, what it held is put where the host finds it once more: the host may
// want to tell it of the end. Tables in the registry do this:
//
//   companions  weak keys  table -> a box with the host's object that lives as long, and what the table holds
//   objects     weak keys  host object -> what it holds
//   values      all weak   cell -> value: how the host finds a value without keeping it
//   departed    weak keys  cell -> value whose owner died, until the host lets go of the cell
//
// What an owner holds is one table with weak keys, cell -> value. A cell is an empty userdata that the host keeps
// for as long as it is interested, so what it has forgotten goes by itself.
#include "internal.h"

#include <lauxlib.h>

static const char companions_key, objects_key, values_key, departed_key, dead_key, by_cell_key;

// What an owner holds is a link of a chain once the owner is dead. The place of the link is made with the table:
// a finalizer may have no memory to make it.
enum { LINK = 1 };

static void push_mode(lua_State *L, const char *mode) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
}

static void register_weak_table(lua_State *L, const char *mode, const void *key) {
    lua_newtable(L);
    push_mode(L, mode);
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void clua_open_owners(lua_State *L) {
    register_weak_table(L, "k", &companions_key);
    register_weak_table(L, "k", &objects_key);
    register_weak_table(L, "kv", &values_key);
    register_weak_table(L, "k", &departed_key);
    push_mode(L, "k");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &by_cell_key);
    lua_pushboolean(L, 0);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &dead_key);
}

// Pops a value and its key, and sets them in a table of the registry.
static void set(lua_State *L, const void *table_key) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, table_key);
    lua_insert(L, -3);
    lua_rawset(L, -3);
    lua_settop(L, -2);
}

// Pops a key and pushes its value in a table of the registry; pushes nothing when it has none.
static bool get(lua_State *L, const void *table_key) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, table_key);
    lua_insert(L, -2);
    bool found = lua_rawget(L, -2) != LUA_TNIL;
    lua_remove(L, -2);
    if (!found) lua_settop(L, -2);
    return found;
}

void clua_new_cell(lua_State *L) {
    lua_checkstack(L, 5);
    lua_newuserdatauv(L, 0, 0);
    lua_insert(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    set(L, &values_key);
}

// Finds a value that only a host object holds which Lua found dead: `values` forgets it then, though the object may
// well stay (object.c). Keeps the cell; pushes the value.
static bool find_with_objects(lua_State *L) {
    int cell = lua_gettop(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &objects_key);
    lua_pushnil(L);
    while (lua_next(L, cell + 1)) {
        lua_pushvalue(L, cell);
        if (lua_rawget(L, -2) != LUA_TNIL && clua_box_at(L, -3)->object) {
            lua_replace(L, cell + 1);
            lua_settop(L, cell + 1);
            lua_pushvalue(L, cell);
            lua_pushvalue(L, cell + 1);
            set(L, &values_key);
            return true;
        }
        lua_settop(L, -3);
    }
    lua_settop(L, cell);
    return false;
}

// Moves what the dead held to `departed`.
static void sort_the_dead(lua_State *L) {
    while (lua_rawgetp(L, LUA_REGISTRYINDEX, &dead_key) == LUA_TTABLE) {
        int held = lua_gettop(L);
        lua_rawgeti(L, held, LINK);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &dead_key);
        lua_pushnil(L);
        while (lua_next(L, held)) {
            if (lua_type(L, -2) == LUA_TUSERDATA) {
                lua_pushvalue(L, -2);
                lua_insert(L, -2);
                set(L, &departed_key);
            } else {
                lua_settop(L, -2);
            }
        }
        lua_settop(L, held - 1);
    }
    lua_settop(L, -2);
}

bool clua_open_cell(lua_State *L, bool with_departed) {
    lua_checkstack(L, 10);
    lua_pushvalue(L, -1);
    bool found = get(L, &values_key) || find_with_objects(L);
    if (!found && with_departed) {
        sort_the_dead(L);
        lua_pushvalue(L, -1);
        found = get(L, &departed_key);
    }
    if (found) lua_remove(L, -2);
    else lua_settop(L, -2);
    return found;
}

static void push_new_holdings(lua_State *L) {
    lua_createtable(L, LINK, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &by_cell_key);
    lua_setmetatable(L, -2);
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, LINK);
    state_of(L)->has_owners = true;
}

static bool push_object_holdings(lua_State *L, int owner, clua_box *box) {
    if (box->kind != CLUA_OBJECT || !box->object) return false;
    lua_pushvalue(L, owner);
    if (get(L, &objects_key)) return true;
    push_new_holdings(L);
    lua_pushvalue(L, owner);
    lua_pushvalue(L, -2);
    set(L, &objects_key);
    box->owns = true;
    return true;
}

// Pushes the table of what the owner holds, a new one if need be.
static bool push_holdings(lua_State *L, int owner) {
    clua_box *box = clua_box_at(L, owner);
    if (box) return push_object_holdings(L, owner, box);
    if (!clua_companion_at(L, owner)) return false;
    lua_pushvalue(L, owner);
    get(L, &companions_key);
    if (lua_getiuservalue(L, -1, 1) != LUA_TTABLE) {
        lua_settop(L, -2);
        push_new_holdings(L);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, -3, 1);
    }
    lua_remove(L, -2);
    return true;
}

bool clua_hold(lua_State *L, int owner) {
    lua_checkstack(L, 10);
    owner = lua_absindex(L, owner);
    int cell = lua_gettop(L);
    bool holds = push_holdings(L, owner);
    if (holds) {
        lua_pushvalue(L, cell);
        lua_pushvalue(L, cell);
        holds = get(L, &values_key);
        if (holds) lua_rawset(L, -3);
    }
    lua_settop(L, cell - 1);
    return holds;
}

void *clua_companion_at(lua_State *L, int index) {
    lua_checkstack(L, 4);
    if (lua_type(L, index) != LUA_TTABLE) return NULL;
    lua_pushvalue(L, index);
    if (!get(L, &companions_key)) return NULL;
    void *object = clua_box_at(L, -1)->object;
    lua_settop(L, -2);
    return object;
}

void clua_set_companion(lua_State *L, int index, void *object) {
    lua_checkstack(L, 6);
    lua_pushvalue(L, index);
    clua_push_companion(L, object);
    set(L, &companions_key);
}

// Whatever lives was not held by the dead alone: only now is that known, for `values` forgets what Lua finds dead.
static bool keep_only_the_dead(lua_State *L, int held) {
    bool any = false;
    lua_pushnil(L);
    while (lua_next(L, held)) {
        lua_pushvalue(L, -2);
        if (lua_type(L, -1) != LUA_TUSERDATA) {
            lua_settop(L, -3);
        } else if (get(L, &values_key)) {
            lua_settop(L, -3);
            lua_pushvalue(L, -1);
            lua_pushnil(L);
            lua_rawset(L, held);
        } else {
            any = true;
            lua_settop(L, -2);
        }
    }
    return any;
}

void clua_depart(lua_State *L, const clua_box *box) {
    bool holds = false;
    if (box->kind == CLUA_COMPANION) {
        holds = lua_getiuservalue(L, 1, 1) == LUA_TTABLE;
    } else if (box->owns) {
        lua_pushvalue(L, 1);
        holds = get(L, &objects_key);
    }
    if (holds && keep_only_the_dead(L, 2)) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &dead_key);
        lua_rawseti(L, 2, LINK);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &dead_key);
    }
    lua_settop(L, 1);
}
