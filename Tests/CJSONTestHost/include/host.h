// A Lua state for tests of CJSON, which Swift tests can't drive themselves.
#ifndef HOST_H
#define HOST_H

#include <stddef.h>
#include <stdint.h>

#include "cluajson.h"

typedef struct host host;

// A state with the standard libraries and, as globals: decode(text[, depth, bytes]) and encode(value[, depth,
// bytes]), which answer nil, message, code, offset when they fail; decode_tree, which is decode by way of a
// tree; tree(value), its tree; carry(value), what
// comes out of its tree; text(value), the JSON of its tree; push(tree); parts(tree, bytes), the same
// in parts; array, object, is_array, null,
// class(metatable), keep_classes().
host *host_new(void);
void host_free(host *host);

// Runs a chunk; NULL, or the message of its error, which lasts until the next run.
const char *host_run(host *host, const char *chunk);

// Lets each allocation of the state fail once `count` more were granted; negative: never.
void host_fail_after(host *host, long count);

// Bytes that the state has allocated.
size_t host_bytes(const host *host);

#endif
