#define _GNU_SOURCE
#include "cplatform.h"

#ifdef __linux__

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int cplatform_thread_id(void) { return (int)syscall(SYS_gettid); }

// proc(5): after the name, which may hold anything, come the state and, as 11th and 12th field from there,
// the ticks in the program and in the system.
bool cplatform_thread_usage(int thread, bool *wants_processor, int64_t *ticks) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return false;
    text[count] = 0;
    const char *rest = strrchr(text, ')');
    char state;
    long long user, system;
    if (!rest || sscanf(rest, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld", &state, &user, &system) != 3)
        return false;
    long each = sysconf(_SC_CLK_TCK);
    if (each <= 0) return false;
    *wants_processor = state == 'R';
    *ticks = (user + system) * 100 / each;
    return true;
}

int cplatform_usable_processors(void) {
    cpu_set_t processors;
    // It fails where there are more than a set of this size holds.
    return sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 0;
}

#else

int cplatform_usable_processors(void) { return 0; }

int cplatform_thread_id(void) { return 0; }

bool cplatform_thread_usage(int thread, bool *wants_processor, int64_t *ticks) {
    (void)thread, (void)wants_processor, (void)ticks;
    return false;
}

#endif
