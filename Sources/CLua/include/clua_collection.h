// Collections that the host asks for: collection.c.
#ifndef CLUA_COLLECTION_H
#define CLUA_COLLECTION_H

#include <stdbool.h>

typedef struct clua_state clua_state;

/// A full collection, of several cycles when owners and what they hold take them (see owner.c).
void clua_collect(clua_state *state);
/// A small part of the same, outside of runs; true when all is collected that was garbage at the first step.
bool clua_collect_step(clua_state *state);
/// Takes the present size as the expected one. Growth by a quarter and a little calls `callbacks.grew`, once.
void clua_expect_growth(clua_state *state);
bool clua_has_grown(const clua_state *state);

#endif
