// Compares CJSON with lua-cjson, alternating in the same Lua state. Prints medians and ratios.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "cluajson.h"
#include "documents.hpp"

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

namespace {

int decode(lua_State *L) {
    size_t count;
    const char *text = luaL_checklstring(L, 1, &count);
    cjson_error error;
    if (cjson_push_json(L, reinterpret_cast<const uint8_t *>(text), count, nullptr, nullptr, &error)) {
        return luaL_error(L, "%s", error.message);
    }
    return 1;
}

cjson_buffer tree, encoded;

int decodeTree(lua_State *L) {
    size_t count;
    const char *text = luaL_checklstring(L, 1, &count);
    cjson_error error;
    if (cjson_tree_from_json(reinterpret_cast<const uint8_t *>(text), count, count, nullptr, &tree, &error)) {
        return luaL_error(L, "%s", error.message);
    }
    cjson_push_tree(L, tree.data, tree.count, nullptr);
    return 1;
}

int pushTree(lua_State *L) {
    cjson_push_tree(L, tree.data, tree.count, nullptr);
    return 1;
}

int makeTree(lua_State *L) {
    size_t count;
    const char *text = luaL_checklstring(L, 1, &count);
    auto bytes = reinterpret_cast<const uint8_t *>(text);
    return cjson_tree_from_json(bytes, count, count, nullptr, &tree, nullptr);
}

int encode(lua_State *L) {
    cjson_error error;
    if (cjson_json_from_lua(L, 1, nullptr, &encoded, &error)) {
        return luaL_error(L, "%s", error.message);
    }
    lua_pushlstring(L, reinterpret_cast<const char *>(encoded.data), encoded.count);
    return 1;
}

int encodeTree(lua_State *L) {
    cjson_error error;
    if (cjson_tree_from_lua(L, 1, nullptr, &tree, &error)
        || cjson_json_from_tree(tree.data, tree.count, &encoded, &error)) {
        return luaL_error(L, "%s", error.message);
    }
    lua_pushlstring(L, reinterpret_cast<const char *>(encoded.data), encoded.count);
    return 1;
}

int textOfTree(lua_State *L) {
    cjson_error error;
    int code = cjson_json_from_tree(tree.data, tree.count, &encoded, &error);
    return code ? luaL_error(L, "%s", error.message) : 0;
}

struct Contender {
    const char *name;
    lua_CFunction function;
    std::vector<double> times = {};
};

double median(std::vector<double> &times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The CPU time of this thread, which a busy machine changes less.
double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Nanoseconds of one call by the function at stack index 3, with the value at index 1 (the partner's: 2).
double time(lua_State *L, int rounds, int value) {
    double start = now();
    for (int i = 0; i < rounds; i++) {
        lua_pushvalue(L, 3);
        lua_pushvalue(L, value);
        lua_call(L, 1, 0);
    }
    return (now() - start) / rounds;
}

/// Pushes our function, or the partner's function of this name.
void pushFunction(lua_State *L, lua_CFunction ours, const char *partner) {
    if (ours) {
        lua_pushcfunction(L, ours);
        return;
    }
    lua_getglobal(L, "cjson");
    lua_getfield(L, -1, partner);
    lua_remove(L, -2);
}

/// The first contender is the partner, whose function has a name in lua-cjson. Returns how many times faster
/// the second is.
double compare(lua_State *L, const char *partner, std::vector<Contender> contenders, size_t bytes) {
    int rounds = static_cast<int>(std::max<size_t>(2, 500000 / bytes));
    for (int pass = 0; pass < 41; pass++) {
        for (auto &contender : contenders) {
            pushFunction(L, contender.function, partner);
            lua_gc(L, LUA_GCCOLLECT);
            contender.times.push_back(time(L, rounds, contender.function ? 1 : 2));
            lua_settop(L, 2);
        }
    }
    double base = median(contenders[0].times);
    for (auto &contender : contenders) {
        double spent = median(contender.times);
        std::printf("  %-28s %12.1f us %8.2fx\n", contender.name, spent / 1000, base / spent);
    }
    return base / median(contenders[1].times);
}

/// Returns the ratio of decoding.
double run(lua_State *L, const char *name, const std::string &document) {
    std::printf("%s, %zu bytes\n", name, document.size());
    lua_pushlstring(L, document.data(), document.size());
    lua_pushvalue(L, 1);
    double ratio = compare(L, "decode",
            {{"lua-cjson decode", nullptr},
             {"CJSON decode", decode},
             {"CJSON text-tree-Lua", decodeTree},
             {"  of it text-tree", makeTree},
             {"  of it tree-Lua", pushTree}},
            document.size());
    lua_getglobal(L, "cjson");
    lua_getfield(L, -1, "decode");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_replace(L, 2);
    lua_pop(L, 1);
    decode(L);
    lua_replace(L, 1);
    compare(L, "encode",
            {{"lua-cjson encode", nullptr},
             {"CJSON encode", encode},
             {"CJSON Lua-tree-text", encodeTree},
             {"  of it tree-text", textOfTree}},
            document.size());
    lua_settop(L, 0);
    return ratio;
}

/// Returns the ratio of decoding documents with different numbers, addresses and times, so that memory of the
/// last document helps little.
double runOthers(lua_State *L) {
    std::vector<std::string> documents;
    for (unsigned seed = 0; seed < 400; seed++) {
        documents.push_back(records(30, seed));
    }
    std::vector<double> times[2];
    for (int pass = 0; pass < 21; pass++) {
        for (int ours = 0; ours < 2; ours++) {
            lua_gc(L, LUA_GCCOLLECT);
            double start = now();
            for (const std::string &document : documents) {
                pushFunction(L, ours ? decode : nullptr, "decode");
                lua_pushlstring(L, document.data(), document.size());
                lua_call(L, 1, 0);
            }
            times[ours].push_back((now() - start) / static_cast<double>(documents.size()));
        }
    }
    double partner = median(times[0]), spent = median(times[1]);
    std::printf("30 other records each time\n  %-28s %12.1f us\n  %-28s %12.1f us %8.2fx\n", "lua-cjson decode",
                partner / 1000, "CJSON decode", spent / 1000, partner / spent);
    return partner / spent;
}

}  // namespace

int main(int count, char **arguments) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    cjson_open(L);
    if (luaL_dostring(L, "cjson = require 'cjson'")) {
        std::printf("no partner: %s\n", lua_tostring(L, -1));
        return 1;
    }
    lua_settop(L, 0);
    if (count > 1 && std::string(arguments[1]) == "--profile") {
        std::string document = records(30);
        lua_pushlstring(L, document.data(), document.size());
        for (int i = 0; i < 2000; i++) {
            decode(L);
            lua_settop(L, 1);
        }
        return 0;
    }
    double small = run(L, "30 records", records(30));
    double others = runOthers(L);
    run(L, "one record", records(1));
    double large = run(L, "300 records", records(300));
    run(L, "10,000 records", records(10000));
    run(L, "numbers", numbers(2000));
    run(L, "texts", texts(500));
    std::printf("{\"ratio\":%.2f,\"ratio of others\":%.2f,\"ratio of 300 records\":%.2f}\n", small, others, large);
    lua_close(L);
    return 0;
}
