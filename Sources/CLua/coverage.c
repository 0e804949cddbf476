// Counts how often the lines of some chunks are reached. The line hook of a thread gives way to the budget's
// while that one is armed; clua_enter puts it back.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *source;
    size_t length;
    uint32_t *hits;
    int lines;
} covered_chunk;

struct clua_coverage {
    covered_chunk *chunks;
    int count, capacity;
    /// The chunk that was found last: the next line is most often one of its.
    int last;
};

bool clua_cover_lines(clua_state *state) {
    if (!state->coverage) state->coverage = calloc(1, sizeof *state->coverage);
    if (!state->coverage) return false;
    clua_watch(state->main);
    return true;
}

void clua_coverage_close(clua_coverage *coverage) {
    if (!coverage) return;
    for (int i = 0; i < coverage->count; i++) {
        free(coverage->chunks[i].source);
        free(coverage->chunks[i].hits);
    }
    free(coverage->chunks);
    free(coverage);
}

static bool is(const covered_chunk *chunk, const char *source, size_t length) {
    return chunk->length == length && memcmp(chunk->source, source, length) == 0;
}

static covered_chunk *find(clua_coverage *coverage, const char *source, size_t length) {
    if (coverage->last < coverage->count && is(&coverage->chunks[coverage->last], source, length))
        return &coverage->chunks[coverage->last];
    for (int i = 0; i < coverage->count; i++) {
        if (!is(&coverage->chunks[i], source, length)) continue;
        coverage->last = i;
        return &coverage->chunks[i];
    }
    return NULL;
}

static covered_chunk *add(clua_coverage *coverage, const char *source, size_t length) {
    if (coverage->count == coverage->capacity) {
        int capacity = coverage->capacity ? coverage->capacity * 2 : 16;
        covered_chunk *chunks = realloc(coverage->chunks, (size_t)capacity * sizeof *chunks);
        if (!chunks) return NULL;
        coverage->chunks = chunks;
        coverage->capacity = capacity;
    }
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, source, length);
    copy[length] = 0;
    covered_chunk *chunk = &coverage->chunks[coverage->count++];
    *chunk = (covered_chunk){.source = copy, .length = length};
    return chunk;
}

bool clua_cover_chunk(clua_state *state, const char *source, size_t length, int lines) {
    clua_coverage *coverage = state->coverage;
    if (!coverage || lines < 0) return false;
    covered_chunk *chunk = find(coverage, source, length);
    if (!chunk) chunk = add(coverage, source, length);
    if (!chunk) return false;
    if (lines <= chunk->lines) return true;
    uint32_t *hits = realloc(chunk->hits, ((size_t)lines + 1) * sizeof *hits);
    if (!hits) return false;
    size_t known = chunk->hits ? (size_t)chunk->lines + 1 : 0;
    memset(hits + known, 0, ((size_t)lines + 1 - known) * sizeof *hits);
    chunk->hits = hits;
    chunk->lines = lines;
    return true;
}

uint32_t clua_hits(const clua_state *state, const char *source, size_t length, int line) {
    if (!state->coverage || line < 0) return 0;
    const covered_chunk *chunk = find(state->coverage, source, length);
    return chunk && line <= chunk->lines ? chunk->hits[line] : 0;
}

void clua_count_line(lua_State *L, lua_Debug *ar) {
    clua_coverage *coverage = state_of(L)->coverage;
    if (!coverage) return;
    lua_getinfo(L, "S", ar);
    covered_chunk *chunk = find(coverage, ar->source, ar->srclen);
    if (!chunk || ar->currentline < 0 || ar->currentline > chunk->lines) return;
    uint32_t *hits = &chunk->hits[ar->currentline];
    if (*hits < UINT32_MAX) ++*hits;
}

typedef struct {
    unsigned char *bytes;
    size_t count, capacity;
} dump_buffer;

static int append(lua_State *L, const void *piece, size_t size, void *data) {
    (void)L;
    dump_buffer *buffer = data;
    if (buffer->count + size > buffer->capacity) {
        size_t capacity = (buffer->count + size) * 2;
        unsigned char *bytes = realloc(buffer->bytes, capacity);
        if (!bytes) return 1;
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, piece, size);
    buffer->count += size;
    return 0;
}

unsigned char *clua_dump(lua_State *L, size_t *count) {
    dump_buffer buffer = {0};
    *count = 0;
    if (lua_dump(L, append, &buffer, 0) != 0) {
        free(buffer.bytes);
        return NULL;
    }
    *count = buffer.count;
    return buffer.bytes;
}
