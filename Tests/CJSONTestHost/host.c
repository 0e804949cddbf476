#include "host.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

struct host {
    lua_State *L;
    cjson_buffer buffer;
    size_t bytes;
    long granted;
};

static void *allocate(void *context, void *old, size_t old_count, size_t count) {
    host *host = context;
    old_count = old ? old_count : 0;
    if (count == 0) {
        free(old);
        host->bytes -= old_count;
        return NULL;
    }
    if (count > old_count && host->granted >= 0 && host->granted-- == 0) {
        host->granted = 0;
        return NULL;
    }
    void *new = realloc(old, count);
    host->bytes += new ? count - old_count : 0;
    return new;
}

static host *self(lua_State *L) {
    void *context;
    lua_getallocf(L, &context);
    return context;
}

static int refuse(lua_State *L, const cjson_error *error) {
    lua_pushnil(L);
    lua_pushstring(L, error->message);
    lua_pushinteger(L, error->code);
    lua_pushinteger(L, (lua_Integer)error->offset);
    return 4;
}

static cjson_limits limits(lua_State *L) {
    return (cjson_limits){
        .depth = (uint32_t)luaL_optinteger(L, 2, 0),
        .bytes = (size_t)luaL_optinteger(L, 3, 0),
    };
}

static size_t left;

static size_t lend(lua_State *L, size_t bytes) {
    (void)L;
    if (bytes > left) return 0;
    left -= bytes;
    return bytes;
}

// decode(text, depth, bytes, "text" for large integers, bytes that Lua may take)
static int decode(lua_State *L) {
    size_t count;
    const char *text = luaL_checklstring(L, 1, &count);
    cjson_limits bounds = limits(L);
    cjson_making making = {.big_as_text = lua_isstring(L, 4)};
    if (!lua_isnoneornil(L, 5)) {
        left = (size_t)luaL_checkinteger(L, 5);
        making.lend = lend;
    }
    cjson_error error;
    int top = lua_gettop(L);
    if (cjson_push_json(L, (const uint8_t *)text, count, &bounds, &making, &error)) {
        return lua_gettop(L) == top ? refuse(L, &error) : luaL_error(L, "something was left on the stack");
    }
    return lua_gettop(L) == top + 1 ? 1 : luaL_error(L, "other than one value was pushed");
}

static int answer(lua_State *L, int code, int top, const cjson_error *error) {
    if (lua_gettop(L) != top) {
        return luaL_error(L, "the stack changed");
    }
    if (code) {
        return refuse(L, error);
    }
    cjson_buffer *buffer = &self(L)->buffer;
    lua_pushlstring(L, (const char *)buffer->data, buffer->count);
    return 1;
}

typedef int encoder(lua_State *, int, const cjson_limits *, cjson_buffer *, cjson_error *);

static int write(lua_State *L, encoder *encode) {
    cjson_limits bounds = limits(L);
    cjson_error error;
    int top = lua_gettop(L);
    return answer(L, encode(L, 1, &bounds, &self(L)->buffer, &error), top, &error);
}

static int encode(lua_State *L) { return write(L, cjson_json_from_lua); }

static int plain(lua_State *L) { return write(L, cjson_plain_json_from_lua); }

static int tree(lua_State *L) { return write(L, cjson_tree_from_lua); }

static int push(lua_State *L) {
    size_t count;
    const char *bytes = luaL_checklstring(L, 1, &count);
    if (!cjson_tree_is_valid((const uint8_t *)bytes, count, NULL)) {
        return luaL_error(L, "no tree");
    }
    int top = lua_gettop(L);
    cjson_push_tree(L, (const uint8_t *)bytes, count, NULL);
    return lua_gettop(L) == top + 1 ? 1 : luaL_error(L, "other than one value was pushed");
}

// parts(tree, bytes): like push, in parts of this number of bytes of the tree, with a collection of Lua after
// each; also returns the number of parts.
static int parts(lua_State *L) {
    size_t count;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 1, &count);
    if (!cjson_tree_is_valid(bytes, count, NULL)) {
        return luaL_error(L, "no tree");
    }
    cjson_parts *value = cjson_parts_begin(L);
    int top = lua_gettop(L), state, rounds = 0;
    while ((state = cjson_parts_fill(value, bytes, count, (size_t)luaL_checkinteger(L, 2), NULL)) ==
           CJSON_PARTS_MORE) {
        lua_gc(L, rounds++ % 16 ? LUA_GCSTEP : LUA_GCCOLLECT, 0);
    }
    if (state == CJSON_PARTS_WHOLE) {
        cjson_parts_push(value, L);
    }
    cjson_parts_free(value);
    if (lua_gettop(L) != top + 1) {
        return luaL_error(L, "other than one value was pushed");
    }
    lua_pushinteger(L, rounds);
    return 2;
}

// decode_tree(text, depth, bytes): like decode, through a tree.
static int decode_tree(lua_State *L) {
    size_t count;
    const char *text = luaL_checklstring(L, 1, &count);
    cjson_limits bounds = limits(L);
    cjson_error error;
    cjson_buffer *buffer = &self(L)->buffer;
    if (cjson_tree_from_json((const uint8_t *)text, count, count, &bounds, buffer, &error)) {
        return refuse(L, &error);
    }
    cjson_push_tree(L, buffer->data, buffer->count, NULL);
    return 1;
}

