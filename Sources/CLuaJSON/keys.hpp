#ifndef KEYS_HPP
#define KEYS_HPP

#include <cstdlib>

#include "lua.hpp"
#include "odd_keys.hpp"
#include "tree.hpp"

namespace cjson {

/// The keys of the table at an index, for a message that says why it is neither list nor object.
OddKeys oddKeys(lua_State *L, int index);

/// The kinds of keys of the table at an index.
struct Keys {
    size_t count = 0, strings = 0, integers = 0, positives = 0, items = 0;
    lua_Integer largest = 0;
    /// The value of `n`, if that is an integer.
    lua_Integer length = -1;
    /// The type of a key that only a general table can have, or that nothing can hold.
    int otherType = LUA_TNONE;
    bool holdsOthers = false;

    /// Counts them all, or some when `stop` gets set meanwhile.
    Keys(lua_State *L, int index, const volatile bool *stop);

    /// Exactly 1...n.
    bool areList() const { return items == count && largest == static_cast<lua_Integer>(count); }
    /// Items and `n`, their number with the holes, as table.pack has it; no more than there may well be.
    bool areListWithHoles() const {
        return strings == 1 && positives + 1 == count && length >= largest && length <= 1 << 20;
    }
    /// Whether they can be the names of an object.
    bool areNames() const { return strings + integers == count; }
    /// Why not even a general table can have them, or null.
    const char *unencodable() const;
};

/// The text of a key, for a path or an object. Holds it: the key must stay where it is.
class KeyText {
public:
    Span of(lua_Integer integer);
    Span of(lua_State *L, int index);

private:
    char text[32];
};

/// Texts of so many keys; null without memory.
struct KeyTexts {
    KeyText *all;

    explicit KeyTexts(size_t count) : all(static_cast<KeyText *>(std::malloc((count + 1) * sizeof(KeyText)))) {}
    KeyTexts(const KeyTexts &) = delete;
    KeyTexts &operator=(const KeyTexts &) = delete;
    ~KeyTexts() { std::free(all); }
};

/// Why the value on the top is no content.
const char *describeValue(lua_State *L, char *text, size_t size);

}  // namespace cjson
#endif
