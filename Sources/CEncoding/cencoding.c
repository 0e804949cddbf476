#include "cencoding.h"

#include <brotli/encode.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

// A content is encoded once and served often, but somebody waits for it: levels that take a few milliseconds
// for 100 kB of JSON.
enum { gzip_level = 6, brotli_quality = 5, zstd_level = 6 };

// RFC 9659: windows of zstd as a content coding have 8 MiB at most.
enum { zstd_window_log = 23 };

static size_t run_gzip(const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count) {
    if (input_count > UINT32_MAX || output_count > UINT32_MAX) {
        return 0;
    }
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    // 16: with gzip's header and trailer (zlib.h, deflateInit2).
    if (deflateInit2(&stream, gzip_level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return 0;
    }
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)input_count;
    stream.next_out = output;
    stream.avail_out = (uInt)output_count;
    int code = deflate(&stream, Z_FINISH);
    size_t count = output_count - stream.avail_out;
    deflateEnd(&stream);
    return code == Z_STREAM_END ? count : 0;
}

static size_t run_brotli(const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count) {
    size_t count = output_count;
    return BrotliEncoderCompress(brotli_quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, input_count, input, &count,
                                 output)
               ? count
               : 0;
}

static size_t run_zstd(const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context) {
        return 0;
    }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, zstd_level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, input_count < 1 << 20 ? 0 : zstd_window_log);
    size_t count = ZSTD_compress2(context, output, output_count, input, input_count);
    ZSTD_freeCCtx(context);
    return ZSTD_isError(count) ? 0 : count;
}

size_t cencoding_run(cencoding_kind kind, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count) {
    switch (kind) {
    case CENCODING_GZIP:
        return run_gzip(input, input_count, output, output_count);
    case CENCODING_BROTLI:
        return run_brotli(input, input_count, output, output_count);
    case CENCODING_ZSTD:
        return run_zstd(input, input_count, output, output_count);
    }
    return 0;
}
