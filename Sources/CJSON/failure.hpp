#ifndef FAILURE_HPP
#define FAILURE_HPP

#include "include/cjson.h"
#include "tree.hpp"

namespace cjson {

/// A step of the way into a value that is being encoded, linked towards the root on the machine's stack.
struct PathNode {
    const PathNode *parent;
    Span key;
    /// From 1 on, as scripts count; 0 when `key` says it.
    size_t index;
};

/// Fills in `error`, unless null, and answers `code`.
int fail(cjson_error *error, int code, size_t offset, const char *message);

/// The same, with the path to `node` before the message.
int fail(cjson_error *error, int code, size_t offset, const PathNode *node, const char *message);

/// The same for a writer that had no room.
int failWriting(cjson_error *error, int code, size_t offset);

}  // namespace cjson
#endif