// ahead(text, depth, bytes): the number of the reading, or nothing, and the kind.
static int ahead(lua_State *L) {
    size_t count;
    const uint8_t *text = (const uint8_t *)luaL_checklstring(L, 1, &count);
    cjson_limits bounds = limits(L);
    cjson_kind kind;
    uint64_t reading = cjson_read_ahead(text, count, count, &bounds, &kind);
    if (!reading) {
        return 0;
    }
    lua_pushinteger(L, (lua_Integer)reading);
    lua_pushinteger(L, kind);
    return 2;
}

// push_ahead(reading, bytes): its value, or nothing.
static int push_ahead(lua_State *L) {
    int top = lua_gettop(L);
    uint64_t reading = (uint64_t)luaL_checkinteger(L, 1);
    bool pushed = cjson_push_reading(L, reading, (size_t)luaL_checkinteger(L, 2), NULL);
    return lua_gettop(L) == top + pushed ? pushed : luaL_error(L, "the stack changed");
}

// tree_ahead(reading, bytes): its tree, or nothing.
static int tree_ahead(lua_State *L) {
    uint64_t reading = (uint64_t)luaL_checkinteger(L, 1);
    size_t count = (size_t)luaL_checkinteger(L, 2);
    cjson_buffer *buffer = &self(L)->buffer;
    bool known = cjson_tree_from_reading(reading, count, buffer);
    return known ? answer(L, CJSON_OK, lua_gettop(L), NULL) : 0;
}

// tree_of_text(text)
static int tree_of_text(lua_State *L) {
    size_t count;
    const uint8_t *text = (const uint8_t *)luaL_checklstring(L, 1, &count);
    cjson_error error;
    int top = lua_gettop(L);
    return answer(L, cjson_tree_from_json(text, count, count, NULL, &self(L)->buffer, &error), top, &error);
}

// kind(tree)
static int kind(lua_State *L) {
    size_t count;
    const char *tree = luaL_checklstring(L, 1, &count);
    return lua_pushinteger(L, cjson_tree_kind((const uint8_t *)tree, count)), 1;
}

static int carry(lua_State *L) {
    int count = tree(L);
    if (count > 1) {
        return count;
    }
    lua_replace(L, 1);
    return push(L);
}

// text_of_tree(tree)
static int text_of_tree(lua_State *L) {
    size_t size;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, -1, &size);
    cjson_error error;
    int top = lua_gettop(L);
    return answer(L, cjson_json_from_tree(bytes, size, &self(L)->buffer, &error), top, &error);
}

// The tree's own encoder, through a tree.
static int text(lua_State *L) {
    int count = tree(L);
    return count > 1 ? count : text_of_tree(L);
}

static int array(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    cjson_mark_array(L, 1);
    return lua_settop(L, 1), 1;
}

static int object(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    cjson_mark_object(L, 1);
    return lua_settop(L, 1), 1;
}

static int is_array(lua_State *L) {
    return lua_pushboolean(L, cjson_is_array(L, 1)), 1;
}

static int keep_classes(lua_State *L) {
    cjson_keep_classes(L);
    return 0;
}

static int class(lua_State *L) {
    return lua_pushinteger(L, cjson_register_class(L, 1)), 1;
}

static int open(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"decode", decode}, {"encode", encode}, {"tree", tree}, {"push", push}, {"parts", parts},
        {"carry", carry}, {"text", text}, {"text_of_tree", text_of_tree}, {"array", array},
        {"object", object}, {"is_array", is_array}, {"class", class}, {"keep_classes", keep_classes},
        {"decode_tree", decode_tree}, {"ahead", ahead}, {"push_ahead", push_ahead},
        {"tree_ahead", tree_ahead}, {"tree_of_text", tree_of_text}, {"kind", kind}, {"plain", plain}, {NULL, NULL},
    };
    luaL_openlibs(L);
    cjson_open(L);
    lua_pushglobaltable(L);
    luaL_setfuncs(L, functions, 0);
    cjson_push_null(L);
    lua_setfield(L, -2, "null");
    return 0;
}

host *host_new(void) {
    host *host = calloc(1, sizeof *host);
    host->granted = -1;
    host->L = lua_newstate(allocate, host);
    lua_pushcfunction(host->L, open);
    if (lua_pcall(host->L, 0, 0, 0)) {
        abort();
    }
    return host;
}

void host_free(host *host) {
    lua_close(host->L);
    cjson_buffer_free(&host->buffer);
    free(host);
}

const char *host_run(host *host, const char *chunk) {
    lua_settop(host->L, 0);
    return luaL_loadstring(host->L, chunk) || lua_pcall(host->L, 0, 0, 0) ? lua_tostring(host->L, -1) : NULL;
}

void host_fail_after(host *host, long count) {
    host->granted = count;
}

size_t host_bytes(const host *host) {
    return host->bytes;
}
