#ifndef LUA_HPP
#define LUA_HPP

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include "include/cluajson.h"

namespace cjson {

/// Keys, by address, of what a registry holds for this module.
struct RegistryKeys {
    char array, object, classes, classIDs, keepsClasses, strings;
};
extern const RegistryKeys registryKeys;

/// The address that is null.
extern const char nullSentinel;

/// The address of the table under a registry key. Needs a free stack slot; never raises.
inline const void *registered(lua_State *L, const char &key) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    const void *address = lua_topointer(L, -1);
    lua_pop(L, 1);
    return address;
}

/// The number of the class whose metatable is on the top; 0 when it is none. With `registers`, one that could
/// be a class becomes one. Needs two free stack slots; never raises.
uint32_t classID(lua_State *L, bool registers);

}  // namespace cjson
#endif
