// The one door to Lua 5.4: whatever can raise, yield or jump is called here, under protection.
#ifndef CLUA_H
#define CLUA_H

#include <lua.h>

#endif
