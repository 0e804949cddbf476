#ifndef LUA_READER_HPP
#define LUA_READER_HPP

#include "failure.hpp"
#include "keys.hpp"
#include "lua.hpp"
#include "pairs.hpp"
#include "sinks.hpp"

namespace cjson {

/// Walks a Lua value and tells a sink. Only calls that can't raise: raw reads, no conversion, no allocation
/// but in a protected call.
template <class Sink>
class LuaReader {
public:
    LuaReader(lua_State *L, Sink &sink, Writer &out, const Limits &limits, cjson_error *error)
        : L(L), sink(sink), out(out), depthLimit(limits.depth), stop(limits.stop), error(error),
          arrayMark(registered(L, registryKeys.array)), objectMark(registered(L, registryKeys.object)) {
        if constexpr (Sink::hasClasses) {
            lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.keepsClasses);
            keepsClasses = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
    }

    /// Reads the value at a place of the stack, which is as it was after a success.
    /// Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] int value(int at, const PathNode *node, uint32_t depth) {
        size_t offset = 0;
        switch (lua_type(L, at)) {
        case LUA_TNIL: sink.null(); return CJSON_OK;
        case LUA_TBOOLEAN: sink.boolean(lua_toboolean(L, at)); return CJSON_OK;
        case LUA_TNUMBER:
            if (!lua_isinteger(L, at)) {
                return scalar(sink.real(lua_tonumber(L, at)), node, 0);
            }
            sink.integer(lua_tointeger(L, at));
            return CJSON_OK;
        case LUA_TSTRING: {
            Span bytes = text(at);
            if (bytes.count >= longText && *stop) {
                return stopped();
            }
            int code = sink.string(bytes, offset);
            return scalar(code, node, offset);
        }
        case LUA_TTABLE: return table(at, node, depth + 1);
        case LUA_TLIGHTUSERDATA:
            if (cjson_is_null(L, at)) {
                sink.null();
                return CJSON_OK;
            }
            break;
        }
        return refuseValue(at, node);
    }

private:
    /// Down to this depth the pairs of an object with few keys lie on the stack.
    static constexpr uint32_t stackedDepth = 32;
    /// Down to this depth the order of an object's keys is remembered for the next one.
    static constexpr uint32_t rememberedDepth = 4;
    static constexpr size_t longText = 1 << 14;

    [[gnu::noinline]] int table(int index, const PathNode *node, uint32_t depth) {
        if (depth > depthLimit) {
            return tooDeep(index, node, depth);
        }
        if (!lua_checkstack(L, depth <= stackedDepth ? 2 * mostSortedKeys + 8 : 8)) {
            return fail(error, CJSON_NO_MEMORY, 0, node, "out of memory");
        }
        // Tables that share tables can be endless work: nothing more is read once the result is too large.
        if (int code = out.failure()) {
            return failWriting(error, code, 0);
        }
        // A table without pairs can be, too: a search for its first pair passes all the removed ones.
        if (*stop) {
            return stopped();
        }
        path[depth - 1] = lua_topointer(L, index);
        Mark mark = takeMark(index);
        if (Sink::isPlain && isForeign) {
            return refuse(node, "a table with a metatable");
        }
        int top = lua_gettop(L);
        lua_pushnil(L);
        if (!lua_next(L, index)) {
            if (mark == Mark::array) {
                sink.endArray(sink.beginArray(), 0);
            } else {
                sink.endObject(sink.beginObject(), 0);
            }
            return CJSON_OK;
        }
        // Most tables are what their first key says; the few others are begun again with their keys counted.
        size_t begun = out.count(), noted = pairs.mark();
        bool done = false;
        int code = CJSON_OK;
        if (isItem(1) && mark != Mark::object) {
            code = array(index, node, depth, done);
        } else if (lua_type(L, -2) == LUA_TSTRING && mark != Mark::array) {
            code = depth <= stackedDepth ? stackedObject(index, top, node, depth, done)
                                         : object(index, node, 0, pairs.mark(), depth, sink.beginObject(), done);
        }
        if (code || done) {
            return code;
        }
        lua_settop(L, top);
        out.rewind(begun);
        pairs.drop(noted);
        return counted(index, node, depth, mark);
    }

    /// `done` stays false when a key is found that no array has. Begins with the first pair on the stack.
    int array(int index, const PathNode *parent, uint32_t depth, bool &done) {
        size_t begun = sink.beginArray(), count = 0;
        int at = lua_gettop(L);
        do {
            if (!isItem(static_cast<lua_Integer>(count) + 1)) {
                return CJSON_OK;
            }
            if (mustStop(count)) {
                return stopped();
            }
            sink.element(count);
            PathNode node{parent, {}, ++count};
            if (int code = value(at, &node, depth)) {
                return code;
            }
            lua_pop(L, 1);
        } while (lua_next(L, index));
        sink.endArray(begun, count);
        done = true;
        return CJSON_OK;
    }

