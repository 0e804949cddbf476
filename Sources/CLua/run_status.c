// The part of a state's runs that other threads may see: whether one is going on, and which.
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>

struct clua_run_status {
    /// Odd while a script runs.
    _Atomic uint64_t sequence;
    _Atomic(const char *) phase;
    _Atomic int64_t limit_milliseconds;
};

clua_run_status *clua_run_status_new(void) { return calloc(1, sizeof(clua_run_status)); }

void clua_run_status_free(clua_run_status *status) { free(status); }

void clua_set_run_status(clua_state *state, clua_run_status *status) { state->run_status = status; }

uint64_t clua_run_status_read(const clua_run_status *status, const char **phase, int64_t *limit_milliseconds) {
    uint64_t sequence = atomic_load_explicit(&status->sequence, memory_order_acquire);
    *phase = atomic_load_explicit(&status->phase, memory_order_relaxed);
    *limit_milliseconds = atomic_load_explicit(&status->limit_milliseconds, memory_order_relaxed);
    return sequence;
}

// One thread writes, so an increment needs no more than a store.
static void step(clua_run_status *status) {
    uint64_t sequence = atomic_load_explicit(&status->sequence, memory_order_relaxed);
    atomic_store_explicit(&status->sequence, sequence + 1, memory_order_release);
}

void clua_run_status_begin(clua_run_status *status, const clua_budget *budget) {
    atomic_store_explicit(&status->phase, budget->phase, memory_order_relaxed);
    atomic_store_explicit(&status->limit_milliseconds, budget->milliseconds, memory_order_relaxed);
    step(status);
}

void clua_run_status_end(clua_run_status *status) { step(status); }
