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
        : L(L), sink(sink), out(out), depthLimit(limits.depth), error(error),
          arrayMark(registered(L, registryKeys.array)), objectMark(registered(L, registryKeys.object)) {
        if constexpr (Sink::hasClasses) {
            lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.keepsClasses);
            keepsClasses = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
    }

    /// Reads the value on the top of the stack, and leaves it there after a success.
    int value(const PathNode *node, uint32_t depth) {
        size_t offset = 0;
        switch (lua_type(L, -1)) {
        case LUA_TNIL: sink.null(); return CJSON_OK;
        case LUA_TBOOLEAN: sink.boolean(lua_toboolean(L, -1)); return CJSON_OK;
        case LUA_TNUMBER:
            if (!lua_isinteger(L, -1)) {
                return scalar(sink.real(lua_tonumber(L, -1)), node, 0);
            }
            sink.integer(lua_tointeger(L, -1));
            return CJSON_OK;
        case LUA_TSTRING: {
            int code = sink.string(top(), offset);
            return scalar(code, node, offset);
        }
        case LUA_TTABLE: return table(node, depth + 1);
        case LUA_TLIGHTUSERDATA:
            if (cjson_is_null(L, -1)) {
                sink.null();
                return CJSON_OK;
            }
            break;
        }
        char text[96];
        return refuse(node, describeValue(L, text, sizeof text));
    }

private:
    int table(const PathNode *node, uint32_t depth) {
        if (depth > depthLimit) {
            return tooDeep(node, depth);
        }
        if (!lua_checkstack(L, 6)) {
            return fail(error, CJSON_NO_MEMORY, 0, node, "out of memory");
        }
        // Tables that share tables can be endless work: nothing more is read once the result is too large.
        if (int code = out.failure()) {
            return failWriting(error, code, 0);
        }
        path[depth - 1] = lua_topointer(L, -1);
        Mark mark = takeMark();
        int index = lua_gettop(L);
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
            code = object(index, node, depth, done);
        }
        if (code || done) {
            return code;
        }
        lua_settop(L, index);
        out.rewind(begun);
        pairs.drop(noted);
        return counted(index, node, depth, mark);
    }

    /// `done` stays false when a key is found that no array has. Begins with the first pair on the stack.
    int array(int index, const PathNode *parent, uint32_t depth, bool &done) {
        size_t begun = sink.beginArray(), count = 0;
        do {
            if (!isItem(static_cast<lua_Integer>(count) + 1)) {
                return CJSON_OK;
            }
            sink.element(count);
            PathNode node{parent, {}, ++count};
            if (int code = value(&node, depth)) {
                return code;
            }
            lua_pop(L, 1);
        } while (lua_next(L, index));
        sink.endArray(begun, count);
        done = true;
        return CJSON_OK;
    }

    /// `done` stays false when a key is found that is no string. Begins with the first pair on the stack.
    int object(int index, const PathNode *parent, uint32_t depth, bool &done) {
        size_t begun = sink.beginObject(), noted = pairs.mark(), count = 0;
        do {
            if (lua_type(L, -2) != LUA_TSTRING) {
                return CJSON_OK;
            }
            PathNode node{parent, text(-2), 0};
            if (int code = pair(node, count++, depth)) {
                return code;
            }
            lua_pop(L, 1);
        } while (lua_next(L, index));
        done = true;
        return endObject(begun, noted, count, parent);
    }

    int pair(const PathNode &node, size_t count, uint32_t depth) {
        sink.element(count);
        if (!pairs.add(node.key, out.count())) {
            return fail(error, CJSON_NO_MEMORY, 0, &node, "out of memory");
        }
        size_t offset = 0;
        int code = sink.key(node.key, offset);
        code = code ? scalar(code, &node, offset) : value(&node, depth);
        if (!code) {
            pairs.close(out.count());
        }
        return code;
    }

    int endObject(size_t begun, size_t noted, size_t count, const PathNode *node) {
        if (!pairs.sort(noted, out)) {
            return fail(error, CJSON_NO_MEMORY, 0, node, "out of memory");
        }
        sink.endObject(begun, count);
        return CJSON_OK;
    }

    int counted(int index, const PathNode *node, uint32_t depth, Mark mark) {
        Keys keys(L, index);
        if (mark != Mark::object && keys.areList()) {
            return list(index, keys.count, node, depth);
        }
        if (mark == Mark::array && keys.areListWithHoles()) {
            return list(index, static_cast<size_t>(keys.length), node, depth);
        }
        if (mark == Mark::object && keys.areNames()) {
            return named(index, keys.count, node, depth);
        }
        if (const char *odd = keys.unencodable()) {
            return refuse(node, odd);
        }
        if (!Sink::takesTables) {
            return refuse(node, oddKeys(L, index).describe(mark));
        }
        return general(index, keys, node, depth, mark);
    }

    int list(int index, size_t count, const PathNode *parent, uint32_t depth) {
        size_t begun = sink.beginArray();
        for (size_t i = 0; i < count; i++) {
            lua_rawgeti(L, index, static_cast<lua_Integer>(i + 1));
            sink.element(i);
            PathNode node{parent, {}, i + 1};
            if (int code = value(&node, depth)) {
                return code;
            }
            lua_pop(L, 1);
        }
        sink.endArray(begun, count);
        return CJSON_OK;
    }

    /// A table marked as object: its integer keys become text.
    int named(int index, size_t count, const PathNode *parent, uint32_t depth) {
        KeyTexts names(count);
        if (!names.all) {
            return fail(error, CJSON_NO_MEMORY, 0, parent, "out of memory");
        }
        size_t begun = sink.beginObject(), noted = pairs.mark(), written = 0;
        for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
            PathNode node{parent, names.all[written].of(L, -2), 0};
            if (int code = pair(node, written++, depth)) {
                return code;
            }
        }
        return endObject(begun, noted, count, parent);
    }

    int general(int index, const Keys &keys, const PathNode *parent, uint32_t depth, Mark mark) {
        size_t head = sink.beginTable(keys.count, mark, keys.items);
        for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
            KeyText name;
            PathNode node{parent, name.of(L, -2), 0};
            lua_pushvalue(L, -2);
            int code = value(&node, depth);
            lua_pop(L, 1);
            code = code ? code : value(&node, depth);
            if (code) {
                return code;
            }
        }
        sink.endTable(head, keys.count);
        return CJSON_OK;
    }

    /// The mark of the table on the top; tells the sink of its class.
    Mark takeMark() {
        if (!lua_getmetatable(L, -1)) {
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
        lua_pop(L, 1);
        return mark;
    }

    /// Whether the key of the pair on the top is this integer.
    bool isItem(lua_Integer item) const { return lua_isinteger(L, -2) && lua_tointeger(L, -2) == item; }

    Span top() const { return text(-1); }

    Span text(int index) const {
        size_t count;
        auto bytes = lua_tolstring(L, index, &count);
        return {reinterpret_cast<const uint8_t *>(bytes), count};
    }

    int scalar(int code, const PathNode *node, size_t offset) {
        return code ? fail(error, code, offset, node, cjson::describe(code)) : CJSON_OK;
    }

    int refuse(const PathNode *node, const char *what) {
        return fail(error, CJSON_UNENCODABLE, 0, node, what);
    }

    int tooDeep(const PathNode *node, uint32_t depth) {
        path[depth - 1] = lua_topointer(L, -1);
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
    cjson_error *error;
    const void *arrayMark, *objectMark;
    bool keepsClasses = false;
    const void *path[maximumDepth + 1];
    Pairs pairs;
};

}  // namespace cjson
#endif
