#ifndef CENCODING_H
#define CENCODING_H

#include <stddef.h>
#include <stdint.h>

/// Encoders of content codings (RFC 9110 8.4.1), apart from the decoders: only servers of content need them.
/// Any thread.
typedef enum { CENCODING_GZIP, CENCODING_BROTLI, CENCODING_ZSTD } cencoding_kind;

/// Encodes the whole input into the output; the bytes it took, or 0 when there was no room or no memory.
size_t cencoding_run(cencoding_kind kind, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count);

#endif
