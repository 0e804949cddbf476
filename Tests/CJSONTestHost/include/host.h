// A Lua state for tests of CJSON, which Swift tests can't drive themselves.
#ifndef HOST_H
#define HOST_H

#include <stddef.h>
#include <stdint.h>

#include "cluajson.h"

typedef struct host host;

// A state with the standard libraries and these globals: decode(text[, depth, bytes]) and encode(value[,
// depth, bytes]), which return nil, message, code, offset if they fail; decode_tree, which is decode through
// a tree; tree(value), its tree; carry(value), the value that its tree becomes; text(value), the JSON of its
// tree; push(tree); parts(tree, bytes), the same in parts; array, object, is_array, null, class(metatable),
// keep_classes().
host *host_new(void);
void host_free(host *host);

// Runs a chunk; NULL, or the message of its error, which lasts until the next run.
const char *host_run(host *host, const char *chunk);

// Makes each allocation of the state fail after `count` more were granted; negative: never.
void host_fail_after(host *host, long count);

// Bytes that the state has allocated.
size_t host_bytes(const host *host);

#endif
