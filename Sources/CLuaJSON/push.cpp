// Tree to Lua value. Everything here may be left by a jump at any lua_ call: nothing has a destructor.
#include "failure.hpp"
#include "lua.hpp"
#include "parse.hpp"
#include "text.hpp"
#include "tree.hpp"

namespace cjson {
namespace {

/// `isCounted`: memory is asked for, and may be refused.
template <bool isCounted>
class Pusher {
public:
    Pusher(lua_State *L, Span tree, const cjson_making &making)
        : L(L), at(tree.data), making(making), usesCache(tree.count >= cacheWorth) {
        luaL_checkstack(L, usesCache ? cacheSize + 8 : 8, "a value is too large");
        base = lua_gettop(L);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.array);
        if (usesCache) {
            lua_settop(L, base + 1 + cacheSize);
        }
    }

    bool root() {
        bool made = value();
        if (!made) {
            lua_pushnil(L);
        }
        lua_replace(L, base + 1);
        lua_settop(L, base + 1);
        return made;
    }

private:
    // Records repeat their keys. A key that is on the stack already needs no hashing and interning by Lua.
    static constexpr int cacheSize = 64;
    static constexpr size_t cacheWorth = 512;
    static constexpr size_t longestCached = 40;

    // What Lua takes (5.4): a table itself, one item, one field, and a string beside its bytes.
    static constexpr size_t tableBytes = 56, itemBytes = 16, fieldBytes = 24, stringBytes = 25;

    /// False when there is no memory for it; then things are left on the stack.
    bool value() {
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
        case Tag::string: return string(takeBytes(at));
        case Tag::number: return number(takeBytes(at));
        case Tag::array: return array();
        case Tag::object: return object();
        case Tag::table: return table();
        case Tag::classed: return classed();
        }
        return true;
    }

    bool string(Span span) {
        if (!affords(span.count + stringBytes)) {
            return false;
        }
        lua_pushlstring(L, reinterpret_cast<const char *>(span.data), span.count);
        return true;
    }

    bool number(Span digits) {
        if (making.big_as_text) {
            return string(digits);
        }
        auto text = reinterpret_cast<const char *>(digits.data);
        double value = 0;
        parseDouble(text, text + digits.count, value);
        lua_pushnumber(L, value);
        return true;
    }

    bool createTable(uint32_t items, uint32_t fields) {
        size_t room = fields ? size_t{1} << (64 - __builtin_clzll(fields * uint64_t{2} - 1)) >> 1 : 0;
        if (!affords(tableBytes + items * itemBytes + room * fieldBytes)) {
            return false;
        }
        lua_createtable(L, static_cast<int>(items), static_cast<int>(fields));
        return true;
    }

    /// What is lent in one go is for many values.
    bool affords(size_t bytes) {
        if constexpr (!isCounted) {
            return true;
        }
        if (__builtin_expect(bytes > credit, 0)) {
            credit = making.lend(L, bytes);
            if (credit < bytes) {
                return false;
            }
        }
        credit -= bytes;
        return true;
    }

    uint32_t takeCount() {
        auto count = load<uint32_t>(at + 4);
        at += containerHead;
        luaL_checkstack(L, 4, "a value is too deep");
        return count;
    }

    bool array() {
        uint32_t count = takeCount();
        if (!createTable(count, 0)) {
            return false;
        }
        for (uint32_t i = 1; i <= count; i++) {
            if (!value()) {
                return false;
            }
            lua_rawseti(L, -2, i);
        }
        markArray();
        return true;
    }

    bool object() {
        uint32_t count = takeCount();
        if (!createTable(0, count)) {
            return false;
        }
        for (; count; count--) {
            if (!key(takeBytes(at)) || !value()) {
                return false;
            }
            lua_rawset(L, -3);
        }
        return true;
    }

