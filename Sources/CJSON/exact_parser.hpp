#ifndef EXACT_PARSER_HPP
#define EXACT_PARSER_HPP

#include "buffer.hpp"
#include "failure.hpp"

namespace cjson {

/// Parses byte by byte, for what simdjson refuses or takes much memory for: it knows where the error is,
/// keeps the digits of integers beyond 64 bits, and takes no memory but the tree's. Its result is final.
/// `offset` is what the text's first byte counts as.
int parseExactly(Span text, size_t offset, const Limits &limits, cjson_buffer &out, cjson_error *error);

}  // namespace cjson
#endif
