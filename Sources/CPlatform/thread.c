#define _GNU_SOURCE
#include "cplatform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[16];
    void (*body)(void *);
    void *argument;
} thread_start;

static void *run(void *data) {
    thread_start start = *(thread_start *)data;
    free(data);
#ifdef __APPLE__
    pthread_setname_np(start.name);
#else
    pthread_setname_np(pthread_self(), start.name);
#endif
    start.body(start.argument);
    return NULL;
}

// Signals that a terminal or a supervisor sends to the process as a whole.
static const int process_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU, SIGWINCH};

int cplatform_start_thread(const char *name, size_t stack_bytes, void (*body)(void *), void *argument) {
    thread_start *start = calloc(1, sizeof *start);
    if (!start) return ENOMEM;
    strncpy(start->name, name, sizeof start->name - 1);
    start->body = body;
    start->argument = argument;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_bytes > 0) pthread_attr_setstacksize(&attributes, stack_bytes);
    // A thread begins with the signals blocked that are blocked where it is made.
    sigset_t blocked, before;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof process_signals / sizeof *process_signals; i++) sigaddset(&blocked, process_signals[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    pthread_t thread;
    int status = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (status != 0) free(start);
    return status;
}

void cplatform_get_thread_name(char *buffer, size_t size) {
    if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = 0;
}
