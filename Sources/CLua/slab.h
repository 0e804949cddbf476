// Memory for a Lua state's small objects. Not for Swift.
#ifndef CLUA_SLAB_H
#define CLUA_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The sanitizers see single blocks only when the C library makes them.
#if defined(__SANITIZE_ADDRESS__)
#define CLUA_PLAIN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLUA_PLAIN 1
#endif
#endif

typedef struct clua_block {
    struct clua_block *next;
} clua_block;

typedef struct clua_slab clua_slab;

struct clua_slab {
    clua_slab *next, *previous;
    clua_block *freed;
    /// The part that was never used begins here.
    char *fresh;
    uint32_t live, size;
    bool is_open;
};

enum {
    CLUA_SLAB_BYTES = 32 << 10,
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

/// The slab that a small block is in.
static inline clua_slab *clua_slab_of(void *block) {
    return (clua_slab *)((uintptr_t)block & ~(uintptr_t)(CLUA_SLAB_BYTES - 1));
}

/// Takes a block where nothing else changes by it, which is nearly always; else NULL, for `clua_pool_resize`.
static inline void *clua_pool_take(clua_pool *pool, size_t size) {
#ifndef CLUA_PLAIN
    if (size > CLUA_SMALL) return NULL;
    clua_slab *slab = pool->open[(size - 1) / CLUA_GRAIN];
    if (!slab) return NULL;
    clua_block *freed = slab->freed;
    if (freed) {
        if (!freed->next) return NULL;
        slab->freed = freed->next;
        slab->live++;
        return freed;
    }
    char *fresh = slab->fresh;
    if (fresh + 2 * slab->size > (char *)slab + CLUA_SLAB_BYTES) return NULL;
    slab->fresh = fresh + slab->size;
    slab->live++;
    return fresh;
#else
    (void)pool, (void)size;
    return NULL;
#endif
}

/// Gives a block back where nothing else changes by it; else false, for `clua_pool_resize`.
static inline bool clua_pool_give(void *block, size_t size) {
#ifndef CLUA_PLAIN
    if (size > CLUA_SMALL) return false;
    clua_slab *slab = clua_slab_of(block);
    if (!slab->is_open || slab->live == 1) return false;
    ((clua_block *)block)->next = slab->freed;
    slab->freed = block;
    slab->live--;
    return true;
#else
    (void)block, (void)size;
    return false;
#endif
}

/// As a Lua allocator does it (manual 4.6, lua_Alloc), without any limit. NULL when the system has nothing
/// left.
void *clua_pool_resize(clua_pool *pool, void *block, size_t old_size, size_t new_size);

/// Frees what the pool keeps. All blocks have been freed before.
void clua_pool_close(clua_pool *pool);

#endif
