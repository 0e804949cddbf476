// Tree to Lua value. Everything here may be left by a jump at any lua_ call: nothing has a destructor.
#include "lua.hpp"
#include "parse.hpp"
#include "tree.hpp"

namespace cjson {
namespace {

class Pusher {
public:
    Pusher(lua_State *L, Span tree) : L(L), at(tree.data), usesCache(tree.count >= cacheWorth) {
        luaL_checkstack(L, usesCache ? cacheSize + 8 : 8, "a value is too large");
        base = lua_gettop(L);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.array);
        if (usesCache) {
            lua_settop(L, base + 1 + cacheSize);
        }
    }

    void root() {
        value();
        lua_replace(L, base + 1);
        lua_settop(L, base + 1);
    }

private:
    // Records repeat their keys. A key that is on the stack already needs no hashing and interning by Lua.
    static constexpr int cacheSize = 64;
    static constexpr size_t cacheWorth = 512;
    static constexpr size_t longestCached = 40;

    void value() {
        switch (auto tag = static_cast<Tag>(*at++)) {
        case Tag::null: cjson_push_null(L); break;
        case Tag::no: lua_pushboolean(L, 0); break;
        case Tag::yes: lua_pushboolean(L, 1); break;
        case Tag::int8:
        case Tag::int32:
        case Tag::int64: lua_pushinteger(L, takeInteger(tag, at)); break;
        case Tag::real:
            lua_pushnumber(L, load<double>(at));
            at += 8;
            break;
        case Tag::string: {
            Span span = takeBytes(at);
            lua_pushlstring(L, reinterpret_cast<const char *>(span.data), span.count);
            break;
        }
        case Tag::array: array(); break;
        case Tag::object: object(); break;
        case Tag::table: table(); break;
        case Tag::classed: classed(); break;
        }
    }

    uint32_t takeCount() {
        auto count = load<uint32_t>(at + 4);
        at += containerHead;
        luaL_checkstack(L, 4, "a value is too deep");
        return count;
    }

    void array() {
        uint32_t count = takeCount();
        lua_createtable(L, static_cast<int>(count), 0);
        for (uint32_t i = 1; i <= count; i++) {
            value();
            lua_rawseti(L, -2, i);
        }
        markArray();
    }

    void object() {
        uint32_t count = takeCount();
        lua_createtable(L, 0, static_cast<int>(count));
        for (; count; count--) {
            key(takeBytes(at));
            value();
            lua_rawset(L, -3);
        }
    }

    void table() {
        uint32_t count = takeCount();
        auto mark = static_cast<Mark>(*at++);
        auto items = load<uint32_t>(at);
        at += 4;
        lua_createtable(L, static_cast<int>(items), static_cast<int>(count - items));
        for (; count; count--) {
            value();
            value();
            lua_rawset(L, -3);
        }
        if (mark == Mark::array) {
            markArray();
        } else if (mark == Mark::object) {
            cjson_mark_object(L, -1);
        }
    }

    void classed() {
        auto id = load<uint32_t>(at);
        at += 4;
        value();
        luaL_checkstack(L, 3, "a value is too deep");
        lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classes);
        if (lua_rawgeti(L, -1, id) == LUA_TTABLE && lua_istable(L, -3) && !hasFinalizer()) {
            lua_setmetatable(L, -3);
            lua_pop(L, 1);
        } else {
            lua_pop(L, 2);
        }
    }

    /// Setting a metatable with a `__gc` of any value would have Lua run what stands there later, out of every budget's
    /// reach.
    bool hasFinalizer() {
        lua_pushliteral(L, "__gc");
        bool has = lua_rawget(L, -2) != LUA_TNIL;
        lua_pop(L, 1);
        return has;
    }

    void markArray() {
        lua_pushvalue(L, base + 1);
        lua_setmetatable(L, -2);
    }

    void key(Span key) {
        auto text = reinterpret_cast<const char *>(key.data);
        if (!usesCache || key.count == 0 || key.count > longestCached) {
            lua_pushlstring(L, text, key.count);
            return;
        }
        size_t last = key.count - 1;
        size_t hash = key.count + key.data[0] * 5u + key.data[last / 2] * 3u + key.data[last] * 11u;
        size_t slot = hash % cacheSize;
        Span &cached = cache[slot];
        int index = base + 2 + static_cast<int>(slot);
        if (cached.count == key.count && std::memcmp(cached.data, key.data, key.count) == 0) {
            lua_pushvalue(L, index);
            return;
        }
        cached = key;
        lua_pushlstring(L, text, key.count);
        lua_copy(L, -1, index);
    }

    lua_State *L;
    const uint8_t *at;
    bool usesCache;
    int base;
    Span cache[cacheSize] = {};
};

int pushTree(lua_State *L) {
    auto tree = static_cast<const cjson_buffer *>(lua_touserdata(L, 1));
    cjson_push_tree(L, tree->data, tree->count);
    return 1;
}

}  // namespace
}  // namespace cjson

using namespace cjson;

void cjson_push_tree(lua_State *L, const uint8_t *tree, size_t count) {
    Pusher(L, {tree, count}).root();
}

int cjson_push_json(lua_State *L, const uint8_t *json, size_t count, const cjson_limits *limits,
                    cjson_error *error) {
    luaL_checkstack(L, 2, nullptr);
    cjson_buffer tree = takeSpareBuffer();
    int code = cjson_tree_from_json(json, count, count, limits, &tree, error);
    int status = LUA_OK;
    if (code == CJSON_OK) {
        // The inner protected call is what gives the buffer back when memory runs out.
        lua_pushcfunction(L, pushTree);
        lua_pushlightuserdata(L, &tree);
        status = lua_pcall(L, 1, 1, 0);
    }
    giveSpareBuffer(tree);
    if (status != LUA_OK) {
        lua_error(L);
    }
    return code;
}
