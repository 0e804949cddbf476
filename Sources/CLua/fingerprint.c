// A number for what a function does, the same in every state that loads the same text: from its code without
// line numbers, and from the values that it reaches through its upvalues. Calls nothing of the script.
#include "fingerprint.h"

#include <lauxlib.h>
#include <stdlib.h>

static bool grow(walk *w) {
    uint32_t capacity = w->capacity ? w->capacity * 2 : 32;
    visit *visits = calloc(capacity, sizeof *visits);
    if (!visits) return false;
    for (uint32_t i = 0; i < w->capacity; i++) {
        if (!w->visits[i].object) continue;
        uint32_t at = (uint32_t)((uintptr_t)w->visits[i].object >> 4) & (capacity - 1);
        while (visits[at].object) at = (at + 1) & (capacity - 1);
        visits[at] = w->visits[i];
    }
    free(w->visits);
    w->visits = visits;
    w->capacity = capacity;
    return true;
}

// True the first time. Later visits mix in the number of the first, so that circles end and sharing counts.
static bool enter(walk *w, const void *object) {
    if (w->count * 2 >= w->capacity && !grow(w)) w->gave_up = true;
    if (w->gave_up || w->count >= most_nodes) {
        w->gave_up = true;
        return false;
    }
    uint32_t at = (uint32_t)((uintptr_t)object >> 4) & (w->capacity - 1);
    for (; w->visits[at].object; at = (at + 1) & (w->capacity - 1)) {
        if (w->visits[at].object != object) continue;
        mix(w, UINT64_C(0x5EE7) + w->visits[at].number);
        return false;
    }
    w->visits[at] = (visit){object, w->count++};
    return true;
}

static void hash_value(walk *w);

// Pops the function.
static void hash_function(walk *w) {
    lua_State *L = w->L;
    if (lua_iscfunction(L, -1)) {
        lua_CFunction function = lua_tocfunction(L, -1);
        mix_bytes(w, &function, sizeof function);
        lua_settop(L, -2);
        return;
    }
    clua_hash_code(w);
    const char *name;
    for (int n = 1; !w->gave_up && (name = lua_getupvalue(L, -1, n)); n++) {
        if (strcmp(name, "_ENV") == 0) {
            w->uses_globals = true;
            lua_settop(L, -2);
        } else {
            hash_value(w);
        }
    }
    lua_settop(L, -2);
}

typedef struct {
    const char *text;
    size_t count;
    lua_Number number;
    lua_Integer integer;
    /// Lua's type, or `INTEGER_KEY`: a double can't tell large ones apart.
    int kind;
} table_key;

enum { INTEGER_KEY = LUA_NUMTYPES };

static int compare_keys(const void *a, const void *b) {
    const table_key *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->kind == INTEGER_KEY) return (x->integer > y->integer) - (x->integer < y->integer);
    if (x->kind != LUA_TSTRING) return (x->number > y->number) - (x->number < y->number);
    size_t count = x->count < y->count ? x->count : y->count;
    int order = memcmp(x->text, y->text, count);
    return order ? order : (x->count > y->count) - (x->count < y->count);
}

// Reads the key at the top without changing it. False for objects, which have no order.
static bool read_key(lua_State *L, table_key *key) {
    *key = (table_key){.kind = lua_type(L, -1)};
    switch (key->kind) {
    case LUA_TSTRING: key->text = lua_tolstring(L, -1, &key->count); return true;
    case LUA_TNUMBER:
        if (lua_isinteger(L, -1)) key->kind = INTEGER_KEY;
        key->integer = lua_tointeger(L, -1);
        key->number = lua_tonumber(L, -1);
        return true;
    case LUA_TBOOLEAN: key->number = lua_toboolean(L, -1); return true;
    default: return false;
    }
}

