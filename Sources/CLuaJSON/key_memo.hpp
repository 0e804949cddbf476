#ifndef KEY_MEMO_HPP
#define KEY_MEMO_HPP

#include "tree.hpp"

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
    /// Of a key. Up to 16 bytes have no others.
    struct Ends {
        uint64_t head, tail;

        Ends() = default;
        [[gnu::always_inline]] explicit Ends(Span key) {
            const uint8_t *end = key.data + key.count;
            if (key.count >= 8) {
                head = load<uint64_t>(key.data);
                tail = load<uint64_t>(end - 8);
            } else if (key.count >= 4) {
                head = load<uint32_t>(key.data);
                tail = load<uint32_t>(end - 4);
            } else {
                head = key.data[0] | key.data[key.count / 2] << 8;
                tail = end[-1];
            }
        }

        size_t hash() const { return (head ^ (tail << 19 | tail >> 45)) * 0x9E3779B97F4A7C15 >> 57; }
    };

    struct Entry {
        Ends ends;
        Span key;
        uint8_t next;

        [[gnu::always_inline]] bool is(Ends other, Span text) const {
            return ends.head == other.head && ends.tail == other.tail && key.count == text.count
                && (text.count <= 16 || hasSameMiddle(text));
        }

        bool hasSameMiddle(Span text) const {
            uint64_t differences = 0;
            for (size_t i = 8; i + 8 < text.count; i += 8) {
                differences |= load<uint64_t>(key.data + i) ^ load<uint64_t>(text.data + i);
            }
            return !differences;
        }
    };

    /// Two keys may want one place of the table: then the later has it. When all are taken, one in four
    /// drives out another: so many that come in turns are mostly found, and those that don't repeat cost
    /// little.
    [[gnu::noinline]] int look(Ends ends, Span key, bool &isNew) {
        uint8_t &place = places[ends.hash()];
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
