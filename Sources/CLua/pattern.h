// Lua's patterns under a budget. Not for Swift.
#ifndef CLUA_PATTERN_H
#define CLUA_PATTERN_H

#include "internal.h"

enum { CLUA_MAX_CAPTURES = 32 };

/// One search: the text, and what has been captured of it.
typedef struct {
    lua_State *L;
    const char *begin, *end;
    const char *pattern_end;
    /// Steps until the next look at the budget.
    size_t timeout;
    int count;
    struct {
        const char *start;
        ptrdiff_t length;
    } captures[CLUA_MAX_CAPTURES];
} clua_pattern;

/// `end` is the pattern's end. Text and pattern are those of Lua strings that stay alive: a zero byte follows
/// each.
void clua_pattern_begin(clua_pattern *m, lua_State *L, const char *text, size_t length, const char *end);
/// Where the match of `p` ends that begins at `s`; NULL when there is none. Raises for a malformed pattern.
const char *clua_pattern_match(clua_pattern *m, const char *s, const char *p);
/// Pushes a capture of the match from `s` to `end`; without captures the whole is the first.
void clua_pattern_push_capture(const clua_pattern *m, int number, const char *s, const char *end);
/// Pushes all captures and answers how many; with `s` the whole match if there are none.
int clua_pattern_push_captures(const clua_pattern *m, const char *s, const char *end);

#endif
