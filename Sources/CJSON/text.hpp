#ifndef TEXT_HPP
#define TEXT_HPP

#include <cstddef>
#include <cstdint>

namespace cjson {

/// Where the first ill-formed sequence begins, or `count`.
size_t invalidUTF8(const uint8_t *bytes, size_t count);

/// Writes the UTF-8 of a scalar value and answers its size, at most 4.
size_t encodeScalar(uint32_t scalar, uint8_t *to);

/// The double of a text of JSON's number grammar, nearest, tiny ones 0; false when it is too large for one.
bool parseDouble(const char *begin, const char *end, double &value);

}  // namespace cjson
#endif
