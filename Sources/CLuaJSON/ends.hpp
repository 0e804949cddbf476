#ifndef ENDS_HPP
#define ENDS_HPP

#include "tree.hpp"

namespace cjson {

/// The first and the last bytes of a text that is not empty. Up to 16 bytes have no others.
struct Ends {
    uint64_t head, tail;

    Ends() = default;
    [[gnu::always_inline]] explicit Ends(Span text) {
        const uint8_t *end = text.data + text.count;
        if (text.count >= 8) {
            head = load<uint64_t>(text.data);
            tail = load<uint64_t>(end - 8);
        } else if (text.count >= 4) {
            head = load<uint32_t>(text.data);
            tail = load<uint32_t>(end - 4);
        } else {
            head = text.data[0] | text.data[text.count / 2] << 8;
            tail = end[-1];
        }
    }

    bool operator==(const Ends &other) const { return head == other.head && tail == other.tail; }
};

/// Whether two texts of one length and with the same ends are the same.
inline bool haveSameMiddle(const uint8_t *one, Span other) {
    for (size_t i = 8; i + 8 < other.count; i += 8) {
        if (load<uint64_t>(one + i) != load<uint64_t>(other.data + i)) {
            return false;
        }
    }
    return true;
}

}  // namespace cjson
#endif
