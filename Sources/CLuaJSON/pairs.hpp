#ifndef PAIRS_HPP
#define PAIRS_HPP

#include <algorithm>

#include "buffer.hpp"
#include "lua.hpp"
#include "sorted_keys.hpp"

namespace cjson {

/// The pairs of the objects with many keys that are being written, those of the innermost last. lua_next
/// gives them in an order that differs between states; sorted by their keys they are the same bytes each
/// time.
class Pairs {
public:
    Pairs() = default;
    Pairs(const Pairs &) = delete;
    Pairs &operator=(const Pairs &) = delete;
    ~Pairs() {
        std::free(all);
        std::free(copy);
    }

    /// Where the pairs of the next object begin.
    size_t mark() const { return count; }

    /// Notes a pair whose bytes begin at an offset of the output. The bytes of its key must stay where they
    /// are. False without memory.
    bool add(Span key, size_t begin) {
        if (count == capacity && !grow()) {
            return false;
        }
        all[count++] = {SortedKey(key), static_cast<uint32_t>(begin), static_cast<uint32_t>(begin)};
        return true;
    }

    /// The bytes of the last pair end here.
    void close(size_t end) { all[count - 1].end = static_cast<uint32_t>(end); }

    void drop(size_t mark) { count = mark; }

    /// Orders the bytes of the pairs since the mark by their keys, as bytes compare, and drops the pairs.
    /// The text between two pairs is the same everywhere. False without memory. Once `stop` is set the order
    /// doesn't matter any more.
    bool sort(size_t mark, Writer &out, const volatile bool *stop) {
        Pair *first = all + mark, *last = all + count;
        count = mark;
        // Offsets end at the largest result there is; what has run over it fails in any order.
        if (out.count() > maximumBytes || last - first < 2 || std::is_sorted(first, last)) {
            return true;
        }
        size_t begin = first->begin, size = last[-1].end - begin, gap = first[1].begin - first->end;
        uint8_t *to = out.at(begin);
        if (!to) {
            return true;
        }
        if (!makeRoom(size)) {
            return false;
        }
        std::memcpy(copy, to, size);
        const uint8_t *between = copy + (first->end - begin);
        bool isOrdered = order(first, last, stop);
        if (!isOrdered || *stop) {
            return isOrdered;
        }
        for (Pair *pair = first;; pair++) {
            std::memcpy(to, copy + (pair->begin - begin), pair->end - pair->begin);
            to += pair->end - pair->begin;
            if (pair + 1 == last) {
                return true;
            }
            std::memcpy(to, between, gap);
            to += gap;
        }
    }

private:
    struct Pair {
        SortedKey key;
        uint32_t begin, end;

        bool operator<(const Pair &other) const { return key < other.key; }
    };

    static_assert(maximumBytes <= UINT32_MAX, "offsets of all results fit");

    /// Few pairs are the rule, and for them this is the fastest.
    static bool order(Pair *first, Pair *last, const volatile bool *stop) {
        if (last - first > 24) {
            return orderMany(first, static_cast<size_t>(last - first), stop);
        }
        for (Pair *next = first + 1; next < last; next++) {
            Pair pair = *next, *place = next;
            for (; place > first && pair < place[-1]; place--) {
                *place = place[-1];
            }
            *place = pair;
        }
        return true;
    }

    /// In pieces, which are merged: a million pairs take long. False without memory.
    static bool orderMany(Pair *all, size_t count, const volatile bool *stop) {
        constexpr size_t piece = 1 << 13;
        for (size_t at = 0; at < count && !*stop; at += piece) {
            std::sort(all + at, all + std::min(at + piece, count));
        }
        auto *other = count > piece ? static_cast<Pair *>(std::malloc(count * sizeof(Pair))) : nullptr;
        for (size_t size = piece; other && size < count; size *= 2) {
            for (size_t at = 0; at < count && !*stop; at += 2 * size) {
                Pair *middle = all + std::min(at + size, count), *end = all + std::min(at + 2 * size, count);
                std::merge(all + at, middle, middle, end, other + at);
            }
            std::memcpy(static_cast<void *>(all), other, count * sizeof(Pair));
        }
        std::free(other);
        return other || count <= piece;
    }

    bool grow() {
        size_t wanted = capacity ? capacity * 2 : 64;
        auto *more = static_cast<Pair *>(std::realloc(all, wanted * sizeof(Pair)));
        if (!more) {
            return false;
        }
        all = more;
        capacity = wanted;
        return true;
    }

    bool makeRoom(size_t size) {
        if (size > copyCapacity) {
            std::free(copy);
            copy = static_cast<uint8_t *>(std::malloc(size + size / 2));
            copyCapacity = copy ? size + size / 2 : 0;
        }
        return copy;
    }

    Pair *all = nullptr;
    size_t count = 0, capacity = 0;
    uint8_t *copy = nullptr;
    size_t copyCapacity = 0;
};

}  // namespace cjson
#endif
