#ifndef TEXT_HPP
#define TEXT_HPP

#include <cstddef>
#include <cstdint>

namespace cjson {

/// Where the first ill-formed sequence begins, or `count`.
size_t invalidUTF8(const uint8_t *bytes, size_t count);

/// Writes the UTF-8 of a scalar value and answers its size, at most 4.
size_t encodeScalar(uint32_t scalar, uint8_t *to);

/// A number of JSON's grammar at the beginning of a text.
struct NumberText {
    /// Of what belongs to it, or where it goes wrong.
    const uint8_t *end;
    /// It has neither fraction nor exponent.
    bool isInteger;
    /// Null when nothing is wrong.
    const char *problem;
};
NumberText scanNumber(const uint8_t *at, const uint8_t *end);

/// Whether digits, with a sign perhaps, are an integer of JSON that 64 bits don't hold and a double does.
bool isLargeInteger(const char *begin, const char *end);

/// A double keeps the value of every number with no more significant digits than this (DBL_DIG).
constexpr size_t keptDigits = 15;

/// Whether a text of JSON's number grammar has another value than the shortest text of its nearest double.
bool isInexact(const char *begin, const char *end, double nearest);

/// The same for any text; false if it isn't of that grammar, or without fraction and exponent.
bool isInexactFraction(const char *begin, const char *end);

/// Whether so many digits stand next to each other anywhere in a text, with a point in between or an exponent
/// behind them.
bool mayHaveLongFraction(const uint8_t *text, size_t count);

/// The double of a text of JSON's number grammar, nearest, tiny ones 0; false when it is too large for one.
bool parseDouble(const char *begin, const char *end, double &value);

}  // namespace cjson
#endif
