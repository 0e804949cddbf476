#ifndef KEY_ORDERS_HPP
#define KEY_ORDERS_HPP

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

/// How the keys of objects are sorted that have few of them, remembered for those that have the same in the
/// same order: while one value is read, Lua strings at one address are the same.
class KeyOrders {
public:
    static constexpr int most = 32;

    class Shape {
    public:
        /// Which key comes first, second and so on.
        const uint8_t *order() const { return places; }

        /// Changes when another shape takes its place.
        uint32_t version() const { return changes; }

        /// Whether `text` has something: from the second object on.
        bool hasTexts() const { return isWritten; }

        /// What JSON has before the value at a place: a comma, the key and a colon. No bytes where the key
        /// can't stand there as it is. 32 may be read.
        Span text(int place) const {
            size_t start = place ? ends[place - 1] : 0;
            return {texts + start, ends[place] - start};
        }

    private:
        friend class KeyOrders;

        bool has(const Span *others, int otherCount) const {
            uintptr_t differences = static_cast<uintptr_t>(count ^ otherCount);
            for (int i = 0; i < otherCount && !differences; i++) {
                differences = reinterpret_cast<uintptr_t>(keys[i]) ^ reinterpret_cast<uintptr_t>(others[i].data);
            }
            return !differences;
        }

        void set(const Span *others, int otherCount) {
            SortedKey sorted[most];
            count = otherCount;
            changes++;
            isWritten = false;
            for (int i = 0; i < count; i++) {
                SortedKey next(others[i]);
                int place = i;
                for (; place > 0 && next < sorted[place - 1]; place--) {
                    sorted[place] = sorted[place - 1];
                    places[place] = places[place - 1];
                }
                sorted[place] = next;
                places[place] = static_cast<uint8_t>(i);
                keys[i] = others[i].data;
            }
        }

        void write(const Span *others) {
            isWritten = true;
            size_t end = 0;
            for (int i = 0; i < count; i++) {
                Span key = others[places[i]];
                if (key.count + 4 <= mostText - end && isPlain(key)) {
                    if (i) {
                        texts[end++] = ',';
                    }
                    texts[end++] = '"';
                    std::memcpy(texts + end, key.data, key.count);
                    end += key.count;
                    texts[end++] = '"';
                    texts[end++] = ':';
                }
                ends[i] = static_cast<uint16_t>(end);
            }
        }

        static bool isPlain(Span key) {
            bool isPlain = true;
            for (size_t i = 0; i < key.count; i++) {
                uint8_t c = key.data[i];
                isPlain = isPlain && c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            }
            return isPlain;
        }

        static constexpr size_t mostText = 512;

        int count = 0;
        uint32_t changes = 0;
        bool isWritten = false;
        uint8_t places[most];
        uint16_t ends[most];
        const uint8_t *keys[most];
        uint8_t texts[mostText + 32];
    };

    /// The shape of an object with these keys. Another may take its place with the next call.
    template <bool isText>
    const Shape &of(const Span *keys, int count) {
        Shape &shape = shapes[placeOf(keys, count)];
        if (!shape.has(keys, count)) {
            shape.set(keys, count);
        } else if (isText && !shape.isWritten) {
            shape.write(keys);
        }
        return shape;
    }

private:
    static size_t placeOf(const Span *keys, int count) {
        auto first = reinterpret_cast<uintptr_t>(keys[0].data), last = reinterpret_cast<uintptr_t>(keys[count - 1].data);
        return (first / 8 + last / 8 * 3 + static_cast<unsigned>(count)) * 0x9E3779B97F4A7C15 >> 60;
    }

    Shape shapes[16];
};

}  // namespace cjson
#endif
