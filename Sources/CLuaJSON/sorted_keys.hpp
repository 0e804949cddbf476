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
        if (!key.count) {
            return 0;
        }
        uint64_t head = key.count >= sizeof head ? load<uint64_t>(key.data) : fewBytes(key);
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
class KeyOrder {
public:
    /// Objects of one list mostly have the same keys in the same order. Lua keeps one copy of each short
    /// string, so comparing their addresses is enough.
    const uint8_t *of(const Span *keys, int count) {
        bool isKnown = count == known;
        for (int i = 0; isKnown && i < count; i++) {
            isKnown = keys[i].data == addresses[i];
        }
        if (!isKnown) {
            sort(keys, count);
        }
        return order;
    }

private:
    void sort(const Span *keys, int count) {
        SortedKey sorted[mostSortedKeys];
        known = count;
        for (int i = 0; i < count; i++) {
            SortedKey next(keys[i]);
            int place = i;
            for (; place > 0 && next < sorted[place - 1]; place--) {
                sorted[place] = sorted[place - 1];
                order[place] = order[place - 1];
            }
            sorted[place] = next;
            order[place] = static_cast<uint8_t>(i);
            addresses[i] = keys[i].data;
        }
    }

    /// The number of keys whose order is known.
    int known = 0;
    const uint8_t *addresses[mostSortedKeys];
    uint8_t order[mostSortedKeys];
};

}  // namespace cjson
#endif
