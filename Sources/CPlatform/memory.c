#include "cplatform.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void cplatform_keep_freed_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

void cplatform_give_back_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
