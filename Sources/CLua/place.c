// Where script code stands: of running calls and of functions.
#include "internal.h"

#include <string.h>

// Chunks of modules that come with the program.
static bool is_bundled(const char *source) {
    static const char prefix[] = "@resthost.";
    return strncmp(source, prefix, sizeof prefix - 1) == 0;
}

bool clua_caller_place(lua_State *L, const char **source, int *line) {
    lua_Debug ar;
    bool found = false;
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        if (ar.currentline <= 0 || (found && is_bundled(ar.source))) continue;
        *source = ar.source;
        *line = ar.currentline;
        if (!is_bundled(ar.source)) return true;
        // A bundled module's place counts where no script's is on the stack.
        found = true;
    }
    return found;
}

bool clua_running_place(const clua_state *state, const char **source, int *line) {
    return state->current && clua_caller_place(state->current, source, line);
}

bool clua_function_place(lua_State *L, int index, const char **source, int *line) {
    lua_Debug ar;
    if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) return false;
    lua_pushvalue(L, index);
    lua_getinfo(L, ">S", &ar);
    *source = ar.source;
    *line = ar.linedefined;
    return true;
}
