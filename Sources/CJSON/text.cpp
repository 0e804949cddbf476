#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

namespace cjson {

namespace {

/// The size of the well-formed sequence (Unicode, table 3-7) that begins with a byte >= 0x80, or 0.
size_t sequence(const uint8_t *at, size_t left) {
    uint8_t first = at[0];
    size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (size == 0 || size > left) {
        return 0;
    }
    uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

}  // namespace

size_t invalidUTF8(const uint8_t *bytes, size_t count) {
    size_t at = 0;
    while (at < count) {
        uint64_t eight;
        if (count - at >= 8 && (std::memcpy(&eight, bytes + at, 8), (eight & 0x8080808080808080) == 0)) {
            at += 8;
        } else if (bytes[at] < 0x80) {
            at += 1;
        } else if (size_t size = sequence(bytes + at, count - at)) {
            at += size;
        } else {
            return at;
        }
    }
    return count;
}

size_t encodeScalar(uint32_t scalar, uint8_t *to) {
    auto tail = [scalar](int shift) { return static_cast<uint8_t>(0x80 | ((scalar >> shift) & 0x3F)); };
    if (scalar < 0x80) {
        to[0] = static_cast<uint8_t>(scalar);
        return 1;
    }
    if (scalar < 0x800) {
        to[0] = static_cast<uint8_t>(0xC0 | (scalar >> 6));
        to[1] = tail(0);
        return 2;
    }
    if (scalar < 0x10000) {
        to[0] = static_cast<uint8_t>(0xE0 | (scalar >> 12));
        to[1] = tail(6);
        to[2] = tail(0);
        return 3;
    }
    to[0] = static_cast<uint8_t>(0xF0 | (scalar >> 18));
    to[1] = tail(12);
    to[2] = tail(6);
    to[3] = tail(0);
    return 4;
}

NumberText scanNumber(const uint8_t *at, const uint8_t *end) {
    auto digits = [&at, end] {
        const uint8_t *start = at;
        while (at < end && *at >= '0' && *at <= '9') {
            at++;
        }
        return at > start;
    };
    bool isInteger = true;
    at += *at == '-';
    if (at < end && *at == '0') {
        at++;
    } else if (!digits()) {
        return {at, true, "a number needs a digit here"};
    }
    if (at < end && *at == '.') {
        isInteger = false;
        at++;
        if (!digits()) {
            return {at, false, "a fraction needs a digit here"};
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        isInteger = false;
        at++;
        at += at < end && (*at == '+' || *at == '-');
        if (!digits()) {
            return {at, false, "an exponent needs a digit here"};
        }
    }
    return {at, isInteger, nullptr};
}

bool isLargeInteger(const char *begin, const char *end) {
    const char *first = begin + (begin < end && *begin == '-');
    int64_t integer;
    double real;
    return first < end && *first != '0' && std::all_of(first, end, [](char c) { return c >= '0' && c <= '9'; })
        && std::from_chars(begin, end, integer).ec == std::errc::result_out_of_range
        && parseDouble(begin, end, real);
}

namespace {

/// The significant digits of a number, and the power of ten of the last one. No double needs more digits
/// (DBL_DECIMAL_DIG).
struct Decimal {
    static constexpr size_t most = 17;
    char digits[most];
    size_t count = 0;
    long long exponent = 0;

    bool operator==(const Decimal &other) const {
        return count == other.count && (count == 0 || exponent == other.exponent)
            && std::memcmp(digits, other.digits, count) == 0;
    }

    /// False if there are more digits, or if the exponent is beyond all numbers.
    bool read(const char *at, const char *end) {
        size_t zeros = 0;
        bool isFraction = false;
        for (; at < end && *at != 'e' && *at != 'E'; at++) {
            if (*at == '.') {
                isFraction = true;
            } else if (*at != '-') {
                exponent -= isFraction;
                if (*at == '0') {
                    // Zeros count if another digit follows them.
                    zeros += count > 0;
                    continue;
                }
                if (count + zeros >= most) {
                    return false;
                }
                for (; zeros; zeros--) {
                    digits[count++] = '0';
                }
                digits[count++] = *at;
            }
        }
        exponent += static_cast<long long>(zeros);
        if (at == end) {
            return true;
        }
        at += at[1] == '+' ? 2 : 1;
        int32_t written;
        bool fits = std::from_chars(at, end, written).ec == std::errc{};
        exponent += fits ? written : 0;
        return fits;
    }
};

}  // namespace

bool isInexact(const char *begin, const char *end, double nearest) {
    if (static_cast<size_t>(end - begin) <= keptDigits) {
        return false;
    }
    Decimal written, kept;
    if (!written.read(begin, end)) {
        return true;
    }
    if (written.count <= keptDigits && nearest != 0) {
        return false;
    }
    char shortest[32];
    kept.read(shortest, std::to_chars(shortest, shortest + sizeof shortest, nearest, std::chars_format::scientific).ptr);
    return !(written == kept);
}

bool isInexactFraction(const char *begin, const char *end) {
    if (begin == end) {
        return false;
    }
    auto text = reinterpret_cast<const uint8_t *>(begin);
    auto [stop, isInteger, problem] = scanNumber(text, text + (end - begin));
    double real;
    return !problem && !isInteger && stop == text + (end - begin) && parseDouble(begin, end, real)
        && isInexact(begin, end, real);
}

bool mayHaveLongFraction(const uint8_t *text, size_t count) {
    auto belongs = [](uint8_t c) { return (c >= '0' && c <= '9') || c == '.'; };
    // Of a run so long, one byte is at a multiple of its length.
    constexpr size_t step = keptDigits + 1;
    for (size_t i = step - 1; i < count; i += step) {
        if (!belongs(text[i])) {
            continue;
        }
        size_t from = i, to = i + 1;
        while (from > 0 && belongs(text[from - 1])) {
            from--;
        }
        while (to < count && belongs(text[to])) {
            to++;
        }
        bool isFraction = (to < count && (text[to] == 'e' || text[to] == 'E')) || std::memchr(text + from, '.', to - from);
        if (to - from >= step && isFraction) {
            return true;
        }
    }
    return false;
}

bool parseDouble(const char *begin, const char *end, double &value) {
    if (std::from_chars(begin, end, value).ec == std::errc{}) {
        return true;
    }
    // Out of range, at which end from_chars doesn't say: the decimal exponent of the first digit that isn't 0
    // does.
    long long exponent = 0;
    bool inFraction = false, found = false;
    const char *at = begin;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            inFraction = true;
        } else if (*at != '-') {
            found = found || *at != '0';
            exponent += inFraction ? (found ? 0 : -1) : (found ? 1 : 0);
        }
    }
    if (at < end) {
        at += at[1] == '+' ? 2 : 1;
        long long written = 0;
        bool fits = std::from_chars(at, end, written).ec == std::errc{};
        // No double is near these bounds, and no text is so long that its digits make up for them.
        if (!fits) written = *at == '-' ? INT32_MIN : INT32_MAX;
        exponent += std::clamp<long long>(written, INT32_MIN, INT32_MAX);
    }
    value = *begin == '-' ? -0.0 : 0.0;
    return !found || exponent < 0;
}

}  // namespace cjson
