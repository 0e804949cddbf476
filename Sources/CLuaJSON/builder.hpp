#ifndef BUILDER_HPP
#define BUILDER_HPP

#include "key_memo.hpp"
#include "lua.hpp"
#include "string_memo.hpp"
#include "text.hpp"

namespace cjson {

/// Makes Lua values for readers of trees and tapes. A jump at any lua_ call may leave this code, so nothing
/// here has a destructor. `isCounted`: memory is asked for, and may be refused; then values are left on the
/// stack.
template <bool isCounted>
class Builder {
protected:
    /// `bytes`: about how many there are to read. For few, nothing is remembered.
    Builder(lua_State *L, const cjson_making &making, size_t bytes)
        : L(L), making(making), remembers(bytes >= worthRemembering) {
        open(bytes);
    }

    /// Puts what is needed on the stack; the value comes above it. `bytes`: to read, but those said before.
    void open(size_t bytes = 0) {
        luaL_checkstack(L, remembers ? KeyMemo::size + 12 : 8, "a value is too large");
        base = lua_gettop(L);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.array);
        if (remembers) {
            keys.open(base + 2);
            stringTable = base + 2 + KeyMemo::size;
            lua_settop(L, stringTable - 1);
            strings = StringMemo::open(L, bytes);
        }
        roomyDepth = 1;
    }

    /// Takes it off again.
    void close() { lua_settop(L, base); }

    /// Leaves only the value on the top, or nil.
    bool finish(bool made) {
        if (!made) {
            lua_pushnil(L);
        }
        lua_replace(L, base + 1);
        lua_settop(L, base + 1);
        return made;
    }

    bool newString(Span text) {
        if (!affords(text.count + stringBytes)) {
            return false;
        }
        lua_pushlstring(L, reinterpret_cast<const char *>(text.data), text.count);
        return true;
    }

    /// Pushes a string of a value. Only while it is open.
    [[gnu::always_inline]] bool string(Span text) {
        if (!strings || !StringMemo::takes(text)) {
            return newString(text);
        }
        Ends ends(text);
        StringMemo::Slot slot = StringMemo::slot(ends, text);
        if (__builtin_expect(strings->has(slot, ends, text), 1)) {
            lua_rawgeti(L, stringTable, slot.index);
            return true;
        }
        return missedString(ends, text);
    }

    [[gnu::always_inline]] bool key(Span text) {
        if (!remembers || !KeyMemo::takes(text)) {
            return newString(text);
        }
        Ends ends(text);
        if (int index = keys.expected(ends, text); __builtin_expect(index, 1)) {
            lua_pushvalue(L, index);
            return true;
        }
        return otherKey(ends, text);
    }

    /// An integer beyond 64 bits, or a fraction that no double keeps.
    bool number(Span digits) {
        if (making.big_as_text && !std::memchr(digits.data, '.', digits.count) && !std::memchr(digits.data, 'e', digits.count)
            && !std::memchr(digits.data, 'E', digits.count)) {
            return newString(digits);
        }
        auto text = reinterpret_cast<const char *>(digits.data);
        double value = 0;
        parseDouble(text, text + digits.count, value);
        lua_pushnumber(L, value);
        return true;
    }

    bool createTable(size_t items, size_t fields) {
        size_t room = fields ? size_t{1} << (64 - __builtin_clzll(fields * uint64_t{2} - 1)) >> 1 : 0;
        if (!affords(tableBytes + items * itemBytes + room * fieldBytes)) {
            return false;
        }
        lua_createtable(L, static_cast<int>(items), static_cast<int>(fields));
        return true;
    }

    void markArray() {
        lua_pushvalue(L, base + 1);
        lua_setmetatable(L, -2);
    }

    /// Called before a container's content is pushed, at any depth.
    void enter(uint32_t depth) {
        if (__builtin_expect(depth > roomyDepth, 0)) {
            luaL_checkstack(L, eachTakes * depthsAhead, "a value is too deep");
            roomyDepth = depth + depthsAhead - 2;
        }
    }

    lua_State *L;
    const cjson_making &making;
    int base;

private:
    static constexpr size_t worthRemembering = 512;

    // Of the stack, by a container and what is pushed inside of it; and so many get room at once.
    static constexpr int eachTakes = 4, depthsAhead = 16;

    // The bytes that Lua 5.4 takes: for a table itself, an item, a field, and a string beside its bytes.
    static constexpr size_t tableBytes = 56, itemBytes = 16, fieldBytes = 24, stringBytes = 25;

    [[gnu::noinline]] bool missedString(Ends ends, Span text) {
        StringMemo::Slot slot = StringMemo::slot(ends, text);
        bool keeps = strings->comesAgain(slot);
        if (!newString(text)) {
            return false;
        }
        if (keeps) {
            strings->keep(L, stringTable, slot);
        }
        return true;
    }

    [[gnu::noinline]] bool otherKey(Ends ends, Span text) {
        bool isNew;
        int index = keys.look(ends, text, isNew);
        if (index && !isNew) {
            lua_pushvalue(L, index);
            return true;
        }
        if (!newString(text)) {
            return false;
        }
        if (isNew) {
            lua_copy(L, -1, index);
        }
        return true;
    }

    /// One credit is for many values.
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

    /// Bytes that may still be taken.
    size_t credit = 0;
    bool remembers;
    uint32_t roomyDepth = 1;
    StringMemo *strings = nullptr;
    /// Above the mark of arrays and the keys.
    int stringTable = 0;
    KeyMemo keys;
};

}  // namespace cjson
#endif
