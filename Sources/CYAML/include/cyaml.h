// A thin C face on libyaml's parser: one event after the other.
#ifndef CYAML_H
#define CYAML_H

#include <stddef.h>
#include <stdint.h>

/// The parser of one text.
typedef struct cyaml cyaml;

enum {
    CYAML_FAILED = 0,
    CYAML_DOCUMENT,
    CYAML_SCALAR,
    CYAML_ALIAS,
    CYAML_SEQUENCE,
    CYAML_MAPPING,
    /// The end of a sequence or mapping.
    CYAML_END,
    CYAML_DOCUMENT_END,
    CYAML_STREAM_END,
};

typedef struct {
    int kind;
    /// The text of a scalar, not terminated; empty for other kinds.
    const uint8_t *text;
    size_t length;
    /// NULL if there is none. For an alias: the anchor that it means.
    const char *anchor;
    const char *tag;
    /// Whether a scalar is written without quotes, so that it may be a number.
    int plain;
    /// Where the event begins, counted from 1. For a failure: the place of the fault.
    size_t line;
    size_t column;
    /// The fault, always terminated.
    char message[160];
} cyaml_event;

/// Starts to parse a text, which must outlive the parser. NULL if there is no memory.
cyaml *cyaml_open(const uint8_t *text, size_t length);

/// The next event; its pointers are valid until the next call. After a failure or the end of the stream the
/// parser can only be closed.
void cyaml_next(cyaml *parser, cyaml_event *event);

void cyaml_close(cyaml *parser);

#endif
