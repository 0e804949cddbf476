// A thin C face on expat, without document types and entities of documents.
#ifndef CXML_H
#define CXML_H

#include <stddef.h>
#include <stdint.h>

/// Between a name's namespace and its local part. No namespace contains it.
enum { CXML_SEPARATOR = '\n' };

/// Calls with the parts of a document. One that returns 0 ends the parsing.
typedef struct {
    void *context;
    /// Names and values of attributes alternate; a null pointer ends them.
    int (*start)(void *context, const char *name, const char **attributes);
    int (*end)(void *context);
    /// A piece of text; several may follow each other.
    int (*text)(void *context, const uint8_t *text, size_t length);
} cxml_handlers;

enum {
    CXML_OK = 0,
    CXML_MALFORMED,
    /// A handler ended it.
    CXML_STOPPED,
    CXML_NO_MEMORY,
    /// The encoding is none of UTF-8, UTF-16, ISO-8859-1 and US-ASCII.
    CXML_UNKNOWN_ENCODING,
};

typedef struct {
    /// Counted from 1.
    size_t line;
    size_t column;
    /// Always terminated.
    char message[160];
} cxml_error;

/// Parses a whole document.
///
/// - Parameter encoding: Overrides the document's own; NULL: it doesn't.
int cxml_parse(
    const uint8_t *bytes, size_t length, const char *encoding, const cxml_handlers *handlers,
    cxml_error *error);

#endif
