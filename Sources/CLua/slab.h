// Memory for a Lua state's small objects. Not for Swift.
#ifndef CLUA_SLAB_H
#define CLUA_SLAB_H

#include <stddef.h>

typedef struct clua_slab clua_slab;

enum {
    /// Larger blocks come from the C library.
    CLUA_SMALL = 512,
    CLUA_GRAIN = 16,
    CLUA_CLASSES = CLUA_SMALL / CLUA_GRAIN,
};

/// Slabs with room, by size class. Starts as all zeros; owned by one state.
typedef struct {
    clua_slab *open[CLUA_CLASSES];
    /// One empty slab, kept because the next is asked for soon.
    clua_slab *spare;
} clua_pool;

/// As a Lua allocator does it (manual 4.6, lua_Alloc), without any limit. NULL when the system has nothing
/// left.
void *clua_pool_resize(clua_pool *pool, void *block, size_t old_size, size_t new_size);

/// Frees what the pool keeps. All blocks have been freed before.
void clua_pool_close(clua_pool *pool);

#endif
