#ifndef CCODING_H
#define CCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Decoders of content codings (RFC 9110 8.4.1), behind one door: zlib, and brotli and zstd if the library
/// was built with CCODING_HAS_BROTLI and CCODING_HAS_ZSTD. One decoder belongs to one thread at a time.
typedef enum { CCODING_GZIP, CCODING_DEFLATE, CCODING_BROTLI, CCODING_ZSTD } ccoding_kind;

typedef struct ccoding ccoding;

/// The codings that can be decoded, as in Accept-Encoding.
const char *ccoding_names(void);

/// NULL when there is no memory, or the library was built without the coding.
ccoding *ccoding_new(ccoding_kind kind);
void ccoding_free(ccoding *decoder);

/// Takes of the input and fills the output as far as either goes, and moves both on. False for input that is
/// not of the coding, bytes behind its end included.
bool ccoding_run(ccoding *decoder, const uint8_t **input, size_t *input_count, uint8_t **output, size_t *output_count);

/// The input may end here: nothing came yet, or a stream or member is at its end.
bool ccoding_is_whole(const ccoding *decoder);

#endif
