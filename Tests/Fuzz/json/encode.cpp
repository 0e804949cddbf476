// Reads any bytes as a tree. Valid trees become Lua values, and those become trees again.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "state.hpp"
#include "tree.hpp"

namespace {

/// Whether the keys of all objects are in the order of their bytes.
bool isSorted(const uint8_t *&at) {
    using namespace cjson;
    auto tag = static_cast<Tag>(*at);
    if (tag == Tag::classed) {
        at += 5;
        return isSorted(at);
    }
    if (tag != Tag::array && tag != Tag::object && tag != Tag::table) {
        at = behind(at);
        return true;
    }
    auto count = load<uint32_t>(at + 5);
    at += 1 + (tag == Tag::table ? tableHead : containerHead);
    Span before{nullptr, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (tag == Tag::object) {
            Span key = takeBytes(at);
            size_t common = key.count < before.count ? key.count : before.count;
            int order = common ? std::memcmp(before.data, key.data, common) : 0;
            if (i && (order > 0 || (order == 0 && before.count >= key.count))) {
                return false;
            }
            before = key;
        } else if (tag == Tag::table) {
            at = behind(at);
        }
        if (!isSorted(at)) {
            return false;
        }
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    static cjson_buffer text, again, byTree;
    cjson_error error;
    std::vector<uint8_t> input(data, data + count);
    input.shrink_to_fit();
    if (!cjson_tree_is_valid(input.data(), count, nullptr)) {
        return 0;
    }
    cjson_json_from_tree(input.data(), count, &text, &error);
    lua_State *L = fuzzState();
    cjson_push_tree(L, input.data(), count, nullptr);
    bool sound = cjson_tree_from_lua(L, 1, nullptr, &again, &error) == CJSON_OK
        && cjson_tree_is_valid(again.data, again.count, nullptr) && lua_gettop(L) == 1;
    // Directly to text, or through the tree that was made just now.
    if (cjson_json_from_lua(L, 1, nullptr, &text, &error) == CJSON_OK) {
        sound = sound && cjson_json_from_tree(again.data, again.count, &byTree, &error) == CJSON_OK
            && text.count == byTree.count && std::memcmp(text.data, byTree.data, text.count) == 0;
    }
    // The tree of plain text equals the tree of the value.
    if (cjson_plain_json_from_lua(L, 1, nullptr, &text, &error) == CJSON_OK) {
        sound = sound && cjson_tree_from_json(text.data, text.count, text.capacity, nullptr, &byTree, &error) == CJSON_OK
            && byTree.count == again.count && std::memcmp(byTree.data, again.data, again.count) == 0;
    }
    const uint8_t *at = again.data;
    sound = sound && isSorted(at);
    lua_settop(L, 0);
    if (!sound) {
        std::abort();
    }
    return 0;
}
