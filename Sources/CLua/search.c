// string.find, match, gmatch and gsub (manual 6.4).
#include "pattern.h"

#include <lauxlib.h>
#include <string.h>

// A position from the end, or before the beginning, as one from the beginning.
static size_t start_position(lua_Integer position, size_t length) {
    if (position > 0) return (size_t)position;
    if (position == 0 || position < -(lua_Integer)length) return 1;
    return length + (size_t)position + 1;
}

static bool is_plain(const char *pattern, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (pattern[i] && strchr("^$*+?.([%-", pattern[i])) return false;
    return true;
}

static const char *find_plain(lua_State *L, const char *s, size_t length, const char *what, size_t count) {
    enum { TIMEOUT = 1 << 20 };
    if (count == 0) return s;
    const char *end = s + length;
    for (size_t timeout = TIMEOUT; (size_t)(end - s) >= count; s++) {
        const char *next = memchr(s, *what, (size_t)(end - s) - count + 1);
        if (!next) return NULL;
        if (memcmp(next, what, count) == 0) return next;
        size_t work = (size_t)(next - s) / 16 + count / 16 + 1;
        if (timeout > work) {
            timeout -= work;
        } else {
            timeout = TIMEOUT;
            clua_poll(L);
        }
        s = next;
    }
    return NULL;
}

static int search(lua_State *L, bool finds) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, 1, &length);
    const char *pattern = luaL_checklstring(L, 2, &pattern_length);
    size_t first = start_position(luaL_optinteger(L, 3, 1), length) - 1;
    if (first > length) {
        luaL_pushfail(L);
        return 1;
    }
    if (finds && (lua_toboolean(L, 4) || is_plain(pattern, pattern_length))) {
        const char *place = find_plain(L, text + first, length - first, pattern, pattern_length);
        if (!place) {
            luaL_pushfail(L);
            return 1;
        }
        lua_pushinteger(L, place - text + 1);
        lua_pushinteger(L, place - text + (lua_Integer)pattern_length);
        return 2;
    }
    clua_pattern m;
    clua_pattern_begin(&m, L, text, length, pattern + pattern_length);
    bool anchored = pattern_length > 0 && *pattern == '^';
    for (const char *s = text + first; s <= m.end; s++) {
        const char *end = clua_pattern_match(&m, s, pattern + anchored);
        if (end) {
            if (!finds) return clua_pattern_push_captures(&m, s, end);
            lua_pushinteger(L, s - text + 1);
            lua_pushinteger(L, end - text);
            return clua_pattern_push_captures(&m, NULL, NULL) + 2;
        }
        if (anchored) break;
    }
    luaL_pushfail(L);
    return 1;
}

static int find(lua_State *L) { return search(L, true); }

static int match(lua_State *L) { return search(L, false); }

// Upvalues: text, pattern, where to go on, and where the last match ended, which the next may not do too.
static int next_match(lua_State *L) {
    size_t length, pattern_length;
    const char *text = lua_tolstring(L, lua_upvalueindex(1), &length);
    const char *pattern = lua_tolstring(L, lua_upvalueindex(2), &pattern_length);
    lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
    clua_pattern m;
    clua_pattern_begin(&m, L, text, length, pattern + pattern_length);
    for (const char *s = text + lua_tointeger(L, lua_upvalueindex(3)); s <= m.end; s++) {
        const char *end = clua_pattern_match(&m, s, pattern);
        if (!end || end - text == last) continue;
        lua_pushinteger(L, end - text);
        lua_copy(L, -1, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return clua_pattern_push_captures(&m, s, end);
    }
    return 0;
}

static int gmatch(lua_State *L) {
    size_t length;
    luaL_checklstring(L, 1, &length);
    luaL_checkstring(L, 2);
    size_t first = start_position(luaL_optinteger(L, 3, 1), length) - 1;
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)(first > length ? length + 1 : first));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

// Arguments of gsub.
enum { TEXT = 1, PATTERN, REPLACEMENT, LIMIT };

static void add_replacement(const clua_pattern *m, clua_text *out, const char *s, const char *end) {
    size_t length;
    const char *with = lua_tolstring(m->L, REPLACEMENT, &length), *with_end = with + length;
    while (with < with_end) {
        const char *percent = memchr(with, '%', (size_t)(with_end - with));
        if (!percent) percent = with_end;
        clua_text_add(out, with, (size_t)(percent - with));
        if (percent == with_end) return;
        char what = percent[1];
        with = percent + 2;
        if (what == '%') {
            clua_text_add(out, percent, 1);
        } else if (what == '0') {
            clua_text_add(out, s, (size_t)(end - s));
        } else if (what >= '1' && what <= '9') {
            clua_pattern_push_capture(m, what - '1', s, end);
            clua_text_add_value(out);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
    }
}

// Pushes what the match becomes; false (and nothing pushed) when it stays as it is.
static bool push_replacement(const clua_pattern *m, const char *s, const char *end) {
    lua_State *L = m->L;
    if (lua_type(L, REPLACEMENT) == LUA_TFUNCTION) {
        lua_pushvalue(L, REPLACEMENT);
        lua_call(L, clua_pattern_push_captures(m, s, end), 1);
    } else {
        clua_pattern_push_capture(m, 0, s, end);
        lua_gettable(L, REPLACEMENT);
    }
    if (!lua_toboolean(L, -1)) {
        lua_settop(L, -2);
        return false;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    return true;
}

static int gsub(lua_State *L) {
    size_t length, pattern_length;
    const char *text = luaL_checklstring(L, TEXT, &length);
    const char *pattern = luaL_checklstring(L, PATTERN, &pattern_length);
    int type = lua_type(L, REPLACEMENT);
    lua_Integer limit = luaL_optinteger(L, LIMIT, (lua_Integer)length + 1), count = 0;
    bool is_text = type == LUA_TNUMBER || type == LUA_TSTRING;
    luaL_argexpected(
        L, is_text || type == LUA_TFUNCTION || type == LUA_TTABLE, REPLACEMENT, "string/function/table");
    clua_pattern m;
    clua_text out;
    clua_pattern_begin(&m, L, text, length, pattern + pattern_length);
    clua_text_begin(&out, L);
    bool anchored = pattern_length > 0 && *pattern == '^', changed = false;
    const char *s = text, *copied = text, *last = NULL;
    while (count < limit) {
        const char *end = clua_pattern_match(&m, s, pattern + anchored);
        if (end && end != last) {
            count++;
            if (is_text || push_replacement(&m, s, end)) {
                changed = true;
                clua_text_add(&out, copied, (size_t)(s - copied));
                if (is_text) add_replacement(&m, &out, s, end);
                else clua_text_add_value(&out);
                copied = end;
            }
            s = last = end;
        } else if (s < m.end) {
            s++;
        } else {
            break;
        }
        if (anchored) break;
    }
    if (changed) {
        clua_text_add(&out, copied, (size_t)(m.end - copied));
        clua_text_push(&out);
    } else {
        lua_pushvalue(L, TEXT);
    }
    lua_pushinteger(L, count);
    return 2;
}

void clua_open_search(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {NULL, NULL},
    };
    luaL_setfuncs(L, functions, 0);
}
