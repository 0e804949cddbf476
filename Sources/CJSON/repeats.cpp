#include "repeats.hpp"

#include <algorithm>
#include <unistd.h>

#include "tree_writer.hpp"

namespace cjson {
namespace {

/// It is secret, so that no sender of keys can make many that meet in one slot.
uint64_t seed() {
    static const uint64_t seed = [] {
        uint64_t random = 0;
        if (getentropy(&random, sizeof random) != 0) {
            random = reinterpret_cast<uintptr_t>(&random);
        }
        return random | 1;
    }();
    return seed;
}

uint64_t mix(uint64_t left, uint64_t right) {
    unsigned __int128 product = static_cast<unsigned __int128>(left) * right;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t hashOf(Span key) {
    uint64_t hash = mix(seed() ^ key.count, 0x9E3779B97F4A7C15);
    const uint8_t *at = key.data;
    size_t left = key.count;
    for (; left >= 8; at += 8, left -= 8) {
        hash = mix(hash ^ load<uint64_t>(at), seed() ^ 0xD6E8FEB86659FD93);
    }
    uint64_t tail = 0;
    if (left) {
        std::memcpy(&tail, at, left);
    }
    return mix(hash ^ tail, seed() ^ 0xA0761D6478BD642F);
}

bool isSame(Span left, Span right) {
    return left.count == right.count && std::memcmp(left.data, right.data, left.count) == 0;
}

/// Copies a tree without the ranges, which are in order of where they begin.
class Copier {
public:
    Copier(const uint8_t *from, const Repeats::Range *next, const Repeats::Range *last, Writer &out)
        : base(from), at(from), next(next), last(last), out(out), tree(out) {}

    void node() {
        const uint8_t *end = behind(at);
        if (!has(end)) {
            out.bytes(at, static_cast<size_t>(end - at));
            at = end;
            return;
        }
        // Only arrays and objects hold any.
        auto tag = static_cast<Tag>(*at);
        auto count = load<uint32_t>(at + 5);
        at += 1 + containerHead;
        size_t begun = tree.begin(tag), kept = 0;
        for (; count; count--) {
            if (tag == Tag::object) {
                if (has(at + 1) && base + next->begin == at) {
                    at = base + next->end;
                    continue;
                }
                const uint8_t *key = at;
                takeBytes(at);
                out.bytes(key, static_cast<size_t>(at - key));
            }
            node();
            kept++;
        }
        tree.end(begun, kept);
    }

private:
    /// Whether a range begins between here and there.
    bool has(const uint8_t *end) {
        while (next < last && base + next->begin < at) {
            next++;
        }
        return next < last && base + next->begin < end;
    }

    const uint8_t *base, *at;
    const Repeats::Range *next, *last;
    Writer &out;
    TreeWriter tree;
};

}  // namespace

size_t distinctKeys(const Tape &tape, size_t at, size_t end, size_t count) {
    size_t slotCount = 16, distinct = 0;
    while (slotCount < count * 2) {
        slotCount *= 2;
    }
    // Indices of keys, from 1 on.
    auto *slots = static_cast<uint32_t *>(std::calloc(slotCount, sizeof(uint32_t)));
    if (!slots) {
        return count;
    }
    for (; at < end; at = tape.behind(at + 1)) {
        Span key = tape.string(tape.words[at]);
        size_t slot = hashOf(key) & (slotCount - 1);
        while (slots[slot] && !isSame(tape.string(tape.words[slots[slot]]), key)) {
            slot = (slot + 1) & (slotCount - 1);
        }
        distinct += slots[slot] == 0;
        slots[slot] = static_cast<uint32_t>(at);
    }
    std::free(slots);
    return distinct;
}

Repeats::~Repeats() {
    std::free(pairs);
    std::free(slots);
    std::free(ranges);
}

bool Repeats::prepare(size_t keys) {
    size_t wanted = 16;
    while (wanted < keys * 2) {
        wanted *= 2;
    }
    if (wanted > slotCount) {
        std::free(slots);
        slots = static_cast<uint32_t *>(std::malloc(wanted * sizeof *slots));
        slotCount = slots ? wanted : 0;
    }
    if (keys > pairCapacity) {
        std::free(pairs);
        pairs = static_cast<Pair *>(std::malloc(keys * sizeof *pairs));
        pairCapacity = pairs ? keys : 0;
    }
    if (!slots || !pairs) {
        lacksMemory = true;
        return false;
    }
    std::memset(slots, 0, wanted * sizeof *slots);
    return true;
}

void Repeats::look(Writer &out, size_t begun, size_t keys) {
    const uint8_t *base = out.at(0), *at = out.at(begun);
    if (!at || keys < 2 || out.count() > maximumBytes || !prepare(keys)) {
        return;
    }
    size_t mask = 16;
    while (mask < keys * 2) {
        mask *= 2;
    }
    mask--;
    for (size_t i = 0; i < keys; i++) {
        auto begin = static_cast<uint32_t>(at - base);
        Span key = takeBytes(at);
        at = behind(at);
        pairs[i] = {key, {begin, static_cast<uint32_t>(at - base)}};
        size_t slot = hashOf(key) & mask;
        while (slots[slot] && !isSame(pairs[slots[slot] - 1].key, key)) {
            slot = (slot + 1) & mask;
        }
        if (slots[slot]) {
            note(pairs[slots[slot] - 1].range);
        }
        slots[slot] = static_cast<uint32_t>(i + 1);
    }
}

void Repeats::note(Range range) {
    if (count == capacity) {
        size_t wanted = capacity ? capacity * 2 : 16;
        auto *more = static_cast<Range *>(std::realloc(ranges, wanted * sizeof *ranges));
        if (!more) {
            lacksMemory = true;
            return;
        }
        ranges = more;
        capacity = wanted;
    }
    ranges[count++] = range;
}

int Repeats::drop(cjson_buffer &tree, size_t limit) {
    if (lacksMemory) {
        tree.count = 0;
        return CJSON_NO_MEMORY;
    }
    if (!count) {
        return CJSON_OK;
    }
    std::sort(ranges, ranges + count, [](Range left, Range right) { return left.begin < right.begin; });
    cjson_buffer fresh = {};
    Writer out(fresh, limit);
    Copier(tree.data, ranges, ranges + count, out).node();
    int code = out.finish();
    cjson_buffer_free(&tree);
    tree = fresh;
    return code;
}

}  // namespace cjson
