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

    /// What JSON has before the values of an object: a comma, a key and a colon, in the order of the keys.
    class Texts {
    public:
        /// 32 bytes may be read.
        Span at(int place) const {
            size_t start = place ? ends[place - 1] : 0;
            return {bytes + start, ends[place] - start};
        }

        /// False when a key can't stand there as it is, or there is no room.
        [[gnu::noinline]] bool write(const Span *keys, const uint8_t *order, int count) {
            size_t end = 0;
            for (int i = 0; i < count; i++) {
                Span key = keys[order[i]];
                if (key.count + 4 > mostBytes - end || !isPlain(key)) {
                    return false;
                }
                if (i) {
                    bytes[end++] = ',';
                }
                bytes[end++] = '"';
                std::memcpy(bytes + end, key.data, key.count);
                end += key.count;
                bytes[end++] = '"';
                bytes[end++] = ':';
                ends[i] = static_cast<uint16_t>(end);
            }
            return true;
        }

    private:
        static constexpr size_t mostBytes = 512;

        static bool isPlain(Span key) {
            bool isPlain = true;
            for (size_t i = 0; i < key.count; i++) {
                uint8_t c = key.data[i];
                isPlain = isPlain && c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            }
            return isPlain;
        }

        uint16_t ends[most];
        uint8_t bytes[mostBytes + 32];
    };

    struct Shape {
        int count = 0;
        /// Changes when another shape takes its place.
        uint32_t version;
        /// Which key comes first, second and so on.
        uint8_t order[most];
        const uint8_t *keys[most];
        /// Null for the first objects, and where there can be none.
        const Texts *texts;
        /// Objects with these keys, as far as it matters.
        int seen;

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
            texts = nullptr;
            seen = 1;
            for (int i = 0; i < count; i++) {
                SortedKey next(others[i]);
                int place = i;
                for (; place > 0 && next < sorted[place - 1]; place--) {
                    sorted[place] = sorted[place - 1];
                    order[place] = order[place - 1];
                }
                sorted[place] = next;
                order[place] = static_cast<uint8_t>(i);
                keys[i] = others[i].data;
            }
        }
    };

    /// The shape of an object with these keys. Another may take its place with the next call.
    template <bool hasTexts>
    const Shape &of(const Span *keys, int count) {
        size_t place = placeOf(keys, count);
        Shape &shape = shapes[place];
        if (!shape.has(keys, count)) {
            shape.set(keys, count);
            shape.version = ++changes;
        } else if (hasTexts && shape.seen < worthWriting && ++shape.seen == worthWriting) {
            shape.texts = texts[place].write(keys, shape.order, count) ? &texts[place] : nullptr;
        }
        return shape;
    }

private:
    /// Texts are worth their making for so many objects.
    static constexpr int worthWriting = 4;

    static size_t placeOf(const Span *keys, int count) {
        auto first = reinterpret_cast<uintptr_t>(keys[0].data), last = reinterpret_cast<uintptr_t>(keys[count - 1].data);
        return (first / 8 + last / 8 * 3 + static_cast<unsigned>(count)) * 0x9E3779B97F4A7C15 >> 60;
    }

    uint32_t changes = 0;
    Shape shapes[16];
    Texts texts[16];
};

}  // namespace cjson
#endif