static void push_key(lua_State *L, const table_key *key) {
    // A string that is still in the table is found again, nothing is made.
    if (key->kind == LUA_TSTRING) lua_pushlstring(L, key->text, key->count);
    else if (key->kind == LUA_TBOOLEAN) lua_pushboolean(L, key->number != 0);
    else if (key->kind == INTEGER_KEY) lua_pushinteger(L, key->integer);
    else lua_pushnumber(L, key->number);
}

// Whether every state has the value from the beginning: libraries and C functions.
static bool is_given(lua_State *L) {
    if (lua_iscfunction(L, -1)) return true;
    if (!clua_push_content(L, lua_gettop(L))) return false;
    lua_settop(L, -2);
    return true;
}

// The pairs of the table on top, in the order of their keys. Pops it.
static void hash_pairs(walk *w, bool skips_given) {
    lua_State *L = w->L;
    table_key *keys = NULL;
    size_t count = 0, capacity = 0, objects = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        bool skips = skips_given && is_given(L);
        lua_settop(L, -2);
        table_key key;
        if (skips) continue;
        if (!read_key(L, &key)) {
            objects++;
            continue;
        }
        if (count == capacity) {
            capacity = capacity * 2 + 16;
            table_key *more = capacity > most_nodes * 4 ? NULL : realloc(keys, capacity * sizeof *keys);
            if (!more) {
                w->gave_up = true;
                lua_settop(L, -2);
                break;
            }
            keys = more;
        }
        keys[count++] = key;
    }
    if (!w->gave_up) {
        mix(w, count);
        mix(w, objects);
        // Without keys there is no memory, and qsort must not get NULL.
        if (count > 1) qsort(keys, count, sizeof *keys, compare_keys);
        for (size_t i = 0; i < count && !w->gave_up; i++) {
            push_key(L, &keys[i]);
            lua_pushvalue(L, -1);
            hash_value(w);
            lua_rawget(L, -2);
            hash_value(w);
        }
    }
    free(keys);
    lua_settop(L, -2);
}

// Pops the table.
static void hash_table(walk *w) {
    lua_State *L = w->L;
    if (lua_getmetatable(L, -1)) hash_value(w);
    hash_pairs(w, false);
}

// Pops the value.
static void hash_value(walk *w) {
    lua_State *L = w->L;
    int type = lua_type(L, -1);
    mix(w, (uint64_t)type);
    switch (type) {
    case LUA_TBOOLEAN: mix(w, (uint64_t)lua_toboolean(L, -1)); break;
    case LUA_TNUMBER: {
        lua_Number number = lua_tonumber(L, -1);
        mix_bytes(w, &number, sizeof number);
        mix(w, (uint64_t)lua_isinteger(L, -1));
        mix(w, (uint64_t)lua_tointeger(L, -1));
        break;
    }
    case LUA_TSTRING: {
        size_t count;
        const char *text = lua_tolstring(L, -1, &count);
        w->bytes += count;
        if (w->bytes <= most_bytes) mix_bytes(w, text, count);
        else w->gave_up = true;
        break;
    }
    case LUA_TTABLE:
    case LUA_TFUNCTION:
        // The host's own tables are the same everywhere.
        if (type == LUA_TTABLE && is_given(L)) break;
        if (w->depth >= most_depth || !lua_checkstack(L, 8)) w->gave_up = true;
        if (w->gave_up || !enter(w, lua_topointer(L, -1))) break;
        w->depth++;
        if (type == LUA_TTABLE) hash_table(w);
        else hash_function(w);
        w->depth--;
        return;
    default: break;
    }
    lua_settop(L, -2);
}

uint64_t clua_fingerprint(lua_State *L, int index) {
    if (!lua_checkstack(L, 8)) return 0;
    walk w = {.L = L, .hash = UINT64_C(0xCBF29CE484222325)};
    lua_pushvalue(L, index);
    hash_value(&w);
    if (w.uses_globals && !w.gave_up) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
        if (clua_push_content(L, lua_gettop(L))) lua_remove(L, -2);
        hash_pairs(&w, true);
    }
    free(w.visits);
    free(w.code);
    return w.gave_up ? 0 : w.hash | 1;
}
