// The Lua modules that come with the program, as bytes of it. Any thread may read them.
#ifndef CPLUGINS_H
#define CPLUGINS_H

#include <stddef.h>

typedef struct cplugins_module {
    /// Without "resthost." before it: "oauth2".
    const char *name;
    const unsigned char *source;
    size_t count;
} cplugins_module;

/// The modules, sorted by name, and their number.
const cplugins_module *cplugins_modules(size_t *count);

#endif
