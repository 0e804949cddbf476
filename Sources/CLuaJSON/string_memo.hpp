#ifndef STRING_MEMO_HPP
#define STRING_MEMO_HPP

#include <algorithm>
#include <cstring>

#include "ends.hpp"
#include "lua.hpp"

namespace cjson {

/// Short strings that came in documents before, for one state. Without it Lua hashes each string again, looks
/// for it among all strings of the state, and frees it after the document. An API mostly answers what it
/// answered a minute ago, and values such as states, names and places repeat in each record. A string is kept
/// when it comes a second time.
///
/// The memo lies in a userdata, whose user value is the table with the strings. Trivially destructible.
class StringMemo {
public:
    /// Pushes the table of this state's memo and returns the memo. Pushes nil and returns null while there is
    /// none, or while a look-up isn't worth it. `bytes`: of the document. Needs three free stack slots; may
    /// raise memory errors.
    static StringMemo *open(lua_State *L, size_t bytes);

    /// Lua does not intern longer strings.
    static bool takes(Span text) { return text.count - 1 < 40; }

    /// The slot of a string, if it is there.
    struct Slot {
        /// In the table.
        int index;
        uint32_t tag;
    };

    [[gnu::always_inline]] static Slot slot(Ends ends, Span text) {
        uint64_t hash = mix(ends, text);
        return {static_cast<int>((hash >> 32) % size) + 1,
                static_cast<uint32_t>(hash) << 6 | static_cast<uint32_t>(text.count)};
    }

    [[gnu::always_inline]] bool has(Slot slot, Ends ends, Span text) {
        const Entry &entry = entries[slot.index - 1];
        if (__builtin_expect(entry.tag == slot.tag && Ends({entry.bytes, text.count}) == ends
                                 && haveSameMiddle(entry.bytes, text), 1)) {
            credit += gain;
            return true;
        }
        return false;
    }

    /// Whether a missing string was also the last one that missed in its slot; such a string is to be kept.
    bool comesAgain(Slot slot) {
        credit = std::min(credit, mostCredit) - 1;
        Entry &entry = entries[slot.index - 1];
        bool comesAgain = entry.missed == slot.tag;
        entry.missed = slot.tag;
        return comesAgain;
    }

    /// Puts the string at the top into its slot. A finalizer may have read another document since the
    /// look-up.
    void keep(lua_State *L, int table, Slot slot) {
        entries[slot.index - 1] = {reinterpret_cast<const uint8_t *>(lua_tostring(L, -1)), slot.tag, 0};
        lua_pushvalue(L, -1);
        lua_rawseti(L, table, slot.index);
    }

private:
    static constexpr uint32_t size = 2048;

    /// A hit pays for two misses, up to this credit. When it is used up, no string is looked up for a
    /// megabyte of documents.
    static constexpr int64_t mostCredit = 2048, gain = 2;
    static constexpr size_t pause = 1 << 20;

    /// A state that reads less than this has no memo, which takes 64 kB and the strings in it.
    static constexpr lua_Integer worthMaking = 1 << 16;

    struct Entry {
        /// Lua's own bytes, which do not move while the table has the string.
        const uint8_t *bytes;
        /// Of a kept string: its length, which is never 0, and bits of its hash.
        uint32_t tag;
        /// The tag of the last string that missed here.
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

    /// It may exceed its maximum within one document.
    int64_t credit;
    /// Bytes of documents since the credit was used up.
    size_t paused;
    Entry entries[size];
};

}  // namespace cjson
#endif
