#ifndef KEY_MEMO_HPP
#define KEY_MEMO_HPP

#include "ends.hpp"

namespace cjson {

/// Keys that came before, whose Lua strings lie on the stack: what is there needs no hashing and interning
/// by Lua. Records repeat their keys in the same order, so that of the key before tells which one comes.
/// Trivially destructible.
class KeyMemo {
public:
    static constexpr int size = 64;
    /// Longer ones are not interned by Lua.
    static constexpr size_t longest = 40;

    static bool takes(Span key) { return key.count - 1 < longest; }

    /// Before the first key. Who looks for none needs none of its memory.
    void open() { std::memset(static_cast<void *>(this), 0, sizeof *this); }

    /// The place of a key, for which `isNew` is set when another or none was there; negative when it has
    /// none.
    [[gnu::always_inline]] int find(Span key, bool &isNew) {
        Ends ends(key);
        isNew = false;
        int expected = entries[last].next;
        if (__builtin_expect(entries[expected].is(ends, key), 1)) {
            last = expected;
            return expected;
        }
        return look(ends, key, isNew);
    }

private:
    struct Entry {
        Ends ends;
        Span key;
        uint8_t next;

        [[gnu::always_inline]] bool is(Ends other, Span text) const {
            return ends == other && key.count == text.count && haveSameMiddle(key.data, text);
        }
    };

    static size_t hash(Ends ends) {
        return (ends.head ^ (ends.tail << 19 | ends.tail >> 45)) * 0x9E3779B97F4A7C15 >> 57;
    }

    /// Two keys may want one place of the table: then the later has it. When all are taken, one in four
    /// drives out another: so many that come in turns are mostly found, and those that don't repeat cost
    /// little.
    [[gnu::noinline]] int look(Ends ends, Span key, bool &isNew) {
        uint8_t &place = places[hash(ends)];
        if (!entries[place].is(ends, key)) {
            unsigned turn = misses++;
            if (turn >= size && turn % 4) {
                return -1;
            }
            place = static_cast<uint8_t>(turn < size ? turn : turn / 4 % size);
            entries[place].ends = ends;
            entries[place].key = key;
            isNew = true;
        }
        entries[last].next = place;
        last = place;
        return place;
    }

    Entry entries[size];
    uint8_t places[128];
    unsigned misses;
    int last;
};

}  // namespace cjson
#endif
