#ifndef TAPE_NUMBERS_HPP
#define TAPE_NUMBERS_HPP

#include <array>
#include <charconv>

#include "tape.hpp"
#include "text.hpp"

namespace cjson {

/// The bytes that may follow a number or a word; simdjson refuses all others.
inline constexpr std::array<bool, 256> endings = [] {
    std::array<bool, 256> found{};
    for (uint8_t c : {' ', '\t', '\n', '\r', ',', ']', '}'}) {
        found[c] = true;
    }
    return found;
}();

/// The first number with more digits than are surely kept.
inline constexpr uint64_t longNumber = 1'000'000'000'000'000;

/// Powers of ten that are doubles.
inline constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/// Eight at once, if these are eight.
inline bool takeEightDigits(const uint8_t *&at, uint64_t &value) {
    constexpr uint64_t ones = 0x0101010101010101;
    uint64_t eight = load<uint64_t>(at);
    // Digits are 0x30 to 0x39: of what else begins with 3, all is beyond 0x40 with 6 more.
    if ((eight & ones * 0xF0) != ones * 0x30 || ((eight + ones * 6) & ones * 0xF0) != ones * 0x30) {
        return false;
    }
    // Neighbours become twos, those fours, and those the whole.
    eight = (eight & ones * 0x0F) * (10 << 8 | 1) >> 8;
    eight = (eight & 0x00FF00FF00FF00FF) * (100 << 16 | 1) >> 16;
    eight = (eight & 0x0000FFFF0000FFFF) * (uint64_t{10000} << 32 | 1) >> 32;
    value = value * 100000000 + eight;
    at += 8;
    return true;
}

inline uint64_t takeDigits(const uint8_t *&at, uint64_t value) {
    for (uint8_t digit; (digit = static_cast<uint8_t>(*at - '0')) < 10; at++) {
        value = value * 10 + digit;
    }
    return value;
}

/// Of digits, with a point before the last of them perhaps, and an exponent. JSON has stricter rules for what
/// is before that. The place of a text that no double keeps is added to its word on the tape.
[[gnu::noinline]] inline bool readReal(const uint8_t *text, const uint8_t *from, const uint8_t *end, double &real, uint64_t &word) {
    auto begin = reinterpret_cast<const char *>(from);
    auto [stop, code] = std::from_chars(begin, reinterpret_cast<const char *>(end), real);
    if (code != std::errc{} || !endings[static_cast<uint8_t>(*stop)]) {
        return false;
    }
    if (isInexact(begin, stop, real)) {
        auto count = static_cast<uint64_t>(stop - begin);
        word |= Tape::isLong | count << 32 | static_cast<uint64_t>(from - text);
        return count <= Tape::mostInText;
    }
    return true;
}

}  // namespace cjson
#endif
