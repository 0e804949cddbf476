// JSON text to Lua value: from simdjson's tape, or through a tree where only that tells whether limits hold.
#include "exact_parser.hpp"
#include "failure.hpp"
#include "parse.hpp"
#include "push.hpp"
#include "repeats.hpp"


namespace cjson {
namespace {

template <bool isCounted>
class TapePusher : Builder<isCounted> {
    using Base = Builder<isCounted>;
    using Base::L;

public:
    TapePusher(lua_State *L, Tape tape, size_t count, const cjson_making &making) : Base(L, making, count), tape(tape) {}

    bool root() { return Base::finish(value(0)); }

private:
    /// False when there is no memory for it; then things are left on the stack.
    /// Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] bool value(uint32_t depth) {
        uint64_t word = tape.words[at++];
        switch (Tape::kind(word)) {
        case '{': return object(word, depth + 1);
        case '[': return array(word, depth + 1);
        case '"': return Base::string(tape.string(word));
        case 'l': lua_pushinteger(L, static_cast<lua_Integer>(tape.words[at++])); break;
        case 'u': return Base::number(Digits(tape.words[at++]).span());
        case 'd': lua_pushnumber(L, tape.real(at++)); break;
        case 't': lua_pushboolean(L, 1); break;
        case 'f': lua_pushboolean(L, 0); break;
        default: cjson_push_null(L); break;
        }
        return true;
    }

    [[gnu::noinline]] bool array(uint64_t word, uint32_t depth) {
        Base::enter(depth);
        if (!Base::createTable(Tape::count(word), 0)) {
            return false;
        }
        size_t end = Tape::end(word);
        for (lua_Integer i = 1; at < end; i++) {
            if (!value(depth)) {
                return false;
            }
            lua_rawseti(L, -2, i);
        }
        at = end + 1;
        Base::markArray();
        return true;
    }

    [[gnu::noinline]] bool object(uint64_t word, uint32_t depth) {
        size_t end = Tape::end(word), fields = Tape::count(word);
        // A key that comes again replaces its value. Few such need no more room than they seem to.
        if (fields > 64) {
            fields = distinctKeys(tape, at, end, fields);
        }
        Base::enter(depth);
        if (!Base::createTable(0, fields)) {
            return false;
        }
        while (at < end) {
            if (!Base::key(tape.string(tape.words[at++])) || !value(depth)) {
                return false;
            }
            lua_rawset(L, -3);
        }
        at = end + 1;
        return true;
    }

    Tape tape;
    size_t at = 1;
};

struct Order {
    /// Of the text, or of its tree.
    Span bytes;
    const Tape *tape;
    const cjson_making &making;
    bool isMade = false;
};

int fill(lua_State *L) {
    auto &order = *static_cast<Order *>(lua_touserdata(L, 1));
    if (!order.tape) {
        order.isMade = cjson_push_tree(L, order.bytes.data, order.bytes.count, &order.making);
        return 1;
    }
    size_t count = order.bytes.count;
    // A text's value may take a little more for each byte than a tree's.
    order.isMade = isNoticed(order.making, count + count / 4)
        ? TapePusher<true>(L, *order.tape, count, order.making).root()
        : TapePusher<false>(L, *order.tape, count, order.making).root();
    return 1;
}

/// Pushes what is ordered, or an error. What the caller holds meanwhile is given back before that is raised.
int fillProtected(lua_State *L, Order &order) {
    lua_pushcfunction(L, fill);
    lua_pushlightuserdata(L, &order);
    return lua_pcall(L, 1, 1, 0);
}

}  // namespace
}  // namespace cjson

int cjson_push_json(lua_State *L, const uint8_t *json, size_t count, const cjson_limits *limits,
                    const cjson_making *making, cjson_error *error) {
    using namespace cjson;
    luaL_checkstack(L, 2, nullptr);
    Limits bounds(limits);
    Span text = withoutMark(json, count);
    Tape tape;
    Order order = {text, &tape, making ? *making : plainMaking};
    int status = LUA_OK, code = CJSON_OK;
    TapeState state = takeTape(text, text.count, bounds, tape);
    if (state == TapeState::taken) {
        status = fillProtected(L, order);
        giveTape();
    }
    if (state != TapeState::taken) {
        cjson_buffer buffer = takeSpareBuffer();
        buffer.count = 0;
        code = state == TapeState::unfit ? parseExactly(text, count - text.count, bounds, buffer, error)
                                         : cjson_tree_from_json(json, count, count, limits, &buffer, error);
        if (code == CJSON_OK) {
            order.bytes = {buffer.data, buffer.count};
            order.tape = nullptr;
            status = fillProtected(L, order);
        }
        giveSpareBuffer(buffer);
    }
    if (status != LUA_OK) {
        lua_error(L);
    }
    if (code == CJSON_OK && !order.isMade) {
        lua_pop(L, 1);
        code = fail(error, CJSON_NO_MEMORY, 0, "out of memory");
    }
    return code;
}

bool cjson_push_reading(lua_State *L, uint64_t reading, size_t count, const cjson_making *making) {
    using namespace cjson;
    luaL_checkstack(L, 2, nullptr);
    Tape tape;
    if (!takeTape(reading, tape)) {
        return false;
    }
    Order order = {{nullptr, count}, &tape, making ? *making : plainMaking};
    int status = fillProtected(L, order);
    giveTape();
    if (status != LUA_OK) {
        lua_error(L);
    }
    return true;
}
