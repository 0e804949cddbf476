// Lua makes and drops small objects at a rate at which malloc is most of the work. It tells the size of a
// block when it frees it, so blocks need no headers: slabs of one size each, aligned so that a block's
// address leads to its slab. A slab whose last block is freed goes back to the system, so memory falls again
// after a script that used much.
#define _GNU_SOURCE
#include "slab.h"

#include <stdlib.h>
#include <string.h>

#ifdef CLUA_PLAIN
static bool is_small(size_t size) {
    (void)size;
    return false;
}
#else
static bool is_small(size_t size) { return size <= CLUA_SMALL; }
#endif

static size_t class_of(size_t size) { return (size - 1) / CLUA_GRAIN; }

static char *end_of(clua_slab *slab) { return (char *)slab + CLUA_SLAB_BYTES; }

static void open_slab(clua_pool *pool, clua_slab *slab, size_t class) {
    slab->previous = NULL;
    slab->next = pool->open[class];
    if (slab->next) slab->next->previous = slab;
    pool->open[class] = slab;
    slab->is_open = true;
}

static void close_slab(clua_pool *pool, clua_slab *slab, size_t class) {
    if (slab->previous) slab->previous->next = slab->next;
    else pool->open[class] = slab->next;
    if (slab->next) slab->next->previous = slab->previous;
    slab->is_open = false;
}

static clua_slab *make_slab(clua_pool *pool, size_t class) {
    clua_slab *slab = pool->spare;
    if (slab) pool->spare = NULL;
    else slab = aligned_alloc(CLUA_SLAB_BYTES, CLUA_SLAB_BYTES);
    if (!slab) return NULL;
    size_t header = (sizeof *slab + CLUA_GRAIN - 1) / CLUA_GRAIN * CLUA_GRAIN;
    *slab = (clua_slab){.fresh = (char *)slab + header, .size = (uint32_t)((class + 1) * CLUA_GRAIN)};
    open_slab(pool, slab, class);
    return slab;
}

static void *take(clua_pool *pool, size_t size) {
    size_t class = class_of(size);
    clua_slab *slab = pool->open[class];
    if (!slab && !(slab = make_slab(pool, class))) return NULL;
    void *result = slab->freed;
    if (result) {
        slab->freed = slab->freed->next;
    } else {
        result = slab->fresh;
        slab->fresh += slab->size;
    }
    slab->live++;
    if (!slab->freed && slab->fresh + slab->size > end_of(slab)) close_slab(pool, slab, class);
    return result;
}

static void give_back(clua_pool *pool, void *pointer) {
    clua_slab *slab = clua_slab_of(pointer);
    size_t class = slab->size / CLUA_GRAIN - 1;
    ((clua_block *)pointer)->next = slab->freed;
    slab->freed = pointer;
    if (!slab->is_open) open_slab(pool, slab, class);
    // The only open slab of its class stays: what was freed last is often made again next.
    if (--slab->live || (!slab->next && !slab->previous)) return;
    close_slab(pool, slab, class);
    if (pool->spare) free(slab);
    else pool->spare = slab;
}

void *clua_pool_resize(clua_pool *pool, void *pointer, size_t old_size, size_t new_size) {
    size_t before = pointer ? old_size : 0;
    bool was_small = before && is_small(before), becomes_small = new_size && is_small(new_size);
    if (!was_small && !becomes_small) {
        if (new_size) return realloc(pointer, new_size);
        free(pointer);
        return NULL;
    }
    if (was_small && becomes_small && class_of(before) == class_of(new_size)) return pointer;
    void *result = NULL;
    if (new_size) {
        result = becomes_small ? take(pool, new_size) : malloc(new_size);
        if (!result) return NULL;
        if (pointer) memcpy(result, pointer, before < new_size ? before : new_size);
    }
    if (was_small) give_back(pool, pointer);
    else free(pointer);
    return result;
}

void clua_pool_close(clua_pool *pool) {
    free(pool->spare);
    for (size_t class = 0; class < CLUA_CLASSES; class++) {
        for (clua_slab *slab = pool->open[class], *next; slab; slab = next) {
            next = slab->next;
            free(slab);
        }
    }
    *pool = (clua_pool){0};
}
