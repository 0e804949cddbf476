// Any bytes as a tree: the valid ones become Lua values, and those trees again.
#include <cstdlib>
#include <vector>

#include "state.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    static cjson_buffer text, again;
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
    cjson_json_from_lua(L, 1, nullptr, &text, &error);
    lua_settop(L, 0);
    if (!sound) {
        std::abort();
    }
    return 0;
}
