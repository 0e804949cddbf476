// The metatables of host objects: methods, getters, setters, and what answers for other names.
#include "internal.h"

static int call_closure_userdata(lua_State *L, int index) {
    // Getters, setters and fallbacks are trampolines; their userdata is run here without a Lua call in
    // between.
    lua_getupvalue(L, index, 1);
    clua_userdata *userdata = lua_touserdata(L, -1);
    lua_settop(L, -2);
    return clua_run_userdata(L, userdata);
}

// Upvalues: methods, getters, fallback. `__metatable` hides this function, so argument 1 is always an object.
static int read_field(lua_State *L) {
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
        lua_getupvalue(L, -1, 1);
        clua_userdata *userdata = lua_touserdata(L, -1);
        lua_settop(L, 1);
        return clua_run_userdata(L, userdata);
    }
    lua_settop(L, 2);
    return call_closure_userdata(L, lua_upvalueindex(3));
}

// Upvalues: setters, fallback.
static int write_field(lua_State *L) {
    lua_settop(L, 3);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        lua_getupvalue(L, -1, 1);
        clua_userdata *userdata = lua_touserdata(L, -1);
        lua_settop(L, 3);
        lua_remove(L, 2);
        return clua_run_userdata(L, userdata);
    }
    lua_settop(L, 3);
    return call_closure_userdata(L, lua_upvalueindex(2));
}

void clua_forget_class(lua_State *L, const void *class_key) {
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, class_key);
}

// The userdata stay alive while they run: the class's tables, which hold them, hang on the metatable's
// closures.
void clua_new_class(lua_State *L, const void *class_key, const char *name) {
    int methods = lua_gettop(L) - 5;
    clua_new_metatable(L, name);
    lua_pushnil(L);
    while (lua_next(L, methods + 5)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    lua_pushvalue(L, methods);
    lua_pushvalue(L, methods + 1);
    lua_pushvalue(L, methods + 3);
    lua_pushcclosure(L, read_field, 3);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, methods + 2);
    lua_pushvalue(L, methods + 4);
    lua_pushcclosure(L, write_field, 2);
    lua_setfield(L, -2, "__newindex");
    lua_rawsetp(L, LUA_REGISTRYINDEX, class_key);
    lua_settop(L, methods - 1);
}
