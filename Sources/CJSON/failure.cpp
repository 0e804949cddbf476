#include "failure.hpp"

#include <cstdio>
#include <cstdlib>

namespace cjson {
namespace {

/// A path, written from its end towards its start, so that the root's side is what gets cut.
class Path {
public:
    explicit Path(const PathNode *node) {
        for (; node && !full; node = node->parent) {
            add(*node);
        }
        // No dot at the beginning.
        if (!full && text[start] == '.') {
            start += 1;
        }
    }

    const char *cString() const { return text + start; }
    bool isCut() const { return full; }

private:
    void add(const PathNode &node) {
        char index[24];
        if (node.index) {
            int count = std::snprintf(index, sizeof index, "[%zu]", node.index);
            prepend(index, static_cast<size_t>(count));
        } else if (isName(node.key)) {
            prepend(node.key.data, node.key.count);
            prepend(".", 1);
        } else {
            prepend("\"]", 2);
            prepend(node.key.data, node.key.count);
            prepend("[\"", 2);
        }
    }

    static bool isName(Span key) {
        for (size_t i = 0; i < key.count; i++) {
            uint8_t c = key.data[i];
            bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
            if (!letter && c != '_' && !(i && c >= '0' && c <= '9')) {
                return false;
            }
        }
        return key.count > 0;
    }

    void prepend(const void *from, size_t count) {
        if (full || count > start) {
            full = true;
            return;
        }
        start -= count;
        std::memcpy(text + start, from, count);
    }

    char text[100] = {};
    size_t start = sizeof text - 1;
    bool full = false;
};

}  // namespace

int fail(cjson_error *error, int code, size_t offset, const char *message) {
    if (error) {
        error->code = code;
        error->offset = offset;
        std::snprintf(error->message, sizeof error->message, "%s", message);
    }
    return code;
}

int fail(cjson_error *error, int code, size_t offset, const PathNode *node, const char *message) {
    if (!node) {
        return fail(error, code, offset, message);
    }
    if (error) {
        Path path(node);
        error->code = code;
        error->offset = offset;
        const char *cut = path.isCut() ? "..." : "";
        std::snprintf(error->message, sizeof error->message, "%s%s: %s", cut, path.cString(), message);
    }
    return code;
}

int failWriting(cjson_error *error, int code, size_t offset) {
    return fail(error, code, offset,
                code == CJSON_NO_MEMORY ? "out of memory" : "the result is larger than the limit");
}

}  // namespace cjson

void cjson_buffer_free(cjson_buffer *buffer) {
    std::free(buffer->data);
    *buffer = {};
}
