// How much of the thread's own stack is left. Lua counts the C calls of each thread of its own for itself, up
// to 200, and begins anew when the host calls it from within a coroutine, or when a coroutine is closed: so
// scripts can nest more calls than the stack has room for.
#define _GNU_SOURCE
#include "internal.h"

#include <pthread.h>
#include <stdint.h>

#if defined(__APPLE__)

static uintptr_t lowest(size_t *size) {
    *size = pthread_get_stacksize_np(pthread_self());
    return (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - *size;
}

#else

static uintptr_t lowest(size_t *size) {
    pthread_attr_t attributes;
    void *address = NULL;
    *size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    if (pthread_attr_getstack(&attributes, &address, size) != 0) *size = 0;
    pthread_attr_destroy(&attributes);
    return *size > 0 ? (uintptr_t)address : 0;
}

#endif

// The stack below this address is for one entry: 200 calls of Lua's, and a function of the host at their end.
// Used stack stays with the process, so it is given out sparingly.
uintptr_t clua_stack_floor(void) {
    enum { MOST_USED = 2 << 20 };
    size_t size;
    uintptr_t low = lowest(&size);
    if (low == 0) return 0;
    return low + size - (size / 2 < MOST_USED ? size / 2 : MOST_USED);
}

bool clua_is_nearly_deep(const clua_state *state) {
    enum { BETWEEN = 64 << 10 };
    return (uintptr_t)__builtin_frame_address(0) < state->floor + BETWEEN;
}
