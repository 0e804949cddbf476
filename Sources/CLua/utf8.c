// utf8.len and utf8.offset on long strings, with a look at the budget now and then; short ones are Lua's own
// affair.
#include "internal.h"

#include <lauxlib.h>

enum { PIECE = 1 << 16 };

// A position from the end as one from the beginning; 0 when it lies before that.
static lua_Integer position(lua_Integer i, lua_Integer length) {
    return i >= 0 ? i : i < -length ? 0 : length + i + 1;
}

static bool continues(const char *s) { return (*s & 0xC0) == 0x80; }

// Where the character ends of which a byte lies before `end`. It is known to be sound.
static lua_Integer end_of_character(const char *s, lua_Integer end) {
    lua_Integer first = end - 1;
    while (continues(s + first)) first--;
    unsigned char lead = (unsigned char)s[first];
    return first + (lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : lead < 0xFC ? 5 : 6);
}

static int len(lua_State *L) {
    size_t size;
    const char *s = luaL_checklstring(L, 1, &size);
    lua_Integer length = (lua_Integer)size;
    lua_Integer first = position(luaL_optinteger(L, 2, 1), length);
    lua_Integer last = position(luaL_optinteger(L, 3, -1), length), count = 0;
    if (length <= PIECE || first < 1 || last > length) return clua_original(L);
    lua_settop(L, 4);
    for (first--; first < last;) {
        lua_Integer end = last - first > PIECE ? first + PIECE : last;
        clua_poll(L);
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_pushvalue(L, 1);
        lua_pushinteger(L, first + 1);
        lua_pushinteger(L, end);
        lua_pushvalue(L, 4);
        lua_call(L, 4, 2);
        if (!lua_toboolean(L, -2)) return 2;
        count += lua_tointeger(L, -2);
        lua_settop(L, 4);
        first = end_of_character(s, end);
    }
    lua_pushinteger(L, count);
    return 1;
}

static int offset(lua_State *L) {
    size_t size;
    const char *s = luaL_checklstring(L, 1, &size);
    lua_Integer length = (lua_Integer)size, n = luaL_checkinteger(L, 2);
    lua_Integer i = position(luaL_optinteger(L, 3, n > 0 ? 1 : length + 1), length) - 1;
    if (length <= PIECE || i < 0 || i > length || (n != 0 && continues(s + i))) return clua_original(L);
    lua_Integer step = n > 0 ? 1 : -1;
    // Zero asks for the beginning of the character at `i`; the first one after `i` is the one that begins
    // there.
    lua_Integer missing = n > 0 ? n - 1 : n == 0 ? continues(s + i) : n < -length ? length + 1 : -n;
    while (missing > 0 && (step > 0 ? i < length : i > 0)) {
        do {
            i += step;
            if (i % PIECE == 0) clua_poll(L);
        } while (i > 0 && continues(s + i));
        missing--;
    }
    if (missing == 0) lua_pushinteger(L, i + 1);
    else luaL_pushfail(L);
    return 1;
}

void clua_open_utf8(lua_State *L) {
    clua_guard(L, "len", len);
    clua_guard(L, "offset", offset);
}
