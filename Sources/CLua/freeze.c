// Tables that can be read and not changed. A frozen table is empty: what it held lies in a table of its own,
// which only its metatable leads to, so even raw access finds nothing to overwrite.
#include "internal.h"

#include <lauxlib.h>
#include <lualib.h>

static const char content_key;

bool clua_push_content(lua_State *L, int index) {
    if (!lua_getmetatable(L, index)) return false;
    int type = lua_rawgetp(L, -1, &content_key);
    lua_remove(L, -2);
    if (type == LUA_TTABLE) return true;
    lua_settop(L, -2);
    return false;
}

bool clua_is_frozen(lua_State *L, int index) {
    clua_reserve(L, 2);
    if (!clua_push_content(L, index)) return false;
    lua_settop(L, -2);
    return true;
}

static void use_content(lua_State *L, int index) {
    if (clua_push_content(L, index)) lua_replace(L, index);
}

static int next(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    use_content(L, 1);
    if (lua_next(L, 1)) return 2;
    lua_pushnil(L);
    return 1;
}

// The `__pairs` of frozen tables.
static int pairs_of_content(lua_State *L) {
    lua_pushcfunction(L, next);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

static int finish_pairs(lua_State *L, int status, lua_KContext context) {
    (void)L, (void)status, (void)context;
    return 3;
}

// Gives the same `next` that scripts see, as Lua's own does.
static int pairs(lua_State *L) {
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") == LUA_TNIL) return pairs_of_content(L);
    lua_pushvalue(L, 1);
    lua_callk(L, 1, 3, 0, finish_pairs);
    return 3;
}

static int length(lua_State *L) {
    use_content(L, 1);
    lua_pushinteger(L, (lua_Integer)lua_rawlen(L, 1));
    return 1;
}

static int raw_get(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    use_content(L, 1);
    lua_rawget(L, 1);
    return 1;
}

// As an assignment would fail.
static int raw_set(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    if (clua_push_content(L, 1)) {
        lua_settop(L, 3);
        luaL_getmetafield(L, 1, "__newindex");
        lua_insert(L, 1);
        lua_call(L, 3, 0);
        return luaL_error(L, "the table is read only");
    }
    lua_rawset(L, 1);
    return 1;
}

static void move_content(lua_State *L, int from, int to) {
    lua_pushnil(L);
    while (lua_next(L, from)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
        lua_pushvalue(L, -1);
        lua_pushnil(L);
        lua_rawset(L, from);
    }
}

// Makes the table at `table` lead to the content on top, which it pops with the function for writing below
// it.
static void lead_to_content(lua_State *L, int table) {
    lua_createtable(L, 0, 8);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, &content_key);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_insert(L, -2);
    lua_setfield(L, -2, "__newindex");
    lua_pushcfunction(L, pairs_of_content);
    lua_setfield(L, -2, "__pairs");
    lua_pushcfunction(L, length);
    lua_setfield(L, -2, "__len");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, table);
}

void clua_freeze(lua_State *L) {
    clua_reserve(L, 8);
    int table = lua_gettop(L) - 1;
    if (clua_push_content(L, table)) {
        lua_settop(L, table);
        return;
    }
    lua_createtable(L, 0, 32);
    int content = lua_gettop(L);
    move_content(L, table, content);
    // The table's metatable goes on answering for missing names.
    if (lua_getmetatable(L, table)) {
        if (clua_has_finalizer(L, -1)) lua_settop(L, -2);
        else lua_setmetatable(L, content);
    }
    lead_to_content(L, table);
}

// Upvalue: what the table is, as in "string.".
static int refuse_field(lua_State *L) {
    return luaL_error(
        L, "cannot change '%s%s' once the script is loaded: keep what is yours in a table of your own",
        lua_tostring(L, lua_upvalueindex(1)), luaL_tolstring(L, 2, NULL));
}

static int refuse_global(lua_State *L) {
    lua_settop(L, 2);
    use_content(L, 1);
    lua_pushvalue(L, 2);
    bool is_new = lua_rawget(L, 1) == LUA_TNIL;
    const char *name = luaL_tolstring(L, 2, NULL);
    return luaL_error(
        L,
        is_new ? "cannot make '%s' a global once the script is loaded: write 'local %s'"
               : "cannot change the global '%s' once the script is loaded: write 'local %s' at the top of its file",
        name, name);
}

static bool is_shared(lua_State *L, int table) {
    lua_pushliteral(L, "");
    if (!lua_getmetatable(L, -1)) return false;
    lua_getfield(L, -1, "__index");
    bool shared = lua_rawequal(L, -1, table);
    lua_settop(L, -4);
    return shared;
}

// A `__gc` that came into the metatable of the table at `index` after it was set is called for no table that
// is frozen.
static void refuse_finalizer_of(lua_State *L, int index) {
    if (!lua_getmetatable(L, index)) return;
    clua_refuse_finalizer(L, -1);
    lua_settop(L, -2);
}

// Freezes the library `name` of the globals at `globals`. The functions of strings are the whole state's: a
// sandbox gets a frozen view of them.
static void freeze_library(lua_State *L, int globals, const char *name, bool is_main) {
    if (lua_getfield(L, globals, name) != LUA_TTABLE) {
        lua_settop(L, -2);
        return;
    }
    int library = lua_gettop(L);
    refuse_finalizer_of(L, library);
    bool shared = is_shared(L, library);
    if (shared && !is_main) lua_newtable(L);
    else lua_pushvalue(L, library);
    lua_pushfstring(L, "%s.", name);
    lua_pushcclosure(L, refuse_field, 1);
    if (shared && !is_main) {
        lua_pushvalue(L, library);
        use_content(L, library + 3);
        lead_to_content(L, library + 1);
        lua_setfield(L, globals, name);
    } else {
        clua_freeze(L);
        // Methods of strings, and the names in tracebacks, need no way round.
        clua_push_content(L, library);
        lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
        lua_pushvalue(L, -2);
        if (is_main) lua_setfield(L, -2, name);
        lua_settop(L, library + 2);
        if (shared) {
            lua_pushliteral(L, "");
            lua_getmetatable(L, -1);
            lua_pushvalue(L, library + 2);
            lua_setfield(L, -2, "__index");
        }
    }
    lua_settop(L, library - 1);
}

static int freeze_globals(lua_State *L) {
    static const char *const libraries[] = {
        LUA_STRLIBNAME, LUA_TABLIBNAME, LUA_MATHLIBNAME, LUA_UTF8LIBNAME,
        LUA_COLIBNAME,  LUA_OSLIBNAME,  LUA_IOLIBNAME,   LUA_DBLIBNAME, LUA_LOADLIBNAME,
    };
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    bool is_main = lua_rawequal(L, 1, -1);
    lua_settop(L, 1);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) freeze_library(L, 1, libraries[i], is_main);
    refuse_finalizer_of(L, 1);
    lua_pushcfunction(L, refuse_global);
    clua_freeze(L);
    if (is_main) {
        lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
        clua_push_content(L, 1);
        lua_setfield(L, -2, LUA_GNAME);
    }
    return 0;
}

int clua_freeze_globals(clua_state *state, lua_State *L) {
    static const clua_budget no_limit = {.ticks = UINT64_MAX >> 1};
    return clua_protect(state, L, freeze_globals, 1, 0, &no_limit);
}

void clua_push_next(lua_State *L) { lua_pushcfunction(L, next); }

void clua_open_raw_access(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"next", next}, {"pairs", pairs}, {"rawget", raw_get}, {"rawset", raw_set}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
}
