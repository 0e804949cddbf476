// Lua without a sandbox, for comparisons with the sandbox.
#ifndef LUAHOST_H
#define LUAHOST_H

#include <stddef.h>

/// Runs a chunk in a fresh state; returns its one result, a string, or the error's message. The caller frees
/// it.
char *luahost_run(const char *source, size_t length, size_t *result_length);

#endif
