// Values that live for as long as one of their owners, and not for the host that refers to them.
//
// An ephemeron table ties values to their owner, so a value that refers back to its owner keeps neither of
// them alive. When the owner dies, its values are put where the host finds them once more: the host may want
// to tell them of the end. Tables in the registry do this:
//
//   attachments weak keys  table -> a userdata with the host's object that lives as long, and what it holds
//   objects     weak keys  host object -> what it holds
//   pinned                 the host objects among the owners that Swift holds too
//   values      all weak   cell -> value: how the host finds a value without keeping it
//   departed    weak keys  cell -> value whose owner died, until the host lets go of the cell
//
// An owner holds one table with weak keys, cell -> value. A cell is an empty userdata that the host keeps
// while it is interested, so forgotten values go by themselves.
#include "owner.h"

const char clua_objects, clua_pinned, clua_values, clua_dead, clua_cycle;
static const char attachments, departed, by_cell;

static void push_mode(lua_State *L, const char *mode) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
}

static void register_table(lua_State *L, const char *mode, const void *key) {
    lua_newtable(L);
    if (mode) {
        push_mode(L, mode);
        lua_setmetatable(L, -2);
    }
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void clua_open_owners(lua_State *L) {
    register_table(L, "k", &attachments);
    register_table(L, "k", &clua_objects);
    register_table(L, NULL, &clua_pinned);
    register_table(L, "kv", &clua_values);
    register_table(L, "k", &departed);
    register_table(L, "v", &clua_cycle);
    push_mode(L, "k");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &by_cell);
    lua_pushboolean(L, 0);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &clua_dead);
}

void clua_registry_set(lua_State *L, const void *table_key) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, table_key);
    lua_insert(L, -3);
    lua_rawset(L, -3);
    lua_settop(L, -2);
}

bool clua_registry_get(lua_State *L, const void *table_key) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, table_key);
    lua_insert(L, -2);
    bool found = lua_rawget(L, -2) != LUA_TNIL;
    lua_remove(L, -2);
    if (!found) lua_settop(L, -2);
    return found;
}

void clua_new_cell(lua_State *L) {
    clua_reserve(L, 5);
    lua_newuserdatauv(L, 0, 0);
    lua_insert(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    clua_registry_set(L, &clua_values);
}

void clua_registry_set_all(lua_State *L, int held, const void *table_key) {
    lua_pushnil(L);
    while (lua_next(L, held)) {
        if (lua_type(L, -2) == LUA_TUSERDATA) {
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            clua_registry_set(L, table_key);
        } else {
            lua_settop(L, -2);
        }
    }
}

// Moves what the dead held to `departed`.
static void sort_the_dead(lua_State *L) {
    while (lua_rawgetp(L, LUA_REGISTRYINDEX, &clua_dead) == LUA_TTABLE) {
        int held = lua_gettop(L);
        lua_rawgeti(L, held, CLUA_LINK);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &clua_dead);
        clua_registry_set_all(L, held, &departed);
        lua_settop(L, held - 1);
    }
    lua_settop(L, -2);
}

bool clua_open_cell(lua_State *L) {
    clua_reserve(L, 10);
    lua_pushvalue(L, -1);
    bool found = clua_registry_get(L, &clua_values);
    if (!found) {
        sort_the_dead(L);
        lua_pushvalue(L, -1);
        found = clua_registry_get(L, &departed);
    }
    if (found) lua_remove(L, -2);
    else lua_settop(L, -2);
    return found;
}

static void push_new_holdings(lua_State *L) {
    if (!state_of(L)->has_owners) clua_open_watch(L);
    lua_createtable(L, CLUA_LINK, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &by_cell);
    lua_setmetatable(L, -2);
    lua_pushboolean(L, 0);
    lua_rawseti(L, -2, CLUA_LINK);
}

static bool push_object_holdings(lua_State *L, int owner, clua_userdata *userdata) {
    if (userdata->kind != CLUA_OBJECT || !userdata->object) return false;
    lua_pushvalue(L, owner);
    if (clua_registry_get(L, &clua_objects)) return true;
    push_new_holdings(L);
    lua_pushvalue(L, owner);
    lua_pushvalue(L, -2);
    clua_registry_set(L, &clua_objects);
    lua_pushvalue(L, owner);
    lua_pushboolean(L, 1);
    clua_registry_set(L, &clua_pinned);
    userdata->owns = true;
    return true;
}

// Pushes the table of what the owner holds, a new one if need be.
static bool push_holdings(lua_State *L, int owner) {
    clua_userdata *userdata = clua_userdata_at(L, owner);
    if (userdata) return push_object_holdings(L, owner, userdata);
    if (!clua_attachment_at(L, owner)) return false;
    lua_pushvalue(L, owner);
    clua_registry_get(L, &attachments);
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
    clua_reserve(L, 10);
    sort_the_dead(L);
    owner = lua_absindex(L, owner);
    int cell = lua_gettop(L);
    bool holds = push_holdings(L, owner);
    if (holds) {
        lua_pushvalue(L, cell);
        lua_pushvalue(L, cell);
        holds = clua_registry_get(L, &clua_values);
        if (holds) lua_rawset(L, -3);
    }
    lua_settop(L, cell - 1);
    return holds;
}

void *clua_attachment_at(lua_State *L, int index) {
    clua_reserve(L, 4);
    if (lua_type(L, index) != LUA_TTABLE) return NULL;
    lua_pushvalue(L, index);
    if (!clua_registry_get(L, &attachments)) return NULL;
    void *object = clua_userdata_at(L, -1)->object;
    lua_settop(L, -2);
    return object;
}

void clua_attach(lua_State *L, int index, void *object) {
    clua_reserve(L, 6);
    lua_pushvalue(L, index);
    clua_push_companion(L, object);
    clua_registry_set(L, &attachments);
}
