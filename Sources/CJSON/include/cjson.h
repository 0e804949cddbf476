// A thin C face on simdjson, and the flat encoded tree in which content crosses threads and Lua states.
//
// A tree is one contiguous byte buffer; Sources/CJSON/tree.hpp documents its format. Text and trees know no
// Lua state: that part is in Sources/CLuaJSON.
#ifndef CJSON_H
#define CJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes from malloc. Starts as all zeros; a function that fills one replaces what it held and reuses the
// memory. After a failure its count is 0.
typedef struct cjson_buffer {
    uint8_t *data;
    size_t count;
    size_t capacity;
} cjson_buffer;

void cjson_buffer_free(cjson_buffer *buffer);

enum {
    CJSON_OK = 0,
    CJSON_MALFORMED = 1,     // the text is no JSON
    CJSON_INVALID_UTF8 = 2,  // in the text, or in a string that shall become text
    CJSON_TOO_DEEP = 3,      // more containers inside each other than the limit
    CJSON_TOO_LARGE = 4,     // the result would pass the limit of bytes
    CJSON_NUMBER_RANGE = 5,  // a number beyond what a double holds; NaN and infinities when encoding
    CJSON_UNENCODABLE = 6,   // a function, coroutine or userdata; a table that is neither list nor object
    CJSON_CYCLE = 7,         // a table that contains itself
    CJSON_NO_MEMORY = 8,
    CJSON_INVALID_TREE = 9,  // bytes that are no tree
    CJSON_STOPPED = 10,      // the flag `stop` was set
};

// `offset` counts bytes from the start of the text (decoding), or inside the offending string (encoding).
// `message` is a sentence; when encoding it begins with the path of the offending value, as in
// `users[3].name: `.
typedef struct cjson_error {
    int code;
    size_t offset;
    char message[192];
} cjson_error;

// Zero in a field, or NULL for the whole, means the default. `depth`: containers inside each other (`[]` is
// 1), default 512, at most 1000. `bytes`: the size of a result, default 256 MiB, at most 4 GiB - 1. `stop`: a
// reading of a Lua value gives up soon after a signal handler has set it.
typedef struct cjson_limits {
    uint32_t depth;
    size_t bytes;
    const volatile bool *stop;
} cjson_limits;

// Bytes that must be readable behind the text for it to be parsed in place.
#define CJSON_PADDING 64

// The kind of the outermost value.
typedef enum cjson_kind {
    CJSON_KIND_NULL,
    CJSON_KIND_BOOLEAN,
    CJSON_KIND_INTEGER,
    CJSON_KIND_DOUBLE,  // an integer beyond 64 bits too
    CJSON_KIND_STRING,
    CJSON_KIND_ARRAY,
    CJSON_KIND_OBJECT,
    CJSON_KIND_TABLE,  // a Lua table that is neither array nor object
    CJSON_KIND_CLASS,  // a value with a class
} cjson_kind;

// JSON text to tree. `capacity` is how many bytes are readable from `json` on: with CJSON_PADDING more than
// `count` the text isn't copied. Scalars parse too: see cjson_tree_kind. Integers that fit 64 bits stay
// integers, larger ones doubles that keep their digits. A leading byte order mark is skipped. Keys keep their
// order; of repeated keys the last stays. Working memory is about twice the limit of bytes at most, beside
// the result.
int cjson_tree_from_json(const uint8_t *json, size_t count, size_t capacity, const cjson_limits *limits,
                         cjson_buffer *out, cjson_error *error);

// Reads a text of which a tree or a Lua value may be wanted later, and answers a number by which this thread
// knows what it found until it reads another text; 0 when only cjson_tree_from_json tells whether the text is
// JSON within the limits. A text that isn't copied must stay where it is while the number is used.
uint64_t cjson_read_ahead(const uint8_t *json, size_t count, size_t capacity, const cjson_limits *limits,
                          cjson_kind *kind);

// The tree of what was read ahead, of a text of `count` bytes. False when this thread knows it no more, or
// there is no memory.
bool cjson_tree_from_reading(uint64_t reading, size_t count, cjson_buffer *out);

// Tree to compact JSON text. A double of integral value is written with `.0`, so that its kind survives.
int cjson_json_from_tree(const uint8_t *tree, size_t count, cjson_buffer *out, cjson_error *error);

// Of a tree that a function of this header made.
cjson_kind cjson_tree_kind(const uint8_t *tree, size_t count);

// Whether bytes of unknown origin are exactly one tree. All other functions trust the tree they are given.
bool cjson_tree_is_valid(const uint8_t *tree, size_t count, const cjson_limits *limits);

// Whether no value in the tree has a class. False as well for one that is nested deeper than any limit
// allows.
bool cjson_tree_is_classless(const uint8_t *tree, size_t count);

#ifdef __cplusplus
}
#endif
#endif
