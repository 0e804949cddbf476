// Lua value to tree and to JSON text.
#include "lua_reader.hpp"

namespace cjson {
namespace {

template <class Sink>
int read(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out, cjson_error *error) {
    out->count = 0;
    if (!lua_checkstack(L, 4)) {
        return fail(error, CJSON_NO_MEMORY, 0, "out of memory");
    }
    int top = lua_gettop(L);
    Limits bounds(limits);
    Writer writer(*out, bounds.bytes);
    Sink sink(writer);
    int code = LuaReader<Sink>(L, sink, writer, bounds, error).value(lua_absindex(L, index), nullptr, 0);
    lua_settop(L, top);
    if (code) {
        return code;
    }
    code = writer.finish();
    return code ? failWriting(error, code, 0) : CJSON_OK;
}

}  // namespace
}  // namespace cjson

int cjson_tree_from_lua(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out,
                        cjson_error *error) {
    return cjson::read<cjson::TreeSink>(L, index, limits, out, error);
}

int cjson_json_from_lua(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out,
                        cjson_error *error) {
    return cjson::read<cjson::JSONSink>(L, index, limits, out, error);
}

int cjson_plain_json_from_lua(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out,
                              cjson_error *error) {
    return cjson::read<cjson::PlainJSONSink>(L, index, limits, out, error);
}
