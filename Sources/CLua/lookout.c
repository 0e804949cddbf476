// What another thread may see of a state's runs: whether one is going on, and which.
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>

struct clua_lookout {
    /// Odd while a script runs.
    _Atomic uint64_t sequence;
    _Atomic(const char *) phase;
    _Atomic int64_t limit_milliseconds;
};

clua_lookout *clua_lookout_new(void) { return calloc(1, sizeof(clua_lookout)); }

void clua_lookout_free(clua_lookout *lookout) { free(lookout); }

void clua_set_lookout(clua_state *state, clua_lookout *lookout) { state->lookout = lookout; }

uint64_t clua_lookout_read(const clua_lookout *lookout, const char **phase, int64_t *limit_milliseconds) {
    uint64_t sequence = atomic_load_explicit(&lookout->sequence, memory_order_acquire);
    *phase = atomic_load_explicit(&lookout->phase, memory_order_relaxed);
    *limit_milliseconds = atomic_load_explicit(&lookout->limit_milliseconds, memory_order_relaxed);
    return sequence;
}

// One thread writes, so an increment needs no more than a store.
static void step(clua_lookout *lookout) {
    uint64_t sequence = atomic_load_explicit(&lookout->sequence, memory_order_relaxed);
    atomic_store_explicit(&lookout->sequence, sequence + 1, memory_order_release);
}

void clua_lookout_begin(clua_lookout *lookout, const clua_budget *budget) {
    atomic_store_explicit(&lookout->phase, budget->phase, memory_order_relaxed);
    atomic_store_explicit(&lookout->limit_milliseconds, budget->milliseconds, memory_order_relaxed);
    step(lookout);
}

void clua_lookout_end(clua_lookout *lookout) { step(lookout); }
