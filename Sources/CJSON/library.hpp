#ifndef LIBRARY_HPP
#define LIBRARY_HPP

#include <cstddef>

namespace cjson {

/// Whether simdjson is there for one more text of so many bytes. Where the program is linked with it, always.
/// Where CJSON_SIMDJSON has the name of its library, that is loaded once so much was to be read that it
/// takes less time than it saves; without it everything is read byte by byte.
bool simdjsonReads(size_t count);

}  // namespace cjson
#endif
