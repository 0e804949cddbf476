// Null, the marks of arrays and objects, and classes.
#include "lua.hpp"

#include <atomic>

namespace cjson {

const RegistryKeys registryKeys{};
const char nullSentinel = 0;

namespace {

/// All light userdata share this metatable; only ours is null.
int describeLightUserdata(lua_State *L) {
    const void *address = lua_touserdata(L, 1);
    if (address == &nullSentinel) {
        lua_pushliteral(L, "null");
    } else {
        lua_pushfstring(L, "userdata: %p", address);
    }
    return 1;
}

/// One table for all values that are marked: what a script put into it would reach those of others. So
/// `getmetatable` gives its name instead.
void makeMark(lua_State *L, const char &key, const char *name) {
    lua_createtable(L, 0, 2);
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

/// A class that nothing else refers to is forgotten.
void makeWeakTable(lua_State *L, const char &key, const char *mode) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

void mark(lua_State *L, int index, const char &key) {
    index = lua_absindex(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    lua_setmetatable(L, index);
}

bool isMarked(lua_State *L, int index, const char &key) {
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) {
        return false;
    }
    bool found = lua_topointer(L, -1) == registered(L, key);
    lua_pop(L, 1);
    return found;
}

int registerIfClass(lua_State *L) {
    lua_pushliteral(L, "__index");
    bool isClass = lua_rawget(L, 1) != LUA_TNIL;
    lua_pushinteger(L, isClass ? cjson_register_class(L, 1) : 0);
    return 1;
}

}  // namespace

uint32_t classID(lua_State *L, bool registers) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classIDs);
    lua_pushvalue(L, -2);
    auto id = lua_rawget(L, -2) == LUA_TNUMBER ? static_cast<uint32_t>(lua_tointeger(L, -1)) : 0;
    lua_pop(L, 2);
    if (id == 0 && registers) {
        lua_pushcfunction(L, registerIfClass);
        lua_pushvalue(L, -2);
        if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
            id = static_cast<uint32_t>(lua_tointeger(L, -1));
        }
        lua_pop(L, 1);
    }
    return id;
}
}  // namespace cjson

using namespace cjson;

void cjson_open(lua_State *L) {
    luaL_checkstack(L, 4, nullptr);
    makeMark(L, registryKeys.array, "array");
    makeMark(L, registryKeys.object, "object");
    makeWeakTable(L, registryKeys.classes, "v");
    makeWeakTable(L, registryKeys.classIDs, "k");

    cjson_push_null(L);
    lua_createtable(L, 0, 3);
    lua_pushliteral(L, "null");
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushcfunction(L, describeLightUserdata);
    lua_setfield(L, -2, "__tostring");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void cjson_push_null(lua_State *L) {
    lua_pushlightuserdata(L, const_cast<char *>(&nullSentinel));
}

bool cjson_is_null(lua_State *L, int index) {
    return lua_islightuserdata(L, index) && lua_touserdata(L, index) == &nullSentinel;
}

bool cjson_is_array(lua_State *L, int index) {
    return isMarked(L, index, registryKeys.array);
}

void cjson_mark_array(lua_State *L, int index) {
    mark(L, index, registryKeys.array);
}

void cjson_mark_object(lua_State *L, int index) {
    mark(L, index, registryKeys.object);
}

void cjson_keep_classes(lua_State *L) {
    lua_pushboolean(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &registryKeys.keepsClasses);
}

uint32_t cjson_register_class(lua_State *L, int index) {
    luaL_checkstack(L, 4, nullptr);
    index = lua_absindex(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classIDs);
    lua_pushvalue(L, index);
    bool isKnown = lua_rawget(L, -2) == LUA_TNUMBER;
    auto known = static_cast<uint32_t>(lua_tointeger(L, -1));
    lua_pop(L, 2);
    if (isKnown) {
        return known;
    }
    // One of its own in the process: a tree may outlive its state and come to another.
    static std::atomic<uint32_t> next{1};
    lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classes);
    uint32_t id = next++;
    while (lua_rawgeti(L, -1, id) != LUA_TNIL) {
        lua_pop(L, 1);
        id = next++;
    }
    lua_pop(L, 2);
    cjson_register_class_as(L, index, id);
    return id;
}

void cjson_register_class_as(lua_State *L, int index, uint32_t class_id) {
    luaL_checkstack(L, 4, nullptr);
    index = lua_absindex(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classIDs);
    lua_pushvalue(L, index);
    lua_pushinteger(L, class_id);
    lua_rawset(L, -3);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.classes);
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, class_id);
    lua_pop(L, 2);
}
