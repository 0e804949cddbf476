#include "keys.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

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

OddKeys::OddKeys(lua_State *L, int index) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        int type = lua_type(L, -2);
        if (type == LUA_TSTRING) {
            size_t length;
            auto bytes = lua_tolstring(L, -2, &length);
            add(Span{reinterpret_cast<const uint8_t *>(bytes), length});
        } else if (lua_isinteger(L, -2)) {
            add(lua_tointeger(L, -2));
        } else if (type == LUA_TNUMBER) {
            add(static_cast<double>(lua_tonumber(L, -2)));
        } else if (type == LUA_TBOOLEAN) {
            add(lua_toboolean(L, -2) != 0);
        }
    }
}

void OddKeys::add(Span name) {
    count++;
    // The first in their order, not in the table's, which differs from run to run.
    size_t common = name.count < firstName.count ? name.count : firstName.count;
    int order = names ? std::memcmp(name.data, firstName.data, common) : 0;
    if (!names++ || order < 0 || (order == 0 && name.count < firstName.count)) {
        firstName = name;
    }
}

void OddKeys::add(lua_Integer key) {
    count++;
    smallest = integers && smallest < key ? smallest : key;
    largest = integers++ && largest > key ? largest : key;
}

void OddKeys::add(double fraction) {
    count++;
    *std::to_chars(other, other + sizeof other - 1, fraction).ptr = 0;
    isBoolean = false;
}

void OddKeys::add(bool key) {
    count++;
    std::strcpy(other, key ? "true" : "false");
    isBoolean = true;
}

const char *OddKeys::describe(Mark mark) {
    if (other[0]) {
        return write(isBoolean ? "a table with a boolean as key: [" : "a table with a fraction as key: [", other, "]");
    }
    char name[44] = "", integer[24] = "", end[40] = "";
    if (names) {
        // Not in the middle of a character.
        size_t length = firstName.count < 32 ? firstName.count : 32;
        while (length < firstName.count && length && (firstName.data[length] & 0xC0) == 0x80) {
            length--;
        }
        std::snprintf(name, sizeof name, "'%.*s%s'", static_cast<int>(length),
                      reinterpret_cast<const char *>(firstName.data), length < firstName.count ? "..." : "");
    }
    lua_Integer shown = names || smallest < 1 ? smallest : largest;
    *std::to_chars(integer, integer + sizeof integer - 1, static_cast<long long>(shown)).ptr = 0;
    if (mark == Mark::array && names) {
        return write("a list with names among its keys: ", name);
    }
    if (names) {
        std::snprintf(end, sizeof end, " beside [%s]", integer);
        return write("a table with both a list's and an object's keys: ", name, end);
    }
    std::snprintf(end, sizeof end, "] is one of %zu", count);
    return write(mark == Mark::array ? "a list with holes: [" : "a table with integer keys that are no list: [", integer, end);
}

const char *OddKeys::write(const char *sentence, const char *key, const char *end) {
    std::snprintf(text, sizeof text, "%s%s%s", sentence, key, end);
    return text;
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
