#define _GNU_SOURCE
#include "cplatform.h"

#include <pthread.h>
#include <string.h>

void cplatform_set_thread_name(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
#ifdef __APPLE__
    pthread_setname_np(cut);
#else
    pthread_setname_np(pthread_self(), cut);
#endif
}

void cplatform_get_thread_name(char *buffer, size_t size) {
    if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = 0;
}