    /// `done` stays false when a key is found that is no string. Begins with the first pair on the stack,
    /// above `top`, where all are gathered, so that they are read in the order in which they come out.
    int stackedObject(int index, int top, const PathNode *parent, uint32_t depth, bool &done) {
        Span keys[mostSortedKeys];
        int count = 0;
        do {
            int key = top + 1 + 2 * count;
            if (lua_type(L, key) != LUA_TSTRING) {
                return CJSON_OK;
            }
            if (count == mostSortedKeys) {
                return unstackedObject(index, top, keys, parent, depth, done);
            }
            keys[count++] = text(key);
            lua_pushvalue(L, key);
        } while (lua_next(L, index));
        KeyOrder own;
        const uint8_t *order = (depth <= rememberedDepth ? orders[depth - 1] : own).of(keys, count);
        size_t begun = sink.beginObject();
        for (int i = 0; i < count; i++) {
            PathNode node{parent, keys[order[i]], 0};
            sink.element(static_cast<size_t>(i));
            if (int code = keyAndValue(top + 2 + 2 * order[i], node, depth)) {
                return code;
            }
        }
        sink.endObject(begun, static_cast<size_t>(count));
        lua_settop(L, top);
        done = true;
        return CJSON_OK;
    }

    // wide_objects.hpp
    int unstackedObject(
        int index, int top, const Span *keys, const PathNode *parent, uint32_t depth, bool &done);
    int object(
        int index, const PathNode *parent, size_t count, size_t noted, uint32_t depth, size_t begun, bool &done);

    int pair(int at, const PathNode &node, size_t count, uint32_t depth) {
        sink.element(count);
        if (!pairs.add(node.key, out.count())) {
            return fail(error, CJSON_NO_MEMORY, 0, &node, "out of memory");
        }
        int code = keyAndValue(at, node, depth);
        if (!code) {
            pairs.close(out.count());
        }
        return code;
    }

    [[gnu::always_inline]] int keyAndValue(int at, const PathNode &node, uint32_t depth) {
        size_t offset = 0;
        int code = sink.key(node.key, offset);
        return code ? scalar(code, &node, offset) : value(at, &node, depth);
    }

    int endObject(size_t begun, size_t noted, size_t count, const PathNode *node) {
        if (!pairs.sort(noted, out, stop)) {
            return fail(error, CJSON_NO_MEMORY, 0, node, "out of memory");
        }
        if (*stop) {
            return stopped();
        }
        sink.endObject(begun, count);
        return CJSON_OK;
    }

    // counted_tables.hpp
    int counted(int index, const PathNode *node, uint32_t depth, Mark mark);
    int list(int index, size_t count, const PathNode *parent, uint32_t depth);
    int named(int index, size_t count, const PathNode *parent, uint32_t depth);
    int general(int index, const Keys &keys, const PathNode *parent, uint32_t depth, Mark mark);

    /// The mark of the table at an index; tells the sink of its class.
    Mark takeMark(int index) {
        if (!lua_getmetatable(L, index)) {
            return Mark::none;
        }
        const void *metatable = lua_topointer(L, -1);
        Mark mark = metatable == arrayMark ? Mark::array
            : metatable == objectMark      ? Mark::object
                                           : Mark::none;
        if constexpr (Sink::hasClasses) {
            if (uint32_t id = mark == Mark::none ? classID(L, keepsClasses) : 0) {
                sink.classed(id);
            }
        }
        isForeign = mark == Mark::none;
        lua_pop(L, 1);
        return mark;
    }

    /// Behind so many pairs of a table.
    bool mustStop(size_t count) const { return count % 1024 == 1023 && *stop; }

    [[gnu::noinline]] int stopped() { return fail(error, CJSON_STOPPED, 0, "its time is over"); }

    /// Whether the key of the pair on the top is this integer.
    bool isItem(lua_Integer item) const { return lua_isinteger(L, -2) && lua_tointeger(L, -2) == item; }

    Span text(int index) const {
        size_t count;
        auto bytes = lua_tolstring(L, index, &count);
        return {reinterpret_cast<const uint8_t *>(bytes), count};
    }

    int scalar(int code, const PathNode *node, size_t offset) {
        return code ? fail(error, code, offset, node, cjson::describe(code)) : CJSON_OK;
    }

    [[gnu::noinline]] int refuseValue(int at, const PathNode *node) {
        char text[96];
        lua_pushvalue(L, at);
        return refuse(node, describeValue(L, text, sizeof text));
    }

    int refuse(const PathNode *node, const char *what) {
        return fail(error, CJSON_UNENCODABLE, 0, node, what);
    }

    int tooDeep(int index, const PathNode *node, uint32_t depth) {
        path[depth - 1] = lua_topointer(L, index);
        // The first table that is one of its own ancestors is where a script must look.
        for (uint32_t inner = 1; inner < depth; inner++) {
            for (uint32_t outer = 0; outer < inner; outer++) {
                if (path[outer] == path[inner]) {
                    for (uint32_t i = inner + 1; i < depth; i++) {
                        node = node->parent;
                    }
                    return fail(error, CJSON_CYCLE, 0, node, "a table that contains itself");
                }
            }
        }
        return fail(error, CJSON_TOO_DEEP, 0, node, "nested too deeply");
    }

    lua_State *L;
    Sink &sink;
    Writer &out;
    uint32_t depthLimit;
    const volatile bool *stop;
    cjson_error *error;
    const void *arrayMark, *objectMark;
    bool keepsClasses = false;
    /// A table had a metatable that is no mark.
    bool isForeign = false;
    const void *path[maximumDepth + 1];
    KeyOrder orders[rememberedDepth];
    Pairs pairs;
};

}  // namespace cjson

#include "counted_tables.hpp"
#include "wide_objects.hpp"
#endif
