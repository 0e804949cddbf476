#include "cencoding.h"

#include <brotli/encode.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

// A miss of a few kilobytes waits for its encoding, and a content that is read once is encoded too: levels
// behind which another percent of size costs more time than all before it (docs/internals/performance.md).
enum { gzip_level = 4, brotli_quality = 3, zstd_level = 3 };

// RFC 9659: windows of zstd as a content coding have 8 MiB at most.
enum { zstd_window_log = 23 };

// The event loops themselves encode smaller inputs only (ContentRendering). Larger inputs come on threads
// that may never encode again, where kept encoders would be wasted.
enum { largest_input_of_kept = 64 << 10 };

// Encoders that a thread keeps for its next small input. The gzip stream alone has 268 kB, which the
// allocator would take from the kernel and give back each time, page by page.
struct encoders {
    z_stream gzip;
    bool has_gzip;
    ZSTD_CCtx *zstd;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void discard_encoders(void *kept) {
    struct encoders *encoders = kept;
    if (encoders->has_gzip) {
        deflateEnd(&encoders->gzip);
    }
    ZSTD_freeCCtx(encoders->zstd);
    free(encoders);
}

static void make_key(void) { has_key = pthread_key_create(&key, discard_encoders) == 0; }

/// NULL for an input that is too large for them, or when there is no memory.
static struct encoders *find_encoders(size_t input_count) {
    if (input_count > largest_input_of_kept) {
        return NULL;
    }
    pthread_once(&once, make_key);
    if (!has_key) {
        return NULL;
    }
    struct encoders *encoders = pthread_getspecific(key);
    if (encoders) {
        return encoders;
    }
    encoders = calloc(1, sizeof *encoders);
    if (encoders && pthread_setspecific(key, encoders) != 0) {
        free(encoders);
        return NULL;
    }
    return encoders;
}

static bool begin_gzip(z_stream *stream) {
    // 16: with gzip's header and trailer (zlib manual, deflateInit2).
    return deflateInit2(stream, gzip_level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

/// A stream at its beginning: the thread's own, or the fresh one, which is all zeros.
static z_stream *open_gzip(struct encoders *encoders, z_stream *fresh) {
    if (!encoders) {
        return begin_gzip(fresh) ? fresh : NULL;
    }
    z_stream *kept = &encoders->gzip;
    if (encoders->has_gzip) {
        return deflateReset(kept) == Z_OK ? kept : NULL;
    }
    encoders->has_gzip = begin_gzip(kept);
    return encoders->has_gzip ? kept : NULL;
}

static size_t run_gzip(const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count) {
    if (input_count > UINT32_MAX || output_count > UINT32_MAX) {
        return 0;
    }
    z_stream fresh;
    memset(&fresh, 0, sizeof fresh);
    z_stream *stream = open_gzip(find_encoders(input_count), &fresh);
    if (!stream) {
        return 0;
    }
    stream->next_in = (Bytef *)input;
    stream->avail_in = (uInt)input_count;
    stream->next_out = output;
    stream->avail_out = (uInt)output_count;
    int code = deflate(stream, Z_FINISH);
    size_t count = output_count - stream->avail_out;
    if (stream == &fresh) {
        deflateEnd(stream);
    }
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
    struct encoders *encoders = find_encoders(input_count);
    ZSTD_CCtx *context = encoders ? encoders->zstd : NULL;
    if (!context) {
        context = ZSTD_createCCtx();
        if (!context) {
            return 0;
        }
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, zstd_level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, input_count < 1 << 20 ? 0 : zstd_window_log);
    }
    // Begins a new frame, however the one before ended (zstd manual, ZSTD_compress2).
    size_t count = ZSTD_compress2(context, output, output_count, input, input_count);
    if (encoders) {
        encoders->zstd = context;
    } else {
        ZSTD_freeCCtx(context);
    }
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
