#ifndef EXACT_PARSER_HPP
#define EXACT_PARSER_HPP

#include "buffer.hpp"
#include "failure.hpp"

namespace cjson {

/// Parses byte by byte, for what simdjson refuses: it knows where the error is, and takes integers beyond 64
/// bits as doubles. Its verdict is final. `offset` is what the text's first byte counts as.
int parseExactly(Span text, size_t offset, const Limits &limits, Writer &out, cjson_error *error);

}  // namespace cjson
#endif
