#include "cregex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// The pointer is PCRE2's own; the name only hides its type.
static pcre2_code *code_of(const cregex *regex) { return (pcre2_code *)(void *)regex; }

cregex *cregex_compile(const char *text, size_t length, int ignore_case, int *error, size_t *offset) {
    // PCRE2 10.42 takes no null pointer, not even for the empty pattern.
    if (text == NULL) text = "";
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (ignore_case) options |= PCRE2_CASELESS;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, length, options, error, offset, NULL);
    // Without JIT (no executable memory, an unusual processor) the interpreter searches: slower, same results.
    if (code != NULL) (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    return (cregex *)(void *)code;
}

// PCRE2 counts from zero again at each start position, so the limit for one is the budget for all, shared;
// but never less than an innocent `a.*b` needs.
static uint32_t steps_per_start(size_t length) {
    const size_t budget = 4u << 20;
    size_t shared = budget / (length + 1);
    size_t least = 2 * length + 1000;
    return (uint32_t)(shared > least ? shared : least);
}

int cregex_search(const cregex *regex, const char *text, size_t length) {
    if (text == NULL) text = "";
    if (length > CREGEX_MAX_TEXT) return CREGEX_TOO_EXPENSIVE;
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    int result = PCRE2_ERROR_NOMEMORY;
    if (data != NULL && context != NULL) {
        uint32_t steps = steps_per_start(length);
        pcre2_set_match_limit(context, steps);
        pcre2_set_depth_limit(context, steps);
        pcre2_set_heap_limit(context, 4096);  // KiB
        result = pcre2_match(code_of(regex), (PCRE2_SPTR)text, length, 0, 0, data, context);
        // JIT has a small stack of its own; the interpreter uses the heap, up to the limit above.
        if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
            result = pcre2_match(code_of(regex), (PCRE2_SPTR)text, length, 0, PCRE2_NO_JIT, data, context);
        }
    }
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    if (result >= 0) return CREGEX_MATCH;
    switch (result) {
        case PCRE2_ERROR_NOMATCH:
            return CREGEX_NO_MATCH;
        case PCRE2_ERROR_MATCHLIMIT:
        case PCRE2_ERROR_DEPTHLIMIT:
        case PCRE2_ERROR_HEAPLIMIT:
        case PCRE2_ERROR_NOMEMORY:
            return CREGEX_TOO_EXPENSIVE;
        default:
            return CREGEX_FAILED;
    }
}

void cregex_message(int error, char *buffer, size_t capacity) {
    if (capacity == 0) return;
    buffer[0] = 0;
    (void)pcre2_get_error_message(error, (PCRE2_UCHAR *)buffer, capacity);
}

void cregex_free(cregex *regex) { pcre2_code_free(code_of(regex)); }
