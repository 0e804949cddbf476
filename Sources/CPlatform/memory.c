#include <limits.h>
#include <sys/resource.h>

#include "cplatform.h"

// It defines __GLIBC__.
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

enum {
    // Blocks from here on are the system's own, and go back to it when they are freed. A heap of an arena
    // that is not the first thread's has 64 MiB: with blocks of that order in it, it is never empty.
    OWN = 4 << 20,
    // So much free memory may stay at the end of an arena. There are several, and their threads may have
    // nothing more to do.
    KEPT = 4 << 20,
    LARGE = 128 << 10
};
#endif

void cplatform_keep_freed_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, OWN);
    mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

void cplatform_give_back_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    cplatform_give_back_end_of_arena();
}

void cplatform_give_back_end_of_arena(void) {
#ifdef __GLIBC__
    // malloc_trim leaves the end of an arena that is not the first thread's. Freeing a large block there
    // looks at it.
    mallopt(M_TRIM_THRESHOLD, LARGE);
    void *volatile block = malloc(LARGE);
    free(block);
    mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

long cplatform_memory_limit(void) {
    rlim_t least = RLIM_INFINITY;
    const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    for (int kind = 0; kind < 2; kind++) {
        struct rlimit limit;
        if (getrlimit(kinds[kind], &limit) == 0 && limit.rlim_cur < least) least = limit.rlim_cur;
    }
    return least > LONG_MAX ? -1 : (long)least;
}
