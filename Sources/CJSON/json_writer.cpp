#include "json_writer.hpp"

#include <charconv>
#include <cmath>

#include "text.hpp"

namespace cjson {
namespace {

/// For each ASCII character: 0 as it is, 'u' by number, else the letter behind the backslash.
struct Escapes {
    char of[128] = {};

    constexpr Escapes() {
        for (int c = 0; c < 0x20; c++) {
            of[c] = 'u';
        }
        of['"'] = '"';
        of['\\'] = '\\';
        of['\b'] = 'b';
        of['\f'] = 'f';
        of['\n'] = 'n';
        of['\r'] = 'r';
        of['\t'] = 't';
    }
};

constexpr Escapes escapes;
constexpr uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;

/// The high bit of each byte that is zero. Bits above the lowest may be set wrongly.
constexpr uint64_t zeros(uint64_t eight) {
    return (eight - ones) & ~eight & highs;
}

/// Whether one of eight bytes needs more than a copy: control, quote, backslash, or not ASCII.
constexpr bool isSpecial(uint64_t eight) {
    uint64_t controls = (eight - ones * 0x20) & ~eight;
    return (controls | zeros(eight ^ ones * '"') | zeros(eight ^ ones * '\\') | eight) & highs;
}

}  // namespace

void JSONWriter::integer(int64_t value) {
    if (auto *to = reinterpret_cast<char *>(out.reserve(20))) {
        out.advance(static_cast<size_t>(std::to_chars(to, to + 20, value).ptr - to));
    }
}

int JSONWriter::real(double value) {
    if (!std::isfinite(value)) {
        return CJSON_NUMBER_RANGE;
    }
    if (auto *to = reinterpret_cast<char *>(out.reserve(32))) {
        char *end = std::to_chars(to, to + 30, value).ptr;
        bool isBare = true;
        for (char *at = to; at < end; at++) {
            isBare = isBare && *at != '.' && *at != 'e';
        }
        if (isBare) {
            *end++ = '.';
            *end++ = '0';
        }
        out.advance(static_cast<size_t>(end - to));
    }
    return CJSON_OK;
}

int JSONWriter::string(Span span, size_t &offset) {
    // Each byte becomes six at most: room for so much is had piece by piece.
    constexpr size_t piece = Writer::slack / 6;
    const uint8_t *at = span.data, *end = at + span.count;
    bool isASCII = true;
    byte('"');
    while (at < end) {
        const uint8_t *stop = static_cast<size_t>(end - at) > piece ? at + piece : end;
        uint8_t *begin = out.reserve(static_cast<size_t>(stop - at) * 6);
        if (!begin) {
            return CJSON_OK;
        }
        uint8_t *to = begin;
        while (at < stop) {
            uint64_t eight;
            if (stop - at >= 8 && (std::memcpy(&eight, at, 8), !isSpecial(eight))) {
                std::memcpy(to, &eight, 8);
                at += 8;
                to += 8;
                continue;
            }
            uint8_t c = *at++;
            char escape = c < 0x80 ? escapes.of[c] : '\0';
            isASCII = isASCII && c < 0x80;
            if (!escape) {
                *to++ = c;
                continue;
            }
            *to++ = '\\';
            *to++ = static_cast<uint8_t>(escape);
            if (escape == 'u') {
                std::memcpy(to, c < 0x10 ? "000" : "001", 3);
                to[3] = static_cast<uint8_t>("0123456789abcdef"[c & 15]);
                to += 4;
            }
        }
        out.advance(static_cast<size_t>(to - begin));
    }
    byte('"');
    if (!isASCII) {
        offset = invalidUTF8(span.data, span.count);
        return offset < span.count ? CJSON_INVALID_UTF8 : CJSON_OK;
    }
    return CJSON_OK;
}

}  // namespace cjson
