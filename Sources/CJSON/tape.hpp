#ifndef TAPE_HPP
#define TAPE_HPP

#include <charconv>

#include "include/cjson.h"
#include "tree.hpp"

namespace cjson {

/// The values of a text, in the form of simdjson's doc/tape.md: words, and the strings that they mean. At
/// least 32 bytes may be read behind each string.
struct Tape {
    const uint64_t *words;
    /// Copies of strings.
    const uint8_t *strings;
    /// Where strings are in a tape of writeTape, but for those of `strings`; null in simdjson's.
    const uint8_t *text;

    static char kind(uint64_t word) { return static_cast<char>(word >> 56); }

    /// The kind of the outermost value.
    cjson_kind kind() const {
        switch (kind(words[1])) {
        case '{': return CJSON_KIND_OBJECT;
        case '[': return CJSON_KIND_ARRAY;
        case '"': return CJSON_KIND_STRING;
        case 'l': return CJSON_KIND_INTEGER;
        case 'u':
        case 'd': return CJSON_KIND_DOUBLE;
        case 't':
        case 'f': return CJSON_KIND_BOOLEAN;
        default: return CJSON_KIND_NULL;
        }
    }

    /// The index of a container's closing word.
    static size_t end(uint64_t word) { return static_cast<uint32_t>(word) - 1; }

    /// How many items or fields a container has; no more than this are counted.
    static uint32_t count(uint64_t word) { return static_cast<uint32_t>(word >> 32) & mostCounted; }
    static constexpr uint32_t mostCounted = 0xFFFFFF;

    /// Where the value behind the one at an index begins.
    size_t behind(size_t at) const {
        switch (uint64_t word = words[at]; kind(word)) {
        case '{':
        case '[': return end(word) + 1;
        case 'l':
        case 'u':
        case 'd': return at + 2;
        default: return at + 1;
        }
    }

    [[gnu::always_inline]] Span string(uint64_t word) const {
        if (text) {
            return stringOfText(word);
        }
        const uint8_t *head = strings + (word & 0x00FFFFFFFFFFFFFF);
        return {head + 4, load<uint32_t>(head)};
    }

    /// Of a tape of writeTape.
    [[gnu::always_inline]] Span stringOfText(uint64_t word) const {
        return {(word & isCopied ? strings : text) + static_cast<uint32_t>(word), word >> 32 & mostInText};
    }

    /// Of the words of writeTape: its strings have no more bytes than this, and a copy has a mark.
    static constexpr uint32_t mostInText = 0x7FFFFF;
    static constexpr uint64_t isCopied = uint64_t{1} << 55;

    /// Of a 'd' of writeTape: the text of a number that a double may not hold. A mark tells of it.
    [[gnu::always_inline]] Span longNumber(uint64_t word) const {
        return {text + static_cast<uint32_t>(word), word >> 32 & mostInText};
    }
    static constexpr uint64_t isLong = uint64_t{1} << 55;

    /// Of the word behind a 'd'.
    static double real(uint64_t word) { return load<double>(reinterpret_cast<const uint8_t *>(&word)); }
};

/// The digits of an integer of a tape that 63 bits don't hold: simdjson tells of no other such number.
class Digits {
public:
    explicit Digits(uint64_t value)
        : count(static_cast<size_t>(std::to_chars(text, text + sizeof text, value).ptr - text)) {}

    Span span() const { return {reinterpret_cast<const uint8_t *>(text), count}; }

private:
    char text[20];
    size_t count;
};

}  // namespace cjson
#endif