    bool table() {
        uint32_t count = takeCount();
        auto mark = static_cast<Mark>(*at++);
        auto items = load<uint32_t>(at);
        at += 4;
        if (!createTable(items, count - items)) {
            return false;
        }
        for (; count; count--) {
            if (!value() || !value()) {
                return false;
            }
            lua_rawset(L, -3);
        }
        if (mark == Mark::array) {
            markArray();
        } else if (mark == Mark::object) {
            cjson_mark_object(L, -1);
        }
        return true;
    }

    bool classed() {
        auto id = load<uint32_t>(at);
        at += 4;
        if (!value()) {
            return false;
        }
        luaL_checkstack(L, 3, "a value is too deep");
        lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classes);
        if (lua_rawgeti(L, -1, id) == LUA_TTABLE && lua_istable(L, -3) && !hasFinalizer()) {
            lua_setmetatable(L, -3);
            lua_pop(L, 1);
        } else {
            lua_pop(L, 2);
        }
        return true;
    }

    /// Setting a metatable with a `__gc` of any value would have Lua run what stands there later, out of
    /// every budget's reach.
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

    bool key(Span key) {
        if (!usesCache || key.count == 0 || key.count > longestCached) {
            return string(key);
        }
        size_t last = key.count - 1;
        size_t hash = key.count + key.data[0] * 5u + key.data[last / 2] * 3u + key.data[last] * 11u;
        size_t slot = hash % cacheSize;
        Span &cached = cache[slot];
        int index = base + 2 + static_cast<int>(slot);
        if (cached.count == key.count && std::memcmp(cached.data, key.data, key.count) == 0) {
            lua_pushvalue(L, index);
            return true;
        }
        if (!string(key)) {
            return false;
        }
        cached = key;
        lua_copy(L, -1, index);
        return true;
    }

    lua_State *L;
    const uint8_t *at;
    const cjson_making &making;
    /// Bytes that may still be taken.
    size_t credit = 0;
    bool usesCache;
    int base;
    Span cache[cacheSize] = {};
};

constexpr cjson_making plain = {};

// Of a value that takes no more than this nobody needs to know; and no value takes so many times the bytes of
// its tree, where an item that is null has one byte, and a field three.
constexpr size_t unnoticed = size_t{1} << 20, mostForByte = 32;

struct Order {
    cjson_buffer tree;
    const cjson_making *making;
    bool made;
};

int pushTree(lua_State *L) {
    auto order = static_cast<Order *>(lua_touserdata(L, 1));
    order->made = cjson_push_tree(L, order->tree.data, order->tree.count, order->making);
    return 1;
}

}  // namespace
}  // namespace cjson

using namespace cjson;

bool cjson_push_tree(lua_State *L, const uint8_t *tree, size_t count, const cjson_making *making) {
    const cjson_making &how = making ? *making : plain;
    if (!how.lend || count <= unnoticed / mostForByte) {
        return Pusher<false>(L, {tree, count}, how).root();
    }
    return Pusher<true>(L, {tree, count}, how).root();
}

int cjson_push_json(lua_State *L, const uint8_t *json, size_t count, const cjson_limits *limits,
                    const cjson_making *making, cjson_error *error) {
    luaL_checkstack(L, 2, nullptr);
    Order order = {takeSpareBuffer(), making, false};
    int code = cjson_tree_from_json(json, count, count, limits, &order.tree, error);
    int status = LUA_OK;
    if (code == CJSON_OK) {
        // The inner protected call is what gives the buffer back when memory runs out.
        lua_pushcfunction(L, pushTree);
        lua_pushlightuserdata(L, &order);
        status = lua_pcall(L, 1, 1, 0);
    }
    giveSpareBuffer(order.tree);
    if (status != LUA_OK) {
        lua_error(L);
    }
    if (code == CJSON_OK && !order.made) {
        lua_pop(L, 1);
        code = fail(error, CJSON_NO_MEMORY, 0, "out of memory");
    }
    return code;
}
