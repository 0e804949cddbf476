// JSON text to Lua value: from simdjson's tape, or through a tree where only that tells whether limits hold.
#include "exact_parser.hpp"
#include "failure.hpp"
#include "parse.hpp"
#include "push.hpp"
#include "repeats.hpp"


namespace cjson {
namespace {

/// `isInText`: the tape is one of writeTape.
template <bool isCounted, bool isInText>
class TapePusher : Builder<isCounted> {
    using Base = Builder<isCounted>;
    using Base::L;

public:
    TapePusher(lua_State *L, Tape tape, size_t count, const cjson_making &making) : Base(L, making, count), tape(tape) {}

    bool root() {
        const uint64_t *at = tape.words + 1;
        return Base::finish(value(at, 0));
    }

private:
    /// Moves behind the value. False when there is no memory for it; then things are left on the stack.
    /// Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] bool value(const uint64_t *&at, uint32_t depth) {
        uint64_t word = *at++;
        // Most are strings, which then need no table of jumps.
        switch (__builtin_expect(Tape::kind(word), '"')) {
        case '"': return Base::string(string(word));
        case '{': {
            const uint64_t *fields = at;
            at = tape.words + Tape::end(word) + 1;
            return object(word, fields, depth + 1);
        }
        case '[': {
            const uint64_t *items = at;
            at = tape.words + Tape::end(word) + 1;
            return array(word, items, depth + 1);
        }
        case 'l': lua_pushinteger(L, static_cast<lua_Integer>(*at++)); break;
        case 'u': return Base::number(Digits(*at++).span());
        case 'd': lua_pushnumber(L, Tape::real(*at++)); break;
        case 't': lua_pushboolean(L, 1); break;
        case 'f': lua_pushboolean(L, 0); break;
        default: cjson_push_null(L); break;
        }
        return true;
    }

    [[gnu::noinline]] bool array(uint64_t word, const uint64_t *at, uint32_t depth) {
        Base::enter(depth);
        if (!Base::createTable(Tape::count(word), 0)) {
            return false;
        }
        const uint64_t *end = tape.words + Tape::end(word);
        for (lua_Integer i = 1; at < end; i++) {
            if (!value(at, depth)) {
                return false;
            }
            lua_rawseti(L, -2, i);
        }
        Base::markArray();
        return true;
    }

    [[gnu::noinline]] bool object(uint64_t word, const uint64_t *at, uint32_t depth) {
        const uint64_t *end = tape.words + Tape::end(word);
        size_t fields = Tape::count(word);
        // A key that comes again replaces its value. Few such need no more room than they seem to.
        if (fields > 64) {
            fields = distinctKeys(tape, static_cast<size_t>(at - tape.words), Tape::end(word), fields);
        }
        Base::enter(depth);
        if (!Base::createTable(0, fields)) {
            return false;
        }
        while (at < end) {
            uint64_t key = *at++;
            if (!Base::key(string(key)) || !value(at, depth)) {
                return false;
            }
            lua_rawset(L, -3);
        }
        return true;
    }

    [[gnu::always_inline]] Span string(uint64_t word) const {
        return isInText ? tape.stringOfText(word) : tape.string(word);
    }

    const Tape tape;
};

struct Order {
    /// Of the text, or of its tree.
    Span bytes;
    const Tape *tape;
    const cjson_making &making;
    bool isMade = false;
};

template <bool isCounted>
bool push(lua_State *L, const Order &order, size_t count) {
    return order.tape->text ? TapePusher<isCounted, true>(L, *order.tape, count, order.making).root()
                            : TapePusher<isCounted, false>(L, *order.tape, count, order.making).root();
}

int fill(lua_State *L) {
    auto &order = *static_cast<Order *>(lua_touserdata(L, 1));
    if (!order.tape) {
        order.isMade = cjson_push_tree(L, order.bytes.data, order.bytes.count, &order.making);
        return 1;
    }
    size_t count = order.bytes.count;
    // A text's value may take a little more for each byte than a tree's.
    order.isMade = isNoticed(order.making, count + count / 4) ? push<true>(L, order, count) : push<false>(L, order, count);
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
