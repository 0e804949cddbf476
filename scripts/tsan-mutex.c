/*
 * Lets the thread sanitizer see Synchronization.Mutex on Linux; scripts/sanitize preloads it.
 *
 * A contended Mutex takes its slow path, which is in Swift's library and not instrumented. The sanitizer then
 * misses the lock and reports a race. These two functions replace that path, call it, and tell the sanitizer.
 * Their names are Swift's mangled ones of _MutexHandle._lockSlow(UInt32) and _unlockSlow().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define swiftcall __attribute__((swiftcall))
#define self_register __attribute__((swift_context))

/* Weak: the preload also reaches processes that have no sanitizer. */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef swiftcall void (*Lock)(uint32_t thread, self_register void *mutex);
typedef swiftcall void (*Unlock)(self_register void *mutex);

swiftcall void lock_slow(uint32_t thread, self_register void *mutex) __asm__(LOCK);
swiftcall void unlock_slow(self_register void *mutex) __asm__(UNLOCK);

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

swiftcall void lock_slow(uint32_t thread, self_register void *mutex) {
    ((Lock)next(LOCK))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

swiftcall void unlock_slow(self_register void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock)next(UNLOCK))(mutex);
}
