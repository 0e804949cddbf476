// Lua values from JSON text and trees, and back: the part of CJSON that knows Lua.
//
// A function that takes a lua_State belongs to that state's thread, and says whether it may raise.
#ifndef CLUAJSON_H
#define CLUAJSON_H

#include "cjson.h"

#ifdef __cplusplus
extern "C" {
#endif

// Declared here, not included: a Swift module that imports this one sees no Lua API.
typedef struct lua_State lua_State;

// Makes null, marks and classes of a state. Once for each state, before any other call; may raise memory
// errors.
void cjson_open(lua_State *L);

// How a value is made in Lua. NULL for the whole means all zeros.
typedef struct cjson_making {
    // How many bytes may be taken, at least as many as asked for, or 0: then the value is given up. NULL for
    // no limit. Asked from time to time.
    size_t (*lend)(lua_State *L, size_t bytes);
    // Integers beyond 64 bits become strings of their digits, not floats.
    bool big_as_text;
} cjson_making;

// Pushes one value; nil, and answers false, when it was given up. May raise memory errors, without a leak:
// call it protected.
bool cjson_push_tree(lua_State *L, const uint8_t *tree, size_t count, const cjson_making *making);

// Pushes what was read ahead of a text of `count` bytes, see cjson_read_ahead, or nil when it was given up.
// False, and nothing pushed, when this thread knows it no more. May raise memory errors as cjson_push_tree.
bool cjson_push_reading(lua_State *L, uint64_t reading, size_t count, const cjson_making *making);

// A value that is made in parts, between which the state may do other things.
typedef struct cjson_parts cjson_parts;
enum { CJSON_PARTS_MORE, CJSON_PARTS_WHOLE, CJSON_PARTS_NO_MEMORY };

// Begins with one, and pushes the coroutine on whose stack it will grow, which has to be kept until the end.
// NULL, and nothing pushed, when there is no memory. Raises as cjson_push_tree does, and leaks then.
cjson_parts *cjson_parts_begin(lua_State *L);

// Makes what comes of about `bytes` more of an array's or object's tree, the same one at each call. Arrays
// and objects in it of more than 16 KiB are made in parts too. After CJSON_PARTS_NO_MEMORY only
// cjson_parts_free may be called. Raises as cjson_push_tree.
int cjson_parts_fill(cjson_parts *parts, const uint8_t *tree, size_t count, size_t bytes,
                     const cjson_making *making);

// Pushes the whole value, once, on another stack of the state.
void cjson_parts_push(cjson_parts *parts, lua_State *L);

// Touches no state, which may be closed.
void cjson_parts_free(cjson_parts *parts);

// Pushes one value and answers CJSON_OK, or pushes nothing. One that was given up is CJSON_NO_MEMORY. May
// raise memory errors as cjson_push_tree.
int cjson_push_json(lua_State *L, const uint8_t *json, size_t count, const cjson_limits *limits,
                    const cjson_making *making, cjson_error *error);

// The value at `index` as a tree, or as JSON text. Never raise, run no metamethod and leave the stack as it
// was. The keys of objects come out sorted, as bytes compare: Lua's own order differs from state to state.
//
// A table is: an array when marked so or when it holds exactly 1...n, n > 0; else an object when all keys are
// strings, or when marked so and all keys are strings or integers (which become text); else a general table,
// which only a tree can hold. `limits->stop` is looked at once for each table, each long string, and now and
// then within a table. Metatables are ignored, but for marks and classes, and in a tree for what
// cjson_keep_classes says.
int cjson_tree_from_lua(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out,
                        cjson_error *error);
int cjson_json_from_lua(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out,
                        cjson_error *error);

// As cjson_json_from_lua, but only for what a tree of the text says as well as a tree of the value:
// CJSON_UNENCODABLE for tables with other metatables than marks, and for integers among an object's keys.
int cjson_plain_json_from_lua(lua_State *L, int index, const cjson_limits *limits, cjson_buffer *out,
                              cjson_error *error);

// `null` is a light userdata, equal to itself in all states. These three never raise.
void cjson_push_null(lua_State *L);
bool cjson_is_null(lua_State *L, int index);
bool cjson_is_array(lua_State *L, int index);  // whether the table is marked as one

// Give the table at `index` the mark's metatable. Decoded arrays have it. Never raise.
void cjson_mark_array(lua_State *L, int index);
void cjson_mark_object(lua_State *L, int index);

// A class is a metatable with a number; a tree holds the number, so states that exchange trees must agree on
// it. The metatable is at `index`. Registering twice gives the same number (from 1 on). May raise memory
// errors.
// The state refers to it weakly.
uint32_t cjson_register_class(lua_State *L, int index);
void cjson_register_class_as(lua_State *L, int index, uint32_t class_id);

// From now on every metatable with an `__index` that cjson_tree_from_lua meets is a class, registered then;
// it has none if there is no memory for that.
void cjson_keep_classes(lua_State *L);

#ifdef __cplusplus
}
#endif
#endif
