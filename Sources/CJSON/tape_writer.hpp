#ifndef TAPE_WRITER_HPP
#define TAPE_WRITER_HPP

#include <simdjson.h>

#include "tree.hpp"

namespace cjson {

/// Writes the tape of a text in place of simdjson's second stage, which copies each string: here only those
/// with escapes are copied. The first stage has found where the tokens begin, and that the text is UTF-8
/// whose strings end and have no control characters. As much must be readable behind it as for simdjson.
///
/// False for what it leaves to simdjson, and for what is no JSON. `depth`: as many containers in each other
/// are left to it, too.
bool writeTape(simdjson::dom::parser &parser, Span text, uint32_t depth);

}  // namespace cjson
#endif
