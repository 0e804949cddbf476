// Reads any bytes as JSON text. An accepted text is a valid and stable tree, and is the same to both parsers
// and to Lua.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "buffer.hpp"
#include "exact_parser.hpp"
#include "state.hpp"

namespace {

bool isSame(const cjson_buffer &left, const cjson_buffer &right) {
    return left.count == right.count && std::memcmp(left.data, right.data, left.count) == 0;
}

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

/// Decoding directly into Lua equals decoding through a tree, errors included.
void compareWithTree(lua_State *L, const uint8_t *json, size_t count, const cjson_buffer &tree, int code, size_t offset) {
    static cjson_buffer straight, byTree;
    cjson_error error = {};
    int straightCode = cjson_push_json(L, json, count, nullptr, nullptr, &error);
    require(straightCode == code && lua_gettop(L) == (code == CJSON_OK));
    if (code) {
        require(error.offset == offset);
        return;
    }
    require(cjson_tree_from_lua(L, 1, nullptr, &straight, &error) == CJSON_OK);
    lua_settop(L, 0);
    cjson_push_tree(L, tree.data, tree.count, nullptr);
    require(cjson_tree_from_lua(L, 1, nullptr, &byTree, &error) == CJSON_OK);
    lua_settop(L, 0);
    require(isSame(straight, byTree));
}

/// Parsing in place, whatever bytes follow, equals parsing a copy.
void compareInPlace(const std::vector<uint8_t> &json, const cjson_buffer &tree, int code, size_t offset) {
    static cjson_buffer inPlace;
    cjson_error error = {};
    std::vector<uint8_t> text(json.size() + CJSON_PADDING, '7');
    std::copy(json.begin(), json.end(), text.begin());
    require(cjson_tree_from_json(text.data(), json.size(), text.size(), nullptr, &inPlace, &error) == code);
    require(code ? error.offset == offset : isSame(inPlace, tree));
}

/// Reading ahead gives the same tree, and the same in Lua.
void compareAhead(lua_State *L, const std::vector<uint8_t> &json, const cjson_buffer &tree, int code) {
    static cjson_buffer ahead, straight, byTree;
    cjson_kind kind;
    uint64_t reading = cjson_read_ahead(json.data(), json.size(), json.size(), nullptr, &kind);
    require(!reading || code == CJSON_OK);
    if (!reading) {
        return;
    }
    require(kind == cjson_tree_kind(tree.data, tree.count));
    require(cjson_push_reading(L, reading, json.size(), nullptr) && lua_gettop(L) == 1);
    cjson_error error;
    require(cjson_tree_from_lua(L, 1, nullptr, &straight, &error) == CJSON_OK);
    lua_settop(L, 0);
    cjson_push_tree(L, tree.data, tree.count, nullptr);
    require(cjson_tree_from_lua(L, 1, nullptr, &byTree, &error) == CJSON_OK && isSame(straight, byTree));
    lua_settop(L, 0);
    require(cjson_tree_from_reading(reading, json.size(), &ahead) && isSame(ahead, tree));
    static const uint8_t other[] = "[1]";
    cjson_tree_from_json(other, 3, 3, nullptr, &ahead, &error);
    require(!cjson_push_reading(L, reading, json.size(), nullptr) && lua_gettop(L) == 0);
    require(!cjson_tree_from_reading(reading, json.size(), &ahead));
}

/// Does the same for a list of such values: texts are distinguished by those before them.
void compareList(lua_State *L, const std::vector<uint8_t> &json) {
    static cjson_buffer tree;
    cjson_error error = {};
    std::vector<uint8_t> list;
    for (int i = 0; i < 4 || (list.size() < 600 && i < 64); i++) {
        list.push_back(i ? ',' : '[');
        list.insert(list.end(), json.begin(), json.end());
    }
    list.push_back(']');
    list.shrink_to_fit();
    int code = cjson_tree_from_json(list.data(), list.size(), list.size(), nullptr, &tree, &error);
    compareWithTree(L, list.data(), list.size(), tree, code, error.offset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    static cjson_buffer tree, exact, text, again;
    cjson_error error;
    cjson::Limits limits(nullptr);
    // A block of exactly this size, so that reading past its end is noticed.
    std::vector<uint8_t> input(data, data + count);
    input.shrink_to_fit();
    int code = cjson_tree_from_json(input.data(), count, count, nullptr, &tree, &error);
    require(code == CJSON_OK || error.offset <= count);

    size_t mark = count >= 3 && std::memcmp(data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    exact.count = 0;
    int exactCode = cjson::parseExactly({input.data() + mark, count - mark}, mark, limits, exact, nullptr);
    require(code == exactCode);
    lua_State *L = fuzzState();
    compareWithTree(L, input.data(), count, tree, code, error.offset);
    compareAhead(L, input, tree, code);
    compareInPlace(input, tree, code, error.offset);
    if (code) {
        return 0;
    }
    require(isSame(tree, exact));
    require(cjson_tree_is_valid(tree.data, tree.count, nullptr));
    require(cjson_json_from_tree(tree.data, tree.count, &text, &error) == CJSON_OK);
    require(cjson_tree_from_json(text.data, text.count, text.capacity, nullptr, &again, &error) == CJSON_OK);
    require(isSame(tree, again));

    compareList(L, input);
    cjson_push_tree(L, tree.data, tree.count, nullptr);
    require(cjson_json_from_lua(L, 1, nullptr, &text, &error) == CJSON_OK);
    require(lua_gettop(L) == 1);
    lua_settop(L, 0);
    return 0;
}
