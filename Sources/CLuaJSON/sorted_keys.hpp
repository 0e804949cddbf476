#ifndef SORTED_KEYS_HPP
#define SORTED_KEYS_HPP

#include "tree.hpp"

namespace cjson {

/// A key as it is sorted: as bytes compare.
struct SortedKey {
    /// The first eight bytes, as a number that compares as they do: it mostly settles the matter.
    uint64_t head;
    Span key;

    SortedKey() = default;
    explicit SortedKey(Span key) : head(beginning(key)), key(key) {}

    bool operator<(const SortedKey &other) const {
        return head == other.head ? isBehindHead(other) : head < other.head;
    }

private:
    static uint64_t beginning(Span key) {
        uint64_t head = 0;
        if (key.count >= sizeof head) {
            std::memcpy(&head, key.data, sizeof head);
        } else if (key.count) {
            std::memcpy(&head, key.data, key.count);
        }
        return __builtin_bswap64(head);
    }

    bool isBehindHead(const SortedKey &other) const {
        size_t shorter = key.count < other.key.count ? key.count : other.key.count;
        int order = shorter ? std::memcmp(key.data, other.key.data, shorter) : 0;
        return order ? order < 0 : key.count < other.key.count;
    }
};

/// Keys that are sorted before what they name is written.
constexpr int mostSortedKeys = 32;

/// Which of so few keys comes first, second and so on.
inline void sortKeys(const Span *keys, int count, uint8_t *order) {
    SortedKey sorted[mostSortedKeys];
    for (int i = 0; i < count; i++) {
        SortedKey next(keys[i]);
        int place = i;
        for (; place > 0 && next < sorted[place - 1]; place--) {
            sorted[place] = sorted[place - 1];
            order[place] = order[place - 1];
        }
        sorted[place] = next;
        order[place] = static_cast<uint8_t>(i);
    }
}

}  // namespace cjson
#endif
