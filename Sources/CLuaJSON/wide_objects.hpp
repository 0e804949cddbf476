// Objects with many keys: lua_reader.hpp includes this.
#ifndef WIDE_OBJECTS_HPP
#define WIDE_OBJECTS_HPP

#include "lua_reader.hpp"

namespace cjson {

/// An object that has more keys than are gathered: those that were, and the pair on the top.
template <class Sink>
int LuaReader<Sink>::unstackedObject(
    int index, int top, const Span *keys, const PathNode *parent, uint32_t depth, bool &done) {
    size_t begun = sink.beginObject(), noted = pairs.mark(), count = 0;
    for (; count < mostSortedKeys; count++) {
        PathNode node{parent, keys[count], 0};
        if (int code = pair(top + 2 + 2 * static_cast<int>(count), node, count, depth)) {
            return code;
        }
    }
    int code = object(index, parent, count, noted, depth, begun, done);
    lua_settop(L, top);
    return code;
}

/// The rest of an object of which `count` pairs are written. Begins with the next on the top.
template <class Sink>
int LuaReader<Sink>::object(
    int index, const PathNode *parent, size_t count, size_t noted, uint32_t depth, size_t begun, bool &done) {
    int at = lua_gettop(L);
    do {
        if (lua_type(L, at - 1) != LUA_TSTRING) {
            return CJSON_OK;
        }
        if (mustStop(count)) {
            return stopped();
        }
        PathNode node{parent, text(at - 1), 0};
        if (int code = pair(at, node, count++, depth)) {
            return code;
        }
        lua_pop(L, 1);
    } while (lua_next(L, index));
    done = true;
    return endObject(begun, noted, count, parent);
}

}  // namespace cjson
#endif
