#ifndef STRING_MEMO_HPP
#define STRING_MEMO_HPP

#include <algorithm>
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

    /// Where a string is, if it is there.
    struct Place {
        /// In the table.
        int index;
        uint32_t tag;
    };

    [[gnu::always_inline]] static Place place(Ends ends, Span text) {
        uint64_t hash = mix(ends, text);
        return {static_cast<int>((hash >> 32) % size) + 1,
                static_cast<uint32_t>(hash) << 6 | static_cast<uint32_t>(text.count)};
    }

    [[gnu::always_inline]] bool has(Place place, Ends ends, Span text) {
        const Entry &entry = entries[place.index - 1];
        if (__builtin_expect(entry.tag == place.tag && Ends({entry.bytes, text.count}) == ends
                                 && haveSameMiddle(entry.bytes, text), 1)) {
            patience += gain;
            return true;
        }
        return false;
    }

    /// Whether a string that isn't there was the last for which its place was asked in vain; then it is to be
    /// kept.
    bool comesAgain(Place place) {
        patience = std::min(patience, mostPatience) - 1;
        Entry &entry = entries[place.index - 1];
        bool comesAgain = entry.missed == place.tag;
        entry.missed = place.tag;
        return comesAgain;
    }

    /// Puts the string at the top at its place of the table. Since it was looked for, a finalizer may have
    /// read a document too.
    void keep(lua_State *L, int table, Place place) {
        entries[place.index - 1] = {reinterpret_cast<const uint8_t *>(lua_tostring(L, -1)), place.tag, 0};
        lua_pushvalue(L, -1);
        lua_rawseti(L, table, place.index);
    }

private:
    static constexpr uint32_t size = 2048;

    /// A find is worth two misses, but all together no more than so many. When so many more have come,
    /// nothing is looked for during a megabyte.
    static constexpr int64_t mostPatience = 2048, gain = 2;
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
#pragma GCC unroll 1
        for (size_t i = 8; i + 8 < text.count; i += 8) {
            hash = hash * prime ^ load<uint64_t>(text.data + i);
        }
        hash = (hash * prime ^ ends.tail) * prime;
        return hash ^ hash >> 29;
    }

    /// Within one document it may grow beyond the most.
    int64_t patience;
    /// Bytes of documents since patience was lost.
    size_t rested;
    Entry entries[size];
};

}  // namespace cjson
#endif
