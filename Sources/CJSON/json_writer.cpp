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

/// Not zero when one of eight bytes needs more than a copy: control, quote or backslash.
constexpr uint64_t specials(uint64_t eight) {
    uint64_t controls = (eight - ones * 0x20) & ~eight;
    return (controls | zeros(eight ^ ones * '"') | zeros(eight ^ ones * '\\')) & highs;
}

/// Writes bytes as they stand between quotes and moves `to` behind them; answers bytes that tell whether all
/// are ASCII. Up to eight bytes more may be written.
uint64_t escape(const uint8_t *at, const uint8_t *end, uint8_t *&to) {
    uint64_t all = 0;
    while (at < end) {
        uint64_t eight;
        if (end - at >= 8 && (eight = load<uint64_t>(at), !specials(eight))) {
            std::memcpy(to, &eight, 8);
            all |= eight;
            at += 8;
            to += 8;
            continue;
        }
        uint8_t c = *at++;
        char escape = c < 0x80 ? escapes.of[c] : '\0';
        all |= c;
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
    return all;
}

/// Copies bytes as long as none needs more than that, eight at a time; of the last eight some may have been
/// copied already, and behind fewer than eight comes what doesn't count. `all` as with `escape`.
[[gnu::always_inline]] inline bool copy(Span span, uint8_t *to, uint64_t &all) {
    uint64_t special = 0;
    auto eightBytes = [&](uint64_t eight, uint8_t *to) {
        std::memcpy(to, &eight, 8);
        special |= specials(eight);
        all |= eight;
    };
    if (span.count >= 8) {
        size_t last = span.count - 8;
        for (size_t i = 0; i < last; i += 8) {
            eightBytes(load<uint64_t>(span.data + i), to + i);
        }
        eightBytes(load<uint64_t>(span.data + last), to + last);
        return !special;
    }
    // Letters where no text is: they are neither special nor beyond ASCII.
    constexpr uint64_t letters = ones * 'a';
    if (span.count >= 4) {
        size_t shift = span.count * 8 - 32;
        uint64_t tail = load<uint32_t>(span.data + span.count - 4);
        eightBytes(letters << 32 << shift | tail << shift | load<uint32_t>(span.data), to);
    } else if (span.count) {
        size_t middle = span.count / 2, last = span.count - 1;
        uint64_t text = span.data[0] | span.data[middle] << middle * 8 | span.data[last] << last * 8;
        eightBytes(letters << span.count * 8 | text, to);
    }
    return !special;
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
    constexpr size_t few = 256, piece = Writer::slack / 6 - 2;
    uint64_t all = 0;
    // Nearly all are short, and as they are.
    uint8_t *whole = span.count <= few ? out.reserve(few + 16) : nullptr;
    if (whole && copy(span, whole + 1, all)) {
        whole[0] = whole[span.count + 1] = '"';
        out.advance(span.count + 2);
    } else {
        byte('"');
        for (size_t done = 0; done < span.count;) {
            size_t count = span.count - done < piece ? span.count - done : piece;
            uint8_t *begin = out.reserve(count * 6 + 8), *to = begin;
            if (!begin) {
                return CJSON_OK;
            }
            all |= escape(span.data + done, span.data + done + count, to);
            out.advance(static_cast<size_t>(to - begin));
            done += count;
        }
        byte('"');
    }
    if (all & highs) {
        offset = invalidUTF8(span.data, span.count);
        return offset < span.count ? CJSON_INVALID_UTF8 : CJSON_OK;
    }
    return CJSON_OK;
}

}  // namespace cjson
