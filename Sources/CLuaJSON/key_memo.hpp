#ifndef KEY_MEMO_HPP
#define KEY_MEMO_HPP

#include "ends.hpp"

namespace cjson {

/// Keys that came before, whose Lua strings lie on the stack: Lua need not hash and intern them again.
/// Records repeat their keys in the same order, so the key before tells which one comes. Trivially
/// destructible.
class KeyMemo {
public:
    static constexpr int size = 64;
    /// Longer ones are not interned by Lua.
    static constexpr size_t longest = 40;

    static bool takes(Span key) { return key.count - 1 < longest; }

    /// Called before the first key; without keys the memory stays untouched. `index` is the stack's place of
    /// the first of as many strings as there are entries.
    void open(int index) {
        std::memset(static_cast<void *>(this), 0, sizeof *this);
        firstIndex = index;
    }

    /// The index of a key's string where it is the one that is expected; else 0.
    [[gnu::always_inline]] int expected(Ends ends, Span key) {
        const Entry &entry = at(at(last).next);
        if (__builtin_expect(!entry.is(ends, key), 0)) {
            return 0;
        }
        last = at(last).next;
        return entry.index;
    }

    /// The index of another key, for which `isNew` is set when another string or none was there; 0 when it
    /// has none. Two keys may want one place of the table: then the later has it. When all are taken, one in
    /// four drives out another: so many that come in turns are mostly found, and those that don't repeat
    /// cost little.
    [[gnu::noinline]] int look(Ends ends, Span key, bool &isNew) {
        uint16_t &place = places[hash(ends)];
        isNew = !at(place).is(ends, key);
        if (isNew) {
            unsigned turn = misses++;
            if (turn >= size && turn % 4) {
                return 0;
            }
            unsigned entry = turn < size ? turn : turn / 4 % size;
            entries[entry] = {ends, key, firstIndex + static_cast<int>(entry), 0};
            place = static_cast<uint16_t>(entry * sizeof(Entry));
        }
        at(last).next = place;
        last = place;
        return at(place).index;
    }

private:
    struct Entry {
        Ends ends;
        Span key;
        int index;
        /// The entry that followed it, by its distance from the first.
        uint16_t next;

        [[gnu::always_inline]] bool is(Ends other, Span text) const {
            return ends == other && key.count == text.count && haveSameMiddle(key.data, text);
        }
    };

    [[gnu::always_inline]] Entry &at(uint16_t distance) {
        return *reinterpret_cast<Entry *>(reinterpret_cast<uint8_t *>(entries) + distance);
    }

    static size_t hash(Ends ends) {
        return (ends.head ^ (ends.tail << 19 | ends.tail >> 45)) * 0x9E3779B97F4A7C15 >> 57;
    }

    Entry entries[size];
    uint16_t places[128];
    unsigned misses;
    int firstIndex;
    uint16_t last;
};

}  // namespace cjson
#endif
