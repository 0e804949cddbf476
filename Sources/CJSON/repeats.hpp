#ifndef REPEATS_HPP
#define REPEATS_HPP

#include <cstdlib>

#include "buffer.hpp"
#include "tape.hpp"

namespace cjson {

/// Says of nearly all objects that no key comes twice, at a few instructions for each key.
class KeyFilter {
public:
    /// False when the key is surely another than those before. Four bytes behind its begin must be readable,
    /// whatever they are.
    bool mayKnow(Span key) {
        bool isShort = key.count < 4;
        uint32_t mask = isShort ? (uint32_t{1} << key.count * 8) - 1 : ~uint32_t{0};
        uint32_t head = load<uint32_t>(key.data) & mask;
        uint32_t tail = isShort ? head : load<uint32_t>(key.data + key.count - 4);
        uint64_t hash = ((static_cast<uint64_t>(tail) << 32 | head) + key.count) * 0x9E3779B97F4A7C15;
        uint64_t &word = bits[hash >> 60], bit = uint64_t{1} << (hash >> 54 & 63);
        bool known = word & bit;
        word |= bit;
        return known;
    }

    /// The same for a key behind which nothing may lie.
    bool mayKnowAnywhere(Span key) {
        uint8_t text[4] = {};
        if (key.count >= 4) {
            return mayKnow(key);
        }
        std::memcpy(text, key.data, key.count);
        return mayKnow({text, key.count});
    }

private:
    uint64_t bits[16] = {};
};

/// How many different keys an object of a tape has, whose `count` keys and values lie between two indices. As
/// many as it has keys when there is no memory to tell.
size_t distinctKeys(const Tape &tape, size_t at, size_t end, size_t count);

/// The pairs of a tree's objects that a later one with the same key replaces. RFC 8259, section 4, leaves
/// open which of them counts: here it is the last, as in Lua's tables and nearly everywhere else.
class Repeats {
public:
    Repeats() = default;
    Repeats(const Repeats &) = delete;
    Repeats &operator=(const Repeats &) = delete;
    ~Repeats();

    /// Looks at an object that has been written: its `count` pairs begin at an offset of the output.
    void look(Writer &out, size_t begun, size_t count);

    /// Writes the tree without them, when there are any. A code as the writer's.
    int drop(cjson_buffer &tree, size_t limit);

    struct Range {
        uint32_t begin, end;
    };

private:
    struct Pair {
        Span key;
        Range range;
    };

    bool prepare(size_t count);
    void note(Range range);

    Pair *pairs = nullptr;
    uint32_t *slots = nullptr;
    size_t pairCapacity = 0, slotCount = 0;
    Range *ranges = nullptr;
    size_t count = 0, capacity = 0;
    bool lacksMemory = false;
};

}  // namespace cjson
#endif
