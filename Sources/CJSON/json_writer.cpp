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
/// Nearly all strings have so many bytes at most.
constexpr size_t few = 256;
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

/// Collects whether bytes may be written as they are: ASCII that needs no escape.
class Plainness {
public:
    using Bytes = uint8_t __attribute__((vector_size(16)));

    void add(Bytes bytes) {
        others |= (bytes < 0x20) | (bytes == '"') | (bytes == '\\') | (bytes >= 0x80);
    }
    bool isPlain() const {
        auto halves = reinterpret_cast<const Halves &>(others);
        return !(halves[0] | halves[1]);
    }

private:
    using Mask = decltype(Bytes{} == Bytes{});
    using Halves = uint64_t __attribute__((vector_size(16)));
    Mask others{};
};

/// Copies a text to `to` if it is plain; otherwise the bytes there are useless. May write eight bytes more.
[[gnu::always_inline]] inline bool copyPlain(Span span, uint8_t *to) {
    Plainness plainness;
    if (span.count > 16) {
        size_t last = span.count - 16;
        for (size_t i = 0;; i += 16) {
            // The last piece may overlap the one before it.
            i = i < last ? i : last;
            auto piece = load<Plainness::Bytes>(span.data + i);
            std::memcpy(to + i, &piece, sizeof piece);
            plainness.add(piece);
            if (i == last) {
                return plainness.isPlain();
            }
        }
    }
    uint64_t halves[2];
    if (span.count >= 8) {
        halves[0] = load<uint64_t>(span.data);
        halves[1] = load<uint64_t>(span.data + span.count - 8);
        std::memcpy(to, &halves[0], 8);
        std::memcpy(to + span.count - 8, &halves[1], 8);
    } else if (span.count) {
        // Letters behind the text, because they are plain.
        halves[0] = halves[1] = ones * 'a' << span.count * 8 | fewBytes(span);
        std::memcpy(to, &halves[0], 8);
    } else {
        return true;
    }
    Plainness::Bytes both;
    std::memcpy(&both, halves, sizeof both);
    plainness.add(both);
    return plainness.isPlain();
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
        // Without an exponent a large one would get more digits than it needs. Readers of decimals would take
        // them for its value.
        char *end = std::fabs(value) < 0x1p53 ? std::to_chars(to, to + 30, value).ptr
                                              : std::to_chars(to, to + 30, value, std::chars_format::scientific).ptr;
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
    uint8_t *to = out.reserve(few + 16);
    if (span.count > few || !to || !copyPlain(span, to + 1)) {
        return escaped(span, offset);
    }
    to[0] = to[span.count + 1] = '"';
    out.advance(span.count + 2);
    return CJSON_OK;
}

int JSONWriter::key(Span span, size_t &offset) {
    int code = string(span, offset);
    byte(':');
    return code;
}

int JSONWriter::escaped(Span span, size_t &offset) {
    // Each byte becomes six at most. The text is written in pieces, so that it never takes all that room.
    constexpr size_t piece = Writer::slack / 6 - 2;
    uint64_t all = 0;
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
    if (all & highs) {
        offset = invalidUTF8(span.data, span.count);
        return offset < span.count ? CJSON_INVALID_UTF8 : CJSON_OK;
    }
    return CJSON_OK;
}

}  // namespace cjson
