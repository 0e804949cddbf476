#include "keys.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace cjson {

Keys::Keys(lua_State *L, int index, const volatile bool *stop) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (++count % 1024 == 0 && *stop) {
            lua_pop(L, 2);
            break;
        }
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

OddKeys oddKeys(lua_State *L, int index) {
    OddKeys keys;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        int type = lua_type(L, -2);
        if (type == LUA_TSTRING) {
            size_t length;
            auto bytes = lua_tolstring(L, -2, &length);
            keys.add(Span{reinterpret_cast<const uint8_t *>(bytes), length});
        } else if (lua_isinteger(L, -2)) {
            keys.add(static_cast<long long>(lua_tointeger(L, -2)));
        } else if (type == LUA_TNUMBER) {
            keys.add(static_cast<double>(lua_tonumber(L, -2)));
        } else if (type == LUA_TBOOLEAN) {
            keys.add(lua_toboolean(L, -2) != 0);
        }
    }
    return keys;
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

const char *describeValue(lua_State *L, char *text, size_t size) {
    switch (lua_type(L, -1)) {
    case LUA_TFUNCTION: return "a function can't be content";
    case LUA_TTHREAD: return "a coroutine can't be content";
    default: break;
    }
    // An object of the host is called by its class.
    if (!lua_checkstack(L, 3) || !lua_getmetatable(L, -1)) {
        return "a userdata can't be content";
    }
    lua_pushnil(L);
    const char *found = nullptr;
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) == LUA_TSTRING && !std::strcmp(lua_tostring(L, -2), "__name") && lua_type(L, -1) == LUA_TSTRING) {
            found = lua_tostring(L, -1);
            lua_pop(L, 2);
            break;
        }
        lua_pop(L, 1);
    }
    if (found) {
        std::snprintf(text, size, "an object of the host (%.40s) can't be content", found);
    }
    lua_pop(L, 1);
    return found ? text : "a userdata can't be content";
}

}  // namespace cjson
