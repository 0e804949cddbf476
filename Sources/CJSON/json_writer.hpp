#ifndef JSON_WRITER_HPP
#define JSON_WRITER_HPP

#include "buffer.hpp"

namespace cjson {

/// Writes JSON text front to back. A value that JSON can't hold is answered with a code.
class JSONWriter {
public:
    explicit JSONWriter(Writer &out) : out(out) {}

    void null() { out.bytes("null", 4); }
    void boolean(bool value) { out.bytes(value ? "true" : "false", value ? 4 : 5); }
    void integer(int64_t value);
    int real(double value);
    /// A number in JSON's grammar.
    void number(Span digits) { out.bytes(digits.data, digits.count); }
    /// `offset` gets the place of bytes that are not UTF-8.
    int string(Span span, size_t &offset);
    /// The same, with a colon behind it.
    int key(Span span, size_t &offset);
    void byte(char c) { out.byte(static_cast<uint8_t>(c)); }

private:
    /// Writes a string that is long, or has bytes that need an escape or a check.
    int escaped(Span span, size_t &offset);

    Writer &out;
};

}  // namespace cjson
#endif
