// The tables that their first key doesn't tell: lua_reader.hpp includes this.
#ifndef COUNTED_TABLES_HPP
#define COUNTED_TABLES_HPP

#include "lua_reader.hpp"

namespace cjson {

template <class Sink>
int LuaReader<Sink>::counted(int index, const PathNode *node, uint32_t depth, Mark mark) {
    Keys keys(L, index, stop);
    if (*stop) {
        return stopped();
    }
    if (mark != Mark::object && keys.areList()) {
        return list(index, keys.count, node, depth);
    }
    if (mark == Mark::array && keys.areListWithHoles()) {
        return list(index, static_cast<size_t>(keys.length), node, depth);
    }
    if (mark == Mark::object && keys.areNames() && !(Sink::isPlain && keys.integers)) {
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

template <class Sink>
int LuaReader<Sink>::list(int index, size_t count, const PathNode *parent, uint32_t depth) {
    size_t begun = sink.beginArray();
    int at = lua_gettop(L) + 1;
    for (size_t i = 0; i < count; i++) {
        if (mustStop(i)) {
            return stopped();
        }
        lua_rawgeti(L, index, static_cast<lua_Integer>(i + 1));
        sink.element(i);
        PathNode node{parent, {}, i + 1};
        if (int code = value(at, &node, depth)) {
            return code;
        }
        lua_pop(L, 1);
    }
    sink.endArray(begun, count);
    return CJSON_OK;
}

/// A table marked as object: its integer keys become text.
template <class Sink>
int LuaReader<Sink>::named(int index, size_t count, const PathNode *parent, uint32_t depth) {
    KeyTexts names(count);
    if (!names.all) {
        return fail(error, CJSON_NO_MEMORY, 0, parent, "out of memory");
    }
    size_t begun = sink.beginObject(), noted = pairs.mark(), written = 0;
    int at = lua_gettop(L) + 2;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (mustStop(written)) {
            return stopped();
        }
        PathNode node{parent, names.all[written].of(L, -2), 0};
        if (int code = pair(at, node, written++, depth)) {
            return code;
        }
    }
    return endObject(begun, noted, count, parent);
}

template <class Sink>
int LuaReader<Sink>::general(int index, const Keys &keys, const PathNode *parent, uint32_t depth, Mark mark) {
    size_t head = sink.beginTable(keys.count, mark, keys.items);
    int key = lua_gettop(L) + 1;
    size_t written = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (mustStop(written++)) {
            return stopped();
        }
        KeyText name;
        PathNode node{parent, name.of(L, key), 0};
        int code = value(key, &node, depth);
        code = code ? code : value(key + 1, &node, depth);
        if (code) {
            return code;
        }
    }
    sink.endTable(head, keys.count);
    return CJSON_OK;
}

}  // namespace cjson
#endif
