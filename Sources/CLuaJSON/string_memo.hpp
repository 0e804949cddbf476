#ifndef STRING_MEMO_HPP
#define STRING_MEMO_HPP

#include <cstring>

#include "ends.hpp"
#include "lua.hpp"

namespace cjson {

/// Short strings that came in documents before, for a state: Lua would hash each again, look for it among
/// all that it has, and free it after the document. What a service answers today is mostly what it answered
/// a minute ago, and states, names and places come again in each record. A string is kept when it comes
/// twice, for what never repeats is only looked for.
///
/// It lives in a userdata, whose user value is the table with the strings. Trivially destructible.
class StringMemo {
public:
    /// Pushes the table of this state's memo and answers the memo, or pushes nil and answers null while there
    /// is none, or while looking isn't worth it. `bytes`: of the document. Needs three free stack slots; may
    /// raise memory errors.
    static StringMemo *open(lua_State *L, size_t bytes);

    /// Lua interns no longer ones.
    static bool takes(Span text) { return text.count - 1 < 40; }

    /// The index in the table of a string, or 0 when it has none. With a `tag` other than 0 it is not there
    /// yet, and has to be put there with `keep`.
    [[gnu::always_inline]] int find(Span text, uint32_t &tag) {
        Ends ends(text);
        uint64_t hash = mix(ends, text);
        tag = static_cast<uint32_t>(hash) << 6 | static_cast<uint32_t>(text.count);
        uint32_t place = static_cast<uint32_t>(hash >> 32) % size;
        Entry &entry = entries[place];
        if (__builtin_expect(entry.tag == tag && Ends({entry.bytes, text.count}) == ends
                                 && haveSameMiddle(entry.bytes, text), 1)) {
            patience += patience < mostPatience ? gain : 0;
            tag = 0;
            return static_cast<int>(place) + 1;
        }
        patience--;
        if (entry.missed != tag) {
            entry.missed = tag;
            return 0;
        }
        return static_cast<int>(place) + 1;
    }

    /// Puts the string at the top at its index of the table. Since it was looked for, a finalizer may have
    /// read a document too.
    void keep(lua_State *L, int table, int index, uint32_t tag) {
        entries[index - 1] = {reinterpret_cast<const uint8_t *>(lua_tostring(L, -1)), tag, 0};
        lua_pushvalue(L, -1);
        lua_rawseti(L, table, index);
    }

private:
    static constexpr uint32_t size = 2048;

    /// A find is worth two misses. When so many more have come, nothing is looked for during a megabyte.
    static constexpr int mostPatience = 2048, gain = 2;
    static constexpr size_t rest = 1 << 20;

    /// A state that reads less than this has no memo, which takes 64 kB, and the strings in it.
    static constexpr lua_Integer worthMaking = 1 << 16;

    struct Entry {
        /// Lua's own, which stay where they are as long as the table has them.
        const uint8_t *bytes;
        /// Of a string that is kept: its length, never 0, and bits of its hash.
        uint32_t tag;
        /// Of the last that came here and wasn't.
        uint32_t missed;
    };

    static StringMemo *make(lua_State *L);

    static uint64_t mix(Ends ends, Span text) {
        constexpr uint64_t prime = 0x9E3779B97F4A7C15;
        uint64_t hash = ends.head;
        for (size_t i = 8; i + 8 < text.count; i += 8) {
            hash = hash * prime ^ load<uint64_t>(text.data + i);
        }
        hash = (hash * prime ^ ends.tail) * prime;
        return hash ^ hash >> 29;
    }

    int patience;
    /// Bytes of documents since patience was lost.
    size_t rested;
    Entry entries[size];
};

}  // namespace cjson
#endif
