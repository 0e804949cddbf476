// The functions of the table library whose work depends on lengths, which a script can claim as it likes
// (`__len`): each looks at the budget now and then (manual 6.6).
#include "internal.h"

#include <lauxlib.h>

enum { ITEMS = 1 << 10, READS = 1, WRITES = 2, HAS_LENGTH = 4 };

static bool has_field(lua_State *L, const char *name) {
    lua_pushstring(L, name);
    return lua_rawget(L, -2) != LUA_TNIL;
}

// A table, or what can stand in for one.
static void check_list(lua_State *L, int argument, int what) {
    if (lua_type(L, argument) == LUA_TTABLE) return;
    int top = lua_gettop(L);
    bool serves = lua_getmetatable(L, argument) && (!(what & READS) || has_field(L, "__index"));
    if (serves) {
        lua_settop(L, top + 1);
        serves = !(what & WRITES) || has_field(L, "__newindex");
    }
    if (serves) {
        lua_settop(L, top + 1);
        serves = !(what & HAS_LENGTH) || has_field(L, "__len");
    }
    lua_settop(L, top);
    if (!serves) luaL_checktype(L, argument, LUA_TTABLE);
}

static lua_Integer length(lua_State *L, int argument, int what) {
    check_list(L, argument, what | HAS_LENGTH);
    return luaL_len(L, argument);
}

static inline void count_item(lua_State *L, lua_Unsigned number) {
    if (number % ITEMS == 0) clua_poll(L);
}

static void copy_item(lua_State *L, int from, lua_Integer source, int to, lua_Integer target) {
    count_item(L, (lua_Unsigned)source);
    lua_geti(L, from, source);
    lua_seti(L, to, target);
}

static int insert(lua_State *L) {
    lua_Integer end = (lua_Integer)((lua_Unsigned)length(L, 1, READS | WRITES) + 1);
    lua_Integer position = end;
    switch (lua_gettop(L)) {
    case 2: break;
    case 3:
        position = luaL_checkinteger(L, 2);
        luaL_argcheck(
            L, (lua_Unsigned)position - 1 < (lua_Unsigned)end, 2, "position out of bounds");
        for (lua_Integer i = end; i > position; i--) copy_item(L, 1, i - 1, 1, i);
        break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_seti(L, 1, position);
    return 0;
}

static int remove_item(lua_State *L) {
    lua_Integer size = length(L, 1, READS | WRITES);
    lua_Integer position = luaL_optinteger(L, 2, size);
    if (position != size)
        luaL_argcheck(
            L, (lua_Unsigned)position - 1 <= (lua_Unsigned)size, 2, "position out of bounds");
    lua_geti(L, 1, position);
    for (; position < size; position++) copy_item(L, 1, position + 1, 1, position);
    lua_pushnil(L);
    lua_seti(L, 1, position);
    return 1;
}

static int move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
    lua_Integer target = luaL_checkinteger(L, 4);
    int to = lua_isnoneornil(L, 5) ? 1 : 5;
    check_list(L, 1, READS);
    check_list(L, to, WRITES);
    if (last >= first) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, target <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        // Within one table the copies must not overwrite what is still to be copied.
        bool overwrites = target > first && target <= last && (to == 1 || lua_compare(L, 1, to, LUA_OPEQ));
        for (lua_Integer i = 0; i < count; i++) {
            lua_Integer offset = overwrites ? count - 1 - i : i;
            copy_item(L, 1, first + offset, to, target + offset);
        }
    }
    lua_pushvalue(L, to);
    return 1;
}

static void add_item(clua_text *out, lua_Integer i) {
    lua_State *L = out->L;
    lua_geti(L, 1, i);
    if (!lua_isstring(L, -1))
        luaL_error(
            L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)i);
    clua_text_add_value(out);
}

static int concat(lua_State *L) {
    lua_Integer last = length(L, 1, READS);
    size_t separator_length;
    const char *separator = luaL_optlstring(L, 2, "", &separator_length);
    lua_Integer i = luaL_optinteger(L, 3, 1);
    last = luaL_optinteger(L, 4, last);
    clua_text out;
    clua_text_begin(&out, L);
    for (; i < last; i++) {
        count_item(L, (lua_Unsigned)i);
        add_item(&out, i);
        clua_text_add(&out, separator, separator_length);
    }
    if (i == last) add_item(&out, i);
    clua_text_push(&out);
    return 1;
}

static int is_less(lua_State *L) {
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

// Whether the list is so short, and its items so quickly compared, that sorting takes some milliseconds at
// most.
static bool is_quickly_sorted(lua_State *L) {
    enum { SHORT_LIST = 1 << 15, SHORT_STRING = 64 };
    if (lua_type(L, 1) != LUA_TTABLE || lua_rawlen(L, 1) > SHORT_LIST) return false;
    bool all = !lua_getmetatable(L, 1);
    lua_settop(L, 1);
    for (lua_Integer i = (lua_Integer)lua_rawlen(L, 1); all && i > 0; i--) {
        int type = lua_rawgeti(L, 1, i);
        all = type == LUA_TNUMBER || (type == LUA_TSTRING && lua_rawlen(L, -1) <= SHORT_STRING);
        lua_settop(L, 1);
    }
    return all;
}

// Without a function to compare with, Lua's own would go on for as long as it takes; the calls of one are
// where a budget strikes.
static int sort(lua_State *L) {
    if (lua_gettop(L) > 0 && lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        if (!is_quickly_sorted(L)) lua_pushcfunction(L, is_less);
    }
    return clua_original(L);
}

void clua_open_lists(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"insert", insert}, {"remove", remove_item}, {"move", move}, {"concat", concat}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
    clua_guard(L, "sort", sort);
}
