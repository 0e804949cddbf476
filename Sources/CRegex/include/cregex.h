// A thin C face on PCRE2, with limits on the work that one match may do.
#ifndef CREGEX_H
#define CREGEX_H

#include <stddef.h>
#include <stdint.h>

/// A compiled pattern. It does not change once compiled: any thread may search with it, several at once.
typedef struct cregex cregex;

enum {
    CREGEX_NO_MATCH = 0,
    CREGEX_MATCH = 1,
    CREGEX_TOO_EXPENSIVE = 2,
    CREGEX_FAILED = 3,
};

/// Texts longer than this are not searched.
enum { CREGEX_MAX_TEXT = 8192 };

/// Compiles UTF-8 text. NULL on failure, with PCRE2's error number and the byte offset in the pattern.
cregex *cregex_compile(const char *text, size_t length, int ignore_case, int *error, size_t *offset);

/// Searches text for the pattern, anywhere: one of the results above.
int cregex_search(const cregex *regex, const char *text, size_t length);

/// The bytes that the compiled pattern takes: `(?:abc){999}` takes a thousand times its text.
size_t cregex_bytes(const cregex *regex);

/// PCRE2's English sentence for an error number, always terminated.
void cregex_message(int error, char *buffer, size_t capacity);

void cregex_free(cregex *regex);

#endif
