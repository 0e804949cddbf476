// Tree to Lua value.
#include "tree_pusher.hpp"

bool cjson_push_tree(lua_State *L, const uint8_t *tree, size_t count, const cjson_making *making) {
    using namespace cjson;
    const cjson_making &how = making ? *making : plainMaking;
    return isNoticed(how, count) ? TreePusher<true>(L, {tree, count}, how).root()
                                 : TreePusher<false>(L, {tree, count}, how).root();
}
