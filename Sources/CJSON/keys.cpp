#include "keys.hpp"

#include <charconv>

namespace cjson {

Keys::Keys(lua_State *L, int index) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        count++;
        int type = lua_type(L, -2);
        if (type == LUA_TSTRING) {
            strings++;
            size_t bytes;
            const char *name = lua_tolstring(L, -2, &bytes);
            if (bytes == 1 && *name == 'n' && lua_isinteger(L, -1)) {
                length = lua_tointeger(L, -1);
            }
        } else if (lua_isinteger(L, -2)) {
            lua_Integer key = lua_tointeger(L, -2);
            integers++;
            positives += key > 0;
            largest = key > largest ? key : largest;
        } else {
            bool fits = type == LUA_TNUMBER || type == LUA_TBOOLEAN;
            otherType = !fits || otherType == LUA_TNONE ? type : otherType;
            holdsOthers = holdsOthers || !fits;
        }
    }
    // A table with far keys is no reason to make room for all that lies between.
    items = largest > static_cast<lua_Integer>(count) ? 0 : positives;
}

const char *Keys::unencodable() const {
    if (!holdsOthers) {
        return nullptr;
    }
    switch (otherType) {
    case LUA_TTABLE: return "a table with a table as key";
    case LUA_TFUNCTION: return "a table with a function as key";
    case LUA_TTHREAD: return "a table with a coroutine as key";
    default: return "a table with a userdata as key";
    }
}

const char *Keys::describe(Mark mark) const {
    if (otherType == LUA_TBOOLEAN) {
        return "a table with a boolean as key";
    }
    if (otherType != LUA_TNONE) {
        return "a table with a fraction as key";
    }
    if (mark == Mark::array) {
        return strings ? "a list with names among its keys" : "a list with holes";
    }
    return strings ? "a table with both a list's and an object's keys"
                   : "a table with integer keys that are no list";
}

Span KeyText::of(lua_Integer integer) {
    char *end = std::to_chars(text, text + sizeof text, integer).ptr;
    return {reinterpret_cast<const uint8_t *>(text), static_cast<size_t>(end - text)};
}

Span KeyText::of(lua_State *L, int index) {
    if (lua_type(L, index) == LUA_TSTRING) {
        size_t count;
        auto bytes = lua_tolstring(L, index, &count);
        return {reinterpret_cast<const uint8_t *>(bytes), count};
    }
    if (lua_isinteger(L, index)) {
        return of(lua_tointeger(L, index));
    }
    const char *boolean = lua_toboolean(L, index) ? "true" : "false";
    const char *name = lua_type(L, index) == LUA_TNUMBER ? "fraction" : boolean;
    return {reinterpret_cast<const uint8_t *>(name), std::strlen(name)};
}

const char *describeType(int type) {
    switch (type) {
    case LUA_TFUNCTION: return "a function can't be content";
    case LUA_TTHREAD: return "a coroutine can't be content";
    default: return "a userdata can't be content";
    }
}

}  // namespace cjson
