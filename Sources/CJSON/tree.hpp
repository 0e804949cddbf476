// The encoded tree.
//
//   node    = tag byte, then by tag:
//     null, no, yes        nothing
//     int8, int32, int64   the integer in the shortest of the three that holds it
//     real                 8 bytes, IEEE 754 double
//     string               bytes
//     number               bytes: the text of an integer beyond 64 bits, or of a fraction whose digits a
//                          double doesn't keep, as it was written
//     array                size u32, count u32, `count` nodes
//     object               size u32, count u32, `count` times: bytes (the key), node
//     table                size u32, count u32, mark u8, items u32, `count` times: node (the key), node
//     classed              class id u32, node (not itself classed)
//   bytes   = length u8, or 255 and length u32 when it is 255 or more; then as many bytes
//   size    = of all that follows the size field up to the end of the node, so that a reader can skip it
//   count   = first, so that a table can be made with its final size; `items` of them go to a list part
//
// Numbers are little-endian and unaligned. Each value has exactly one encoding, but for the order of keys,
// which is that of the text for what was parsed, and sorted for what Lua made: two trees with equal bytes are
// equal.
#ifndef TREE_HPP
#define TREE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cjson {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they lie in memory");

enum class Tag : uint8_t { null, no, yes, int8, int32, int64, real, string, array, object, table, classed, number };

enum class Mark : uint8_t { none, array, object };

constexpr uint32_t defaultDepth = 512;
constexpr uint32_t maximumDepth = 1000;
constexpr size_t defaultBytes = size_t{256} << 20;
constexpr size_t maximumBytes = UINT32_MAX;

/// Bytes between an array's or object's tag and its first element; a table has five more.
constexpr size_t containerHead = 8;
constexpr size_t tableHead = containerHead + 5;

struct Span {
    const uint8_t *data;
    size_t count;
};

template <class Number>
inline Number load(const uint8_t *at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    return number;
}

/// One to seven bytes as a little-endian number; the bytes behind them are zero.
inline uint64_t fewBytes(Span span) {
    if (span.count >= 4) {
        uint64_t last = load<uint32_t>(span.data + span.count - 4);
        return load<uint32_t>(span.data) | last << (span.count * 8 - 32);
    }
    size_t middle = span.count / 2, last = span.count - 1;
    uint64_t second = span.data[middle], third = span.data[last];
    return span.data[0] | second << middle * 8 | third << last * 8;
}

/// Reads a length and its bytes, and moves behind them.
inline Span takeBytes(const uint8_t *&at) {
    size_t count = *at++;
    if (count == 255) {
        count = load<uint32_t>(at);
        at += 4;
    }
    Span span{at, count};
    at += count;
    return span;
}

/// Reads an integer of one of the three tags, and moves behind it.
inline int64_t takeInteger(Tag tag, const uint8_t *&at) {
    if (tag == Tag::int8) {
        return static_cast<int8_t>(*at++);
    }
    if (tag == Tag::int32) {
        at += 4;
        return load<int32_t>(at - 4);
    }
    at += 8;
    return load<int64_t>(at - 8);
}

/// Where a node ends.
inline const uint8_t *behind(const uint8_t *at) {
    auto tag = static_cast<Tag>(*at++);
    if (tag == Tag::classed) {
        at += 4;
        tag = static_cast<Tag>(*at++);
    }
    switch (tag) {
    case Tag::null:
    case Tag::no:
    case Tag::yes: return at;
    case Tag::int8: return at + 1;
    case Tag::int32: return at + 4;
    case Tag::int64:
    case Tag::real: return at + 8;
    case Tag::string:
    case Tag::number: takeBytes(at); return at;
    case Tag::array:
    case Tag::object:
    case Tag::table:
    case Tag::classed: break;
    }
    return at + 4 + load<uint32_t>(at);
}

}  // namespace cjson
#endif
