// Tree to Lua value, in parts. Everything here may be left by a jump at any lua_ call: nothing has a
// destructor.
#include <cstdlib>

#include "tree_pusher.hpp"

namespace cjson {
namespace {

/// A container that is being filled. Its table lies on the stack, and above it, in an object, the key of the
/// container inside of it that is being filled.
struct Frame {
    int table;
    uint32_t left, next;
    bool isArray;
};

}  // namespace
}  // namespace cjson

struct cjson_parts {
    /// On whose stack the value grows, so that nothing else is in the way.
    lua_State *stack;
    size_t done;
    size_t depth, room;
    cjson::Frame *frames;
};

namespace cjson {
namespace {

/// Pushes a value in parts. Large arrays and objects are filled item by item, and in between there may be an
/// end; what is in them and smaller is pushed in one go.
class PartPusher : TreePusher<true> {
public:
    PartPusher(cjson_parts &parts, Span tree, const cjson_making &making)
        : TreePusher<true>(parts.stack, tree, making), parts(parts), start(tree.data) {
        at = start + parts.done;
    }

    int fill(size_t bytes) {
        const uint8_t *stop = at + bytes;
        if (!parts.depth) {
            close();
            if (!begin()) {
                return CJSON_PARTS_NO_MEMORY;
            }
        }
        for (;;) {
            Frame &frame = parts.frames[parts.depth - 1];
            if (!frame.left) {
                if (end()) {
                    return CJSON_PARTS_WHOLE;
                }
            } else if (at >= stop) {
                close();
                parts.done = static_cast<size_t>(at - start);
                return CJSON_PARTS_MORE;
            } else if (!item(frame)) {
                return CJSON_PARTS_NO_MEMORY;
            }
        }
    }

private:
    static constexpr uint32_t largeNode = 16 << 10;

    static bool isLarge(const uint8_t *node) {
        auto tag = static_cast<Tag>(*node);
        return (tag == Tag::array || tag == Tag::object) && load<uint32_t>(node + 1) > largeNode;
    }

    bool item(Frame &frame) {
        const uint8_t *node = at;
        Span name = {};
        if (!frame.isArray) {
            name = takeBytes(node);
        }
        if (isLarge(node)) {
            // It goes below what a part needs on the stack.
            close();
            if (!frame.isArray && !newString(name)) {
                return false;
            }
            at = node;
            return begin();
        }
        if (frame.isArray) {
            if (!value(0)) {
                return false;
            }
            lua_rawseti(L, frame.table, ++frame.next);
        } else {
            at = node;
            if (!key(name) || !value(0)) {
                return false;
            }
            lua_rawset(L, frame.table);
        }
        frame.left--;
        return true;
    }

    /// The array or object that comes, on a stack without what parts need there.
    bool begin() {
        bool isArray = static_cast<Tag>(*at++) == Tag::array;
        auto count = load<uint32_t>(at + 4);
        at += containerHead;
        luaL_checkstack(L, 4, "a value is too deep");
        if (!createTable(isArray ? count : 0, isArray ? 0 : count) || !push({lua_gettop(L), count, 0, isArray})) {
            return false;
        }
        open();
        return true;
    }

    bool push(Frame frame) {
        if (parts.depth == parts.room) {
            size_t room = parts.room * 2 + 8;
            auto frames = static_cast<Frame *>(std::realloc(parts.frames, room * sizeof(Frame)));
            if (!frames) {
                return false;
            }
            parts.frames = frames;
            parts.room = room;
        }
        parts.frames[parts.depth++] = frame;
        return true;
    }

    /// The innermost is full. True when that was all.
    bool end() {
        bool isArray = parts.frames[--parts.depth].isArray;
        if (isArray) {
            lua_pushvalue(L, base + 1);
            lua_setmetatable(L, parts.frames[parts.depth].table);
        }
        close();
        if (!parts.depth) {
            return true;
        }
        Frame &outer = parts.frames[parts.depth - 1];
        if (outer.isArray) {
            lua_rawseti(L, outer.table, ++outer.next);
        } else {
            lua_rawset(L, outer.table);
        }
        outer.left--;
        open();
        return false;
    }

    cjson_parts &parts;
    const uint8_t *start;
};

}  // namespace
}  // namespace cjson

cjson_parts *cjson_parts_begin(lua_State *L) {
    auto parts = static_cast<cjson_parts *>(std::calloc(1, sizeof(cjson_parts)));
    if (parts) {
        parts->stack = lua_newthread(L);
    }
    return parts;
}

int cjson_parts_fill(cjson_parts *parts, const uint8_t *tree, size_t count, size_t bytes, const cjson_making *making) {
    using namespace cjson;
    cjson_making how = making ? *making : plainMaking;
    if (!how.lend) {
        how.lend = [](lua_State *, size_t bytes) { return bytes; };
    }
    return PartPusher(*parts, {tree, count}, how).fill(bytes);
}

void cjson_parts_push(cjson_parts *parts, lua_State *L) { lua_xmove(parts->stack, L, 1); }

void cjson_parts_free(cjson_parts *parts) {
    std::free(parts->frames);
    std::free(parts);
}
