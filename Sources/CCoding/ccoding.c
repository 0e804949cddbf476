#include "ccoding.h"

#include <stdlib.h>
#include <zlib.h>

#if CCODING_HAS_BROTLI
#include <brotli/decode.h>
#endif
#if CCODING_HAS_ZSTD
#include <zstd.h>
#endif

struct ccoding {
    ccoding_kind kind;
    bool has_begun;
    bool is_whole;
    // Deflate: it is known whether the stream has zlib's header.
    bool has_stream;
    z_stream zlib;
#if CCODING_HAS_BROTLI
    BrotliDecoderState *brotli;
#endif
#if CCODING_HAS_ZSTD
    ZSTD_DStream *zstd;
#endif
};

#if CCODING_HAS_ZSTD
// RFC 9659: windows of the coding have 8 MiB at most.
enum { zstd_window_log = 23 };
#endif

const char *ccoding_names(void) {
    return "deflate, gzip"
#if CCODING_HAS_BROTLI
           ", br"
#endif
#if CCODING_HAS_ZSTD
           ", zstd"
#endif
        ;
}

static bool begin(ccoding *decoder) {
    switch (decoder->kind) {
    case CCODING_GZIP:
        // 16: gzip's header and trailer, checked (zlib.h, inflateInit2).
        return decoder->has_stream = inflateInit2(&decoder->zlib, MAX_WBITS + 16) == Z_OK;
    case CCODING_DEFLATE:
        return true;
    case CCODING_BROTLI:
#if CCODING_HAS_BROTLI
        return (decoder->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL)) != NULL;
#else
        return false;
#endif
    case CCODING_ZSTD:
#if CCODING_HAS_ZSTD
        decoder->zstd = ZSTD_createDStream();
        return decoder->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, zstd_window_log));
#else
        return false;
#endif
    }
    return false;
}

ccoding *ccoding_new(ccoding_kind kind) {
    ccoding *decoder = calloc(1, sizeof *decoder);
    if (!decoder) {
        return NULL;
    }
    decoder->kind = kind;
    decoder->is_whole = true;
    if (begin(decoder)) {
        return decoder;
    }
    ccoding_free(decoder);
    return NULL;
}

void ccoding_free(ccoding *decoder) {
    if (decoder->has_stream) {
        inflateEnd(&decoder->zlib);
    }
#if CCODING_HAS_BROTLI
    if (decoder->brotli) {
        BrotliDecoderDestroyInstance(decoder->brotli);
    }
#endif
#if CCODING_HAS_ZSTD
    ZSTD_freeDStream(decoder->zstd);
#endif
    free(decoder);
}

// Behind a gzip member comes another (RFC 1952 2.2), or zeros, with which some fill up.
static bool begin_member(ccoding *decoder, const uint8_t **input, size_t *input_count) {
    while (*input_count && **input == 0) {
        ++*input;
        --*input_count;
    }
    if (!*input_count) {
        return true;
    }
    decoder->is_whole = false;
    return inflateReset(&decoder->zlib) == Z_OK;
}

static bool run_zlib(ccoding *decoder, const uint8_t **input, size_t *input_count, uint8_t **output,
                     size_t *output_count) {
    if (!decoder->has_stream) {
        // RFC 9110 8.4.1.2: with zlib's header, which some leave out. Its low four bits are 8.
        int bits = (**input & 0x0F) == 8 ? MAX_WBITS : -MAX_WBITS;
        decoder->has_stream = inflateInit2(&decoder->zlib, bits) == Z_OK;
        if (!decoder->has_stream) {
            return false;
        }
    }
    if (decoder->is_whole && decoder->has_begun) {
        if (decoder->kind != CCODING_GZIP) {
            return false;
        }
        if (!begin_member(decoder, input, input_count)) {
            return false;
        }
        if (decoder->is_whole) {
            return true;
        }
    }
    decoder->has_begun = true;
    decoder->is_whole = false;
    uInt in = *input_count > UINT32_MAX ? UINT32_MAX : (uInt)*input_count;
    uInt out = *output_count > UINT32_MAX ? UINT32_MAX : (uInt)*output_count;
    decoder->zlib.next_in = (Bytef *)*input;
    decoder->zlib.avail_in = in;
    decoder->zlib.next_out = *output;
    decoder->zlib.avail_out = out;
    int code = inflate(&decoder->zlib, Z_NO_FLUSH);
    *input += in - decoder->zlib.avail_in;
    *input_count -= in - decoder->zlib.avail_in;
    *output += out - decoder->zlib.avail_out;
    *output_count -= out - decoder->zlib.avail_out;
    decoder->is_whole = code == Z_STREAM_END;
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
}

#if CCODING_HAS_BROTLI
static bool run_brotli(ccoding *decoder, const uint8_t **input, size_t *input_count, uint8_t **output,
                       size_t *output_count) {
    if (BrotliDecoderIsFinished(decoder->brotli)) {
        return *input_count == 0;
    }
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder->brotli, input_count, input, output_count, output, NULL);
    decoder->is_whole = result == BROTLI_DECODER_RESULT_SUCCESS;
    return result != BROTLI_DECODER_RESULT_ERROR;
}
#endif

#if CCODING_HAS_ZSTD
static bool run_zstd(ccoding *decoder, const uint8_t **input, size_t *input_count, uint8_t **output,
                     size_t *output_count) {
    // At the end of a frame it would begin to wait for the next one.
    if (decoder->is_whole && *input_count == 0) {
        return true;
    }
    ZSTD_inBuffer in = {*input, *input_count, 0};
    ZSTD_outBuffer out = {*output, *output_count, 0};
    // Frames may follow each other (RFC 8878 3.1); it begins the next one by itself.
    size_t code = ZSTD_decompressStream(decoder->zstd, &out, &in);
    *input += in.pos;
    *input_count -= in.pos;
    *output += out.pos;
    *output_count -= out.pos;
    if (ZSTD_isError(code)) {
        return false;
    }
    decoder->is_whole = code == 0;
    return true;
}
#endif

bool ccoding_run(ccoding *decoder, const uint8_t **input, size_t *input_count, uint8_t **output,
                 size_t *output_count) {
    switch (decoder->kind) {
    case CCODING_GZIP:
    case CCODING_DEFLATE:
        return run_zlib(decoder, input, input_count, output, output_count);
    case CCODING_BROTLI:
#if CCODING_HAS_BROTLI
        return run_brotli(decoder, input, input_count, output, output_count);
#else
        return false;
#endif
    case CCODING_ZSTD:
#if CCODING_HAS_ZSTD
        return run_zstd(decoder, input, input_count, output, output_count);
#else
        return false;
#endif
    }
    return false;
}

bool ccoding_is_whole(const ccoding *decoder) { return decoder->is_whole; }
