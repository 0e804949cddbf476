#define _GNU_SOURCE  // clock_gettime

#include "cregex.h"

#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// The pointer is PCRE2's own; the name only hides its type.
static pcre2_code *code_of(const cregex *regex) { return (pcre2_code *)(void *)regex; }

cregex *cregex_compile(const char *text, size_t length, int ignore_case, int *error, size_t *offset) {
    // PCRE2 10.42 takes no null pointer, not even for the empty pattern.
    if (text == NULL) text = "";
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    if (ignore_case) options |= PCRE2_CASELESS;
    // Not compiled further by JIT: it does not count the steps of simple repeats, so a*a*a*[bc] would escape
    // every limit.
    return (cregex *)(void *)pcre2_compile((PCRE2_SPTR)text, length, options, error, offset, NULL);
}

// One search: its text and its working memory.
typedef struct {
    const pcre2_code *code;
    PCRE2_SPTR text;
    size_t length;
    pcre2_match_data *data;
    pcre2_match_context *context;
} search;

// One step scans at most the text, so steps bound the work at one start position, and time that of all.
enum { FEW_STEPS = 500, MANY_STEPS = 4 << 20, NANOSECONDS = 100000000 };

// Looks for matches that start in [first, last]. PCRE2 counts steps from zero again at each start position.
static int match_from(const search *search, size_t first, size_t last, uint32_t steps) {
    pcre2_set_match_limit(search->context, steps);
    pcre2_set_depth_limit(search->context, steps);
    pcre2_set_offset_limit(search->context, last);
    return pcre2_match(search->code, search->text, search->length, first, 0, search->data, search->context);
}

static int is_limit(int result) {
    return result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT
        || result == PCRE2_ERROR_HEAPLIMIT;
}

// Of this thread: a busy machine makes no pattern expensive.
static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Most starts take few steps and are tried together; those that need more are tried one by one, with a look
// at the clock. An innocent `a.*b` needs as many steps as the text is long.
static int match_all(const search *search) {
    size_t share = MANY_STEPS / (search->length + 1);
    size_t least = 2 * search->length + 1000;
    uint32_t many = (uint32_t)(share > least ? share : least);
    size_t together = search->length > 1024 ? 16 : 64;
    int64_t deadline = 0;
    for (size_t first = 0; first <= search->length; first += together) {
        if (first > 0) {
            int64_t time = now();
            if (deadline == 0) deadline = time + NANOSECONDS;
            if (time > deadline) return PCRE2_ERROR_MATCHLIMIT;
        }
        size_t last = first + together - 1;
        if (last > search->length) last = search->length;
        int result = match_from(search, first, last, FEW_STEPS);
        if (result == PCRE2_ERROR_NOMATCH) continue;
        if (!is_limit(result)) return result;
        for (size_t start = first; start <= last; start++) {
            if (deadline == 0) deadline = now() + NANOSECONDS;
            result = match_from(search, start, start, many);
            if (result != PCRE2_ERROR_NOMATCH) return result;
            if (now() > deadline) return PCRE2_ERROR_MATCHLIMIT;
        }
    }
    return PCRE2_ERROR_NOMATCH;
}

int cregex_search(const cregex *regex, const char *text, size_t length) {
    if (length > CREGEX_MAX_TEXT) return CREGEX_TOO_EXPENSIVE;
    search search = {
        .code = code_of(regex),
        .text = (PCRE2_SPTR)(text != NULL ? text : ""),
        .length = length,
        .data = pcre2_match_data_create(1, NULL),
        .context = pcre2_match_context_create(NULL),
    };
    int result = PCRE2_ERROR_NOMEMORY;
    if (search.data != NULL && search.context != NULL) {
        pcre2_set_heap_limit(search.context, 4096);  // KiB
        result = match_all(&search);
    }
    pcre2_match_context_free(search.context);
    pcre2_match_data_free(search.data);
    if (result >= 0) return CREGEX_MATCH;
    if (result == PCRE2_ERROR_NOMATCH) return CREGEX_NO_MATCH;
    return is_limit(result) || result == PCRE2_ERROR_NOMEMORY ? CREGEX_TOO_EXPENSIVE : CREGEX_FAILED;
}

size_t cregex_bytes(const cregex *regex) {
    size_t bytes = 0;
    (void)pcre2_pattern_info(code_of(regex), PCRE2_INFO_SIZE, &bytes);
    return bytes;
}

void cregex_message(int error, char *buffer, size_t capacity) {
    if (capacity == 0) return;
    buffer[0] = 0;
    (void)pcre2_get_error_message(error, (PCRE2_UCHAR *)buffer, capacity);
}

void cregex_free(cregex *regex) { pcre2_code_free(code_of(regex)); }
