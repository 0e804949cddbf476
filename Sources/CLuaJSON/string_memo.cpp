#include "string_memo.hpp"

namespace cjson {

StringMemo *StringMemo::open(lua_State *L, size_t bytes) {
    int type = lua_rawgetp(L, LUA_REGISTRYINDEX, &registryKeys.strings);
    if (type == LUA_TUSERDATA) {
        auto memo = static_cast<StringMemo *>(lua_touserdata(L, -1));
        if (__builtin_expect(memo->credit > 0, 1)) {
            memo->credit = std::min(memo->credit, mostCredit);
            lua_getiuservalue(L, -1, 1);
            lua_replace(L, -2);
            return memo;
        }
        memo->paused += bytes;
        if (memo->paused >= pause) {
            memo->paused = 0;
            memo->credit = mostCredit;
        }
        lua_pop(L, 1);
        lua_pushnil(L);
        return nullptr;
    }
    // Until it is made, the registry has the number of bytes read so far.
    lua_Integer read = lua_tointeger(L, -1) + static_cast<lua_Integer>(bytes);
    lua_pop(L, 1);
    if (read >= worthMaking) {
        return make(L);
    }
    lua_pushinteger(L, read);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &registryKeys.strings);
    lua_pushnil(L);
    return nullptr;
}

StringMemo *StringMemo::make(lua_State *L) {
    void *memory = lua_newuserdatauv(L, sizeof(StringMemo), 1);
    std::memset(memory, 0, sizeof(StringMemo));
    auto memo = static_cast<StringMemo *>(memory);
    memo->credit = mostCredit;
    lua_createtable(L, size, 0);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, -3, 1);
    lua_insert(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &registryKeys.strings);
    return memo;
}

}  // namespace cjson
