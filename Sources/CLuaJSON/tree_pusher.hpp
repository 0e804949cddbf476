#ifndef TREE_PUSHER_HPP
#define TREE_PUSHER_HPP

#include "push.hpp"

namespace cjson {

/// Tree to Lua value. Everything here may be left by a jump at any lua_ call: nothing has a destructor.
template <bool isCounted>
class TreePusher : protected Builder<isCounted> {
protected:
    using Base = Builder<isCounted>;
    using Base::L;

public:
    TreePusher(lua_State *L, Span tree, const cjson_making &making) : Base(L, making, tree.count), at(tree.data) {}

    bool root() { return Base::finish(value(0)); }

protected:
    /// False when there is no memory for it; then things are left on the stack.
    /// Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] bool value(uint32_t depth) {
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
        case Tag::string: return Base::string(takeBytes(at));
        case Tag::number: return Base::number(takeBytes(at));
        case Tag::array: return array(depth + 1);
        case Tag::object: return object(depth + 1);
        case Tag::table: return table(depth + 1);
        case Tag::classed: return classed(depth + 1);
        }
        return true;
    }

    uint32_t takeCount(uint32_t depth) {
        auto count = load<uint32_t>(at + 4);
        at += containerHead;
        Base::enter(depth);
        return count;
    }

    [[gnu::noinline]] bool array(uint32_t depth) {
        uint32_t count = takeCount(depth);
        if (!Base::createTable(count, 0)) {
            return false;
        }
        for (uint32_t i = 1; i <= count; i++) {
            if (!value(depth)) {
                return false;
            }
            lua_rawseti(L, -2, i);
        }
        Base::markArray();
        return true;
    }

    [[gnu::noinline]] bool object(uint32_t depth) {
        uint32_t count = takeCount(depth);
        if (!Base::createTable(0, count)) {
            return false;
        }
        for (; count; count--) {
            if (!Base::key(takeBytes(at)) || !value(depth)) {
                return false;
            }
            lua_rawset(L, -3);
        }
        return true;
    }

    [[gnu::noinline]] bool table(uint32_t depth) {
        uint32_t count = takeCount(depth);
        auto mark = static_cast<Mark>(*at++);
        auto items = load<uint32_t>(at);
        at += 4;
        if (!Base::createTable(items, count - items)) {
            return false;
        }
        for (; count; count--) {
            if (!value(depth) || !value(depth)) {
                return false;
            }
            lua_rawset(L, -3);
        }
        if (mark == Mark::array) {
            Base::markArray();
        } else if (mark == Mark::object) {
            cjson_mark_object(L, -1);
        }
        return true;
    }

    [[gnu::noinline]] bool classed(uint32_t depth) {
        auto id = load<uint32_t>(at);
        at += 4;
        if (!value(depth)) {
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

    const uint8_t *at;
};

}  // namespace cjson
#endif
