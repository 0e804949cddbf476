#ifndef BUFFER_HPP
#define BUFFER_HPP

#include <cstdlib>
#include <cstring>

#include "include/cjson.h"
#include "tree.hpp"

namespace cjson {

/// Appends to a caller's buffer. Trivially destructible. Running out of memory or room is remembered, and
/// what is appended from then on is dropped.
class Writer {
public:
    /// A writer that can't tell the needed size beforehand may reserve so much more than the limit.
    static constexpr size_t slack = 6 * 4096;

    Writer(cjson_buffer &buffer, size_t limit) : buffer(buffer), limit(limit), end(room()) {}

    size_t count() const { return used; }
    int failure() const { return code; }

    void rewind(size_t count) {
        used = count;
        end = code ? used : end;
    }

    /// Room for `count` bytes at the end, or null. A failed writer has no room even for none.
    uint8_t *reserve(size_t count) {
        if (__builtin_expect(end - used >= count && buffer.data, 1)) {
            return buffer.data + used;
        }
        return grow(count);
    }
    void advance(size_t count) { used += count; }

    void byte(uint8_t value) {
        if (uint8_t *to = reserve(1)) {
            *to = value;
            used += 1;
        }
    }
    void bytes(const void *from, size_t count) {
        uint8_t *to = count ? reserve(count) : nullptr;
        if (to) {
            std::memcpy(to, from, count);
            used += count;
        }
    }
    template <class Number>
    void number(Number value) {
        if (uint8_t *to = reserve(sizeof value)) {
            std::memcpy(to, &value, sizeof value);
            used += sizeof value;
        }
    }

    /// The bytes written from an offset on, or null after a failure.
    uint8_t *at(size_t offset) { return code ? nullptr : buffer.data + offset; }

    template <class Number>
    void patch(size_t offset, Number value) {
        if (uint8_t *to = at(offset)) {
            std::memcpy(to, &value, sizeof value);
        }
    }

    /// Hands the bytes over, or none after a failure.
    int finish() {
        code = code ? code : used > limit ? CJSON_TOO_LARGE : CJSON_OK;
        buffer.count = code ? 0 : used;
        return code;
    }

private:
    size_t room() const { return buffer.capacity < limit + slack ? buffer.capacity : limit + slack; }

    uint8_t *grow(size_t count) {
        size_t needed = used + count;
        if (!code && needed <= limit + slack) {
            size_t capacity = buffer.capacity + buffer.capacity / 2;
            capacity = capacity < 256 ? 256 : capacity;
            capacity = capacity < needed ? needed : capacity;
            auto *data = static_cast<uint8_t *>(std::realloc(buffer.data, capacity));
            if (data) {
                buffer.data = data;
                buffer.capacity = capacity;
                end = room();
                return data + used;
            }
        }
        code = code ? code : needed > limit + slack ? CJSON_TOO_LARGE : CJSON_NO_MEMORY;
        end = used;
        return nullptr;
    }

    cjson_buffer &buffer;
    size_t limit;
    size_t end;
    size_t used = 0;
    int code = CJSON_OK;
};

inline const volatile bool neverStops = false;

struct Limits {
    uint32_t depth = defaultDepth;
    size_t bytes = defaultBytes;
    const volatile bool *stop = &neverStops;

    explicit Limits(const cjson_limits *given) {
        if (given && given->depth) {
            depth = given->depth < maximumDepth ? given->depth : maximumDepth;
        }
        if (given && given->bytes) {
            bytes = given->bytes < maximumBytes ? given->bytes : maximumBytes;
        }
        if (given && given->stop) {
            stop = given->stop;
        }
    }
};

}  // namespace cjson
#endif
