#ifndef PARSE_HPP
#define PARSE_HPP

#include "buffer.hpp"

namespace cjson {

/// A tree buffer of this thread, for a tree that lives shortly. Taken out while in use: a finalizer that runs
/// meanwhile may want one too. Whoever took it gives it back, whatever happens.
cjson_buffer takeSpareBuffer();
void giveSpareBuffer(cjson_buffer buffer);

}  // namespace cjson
#endif
