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

    bool root() { return Base::finish(value(tape.words + 1, 0)); }

private:
    /// Gives the word behind the value; null when there is no memory for it, and then values are left on the
    /// stack. The frequent kinds are tested one after the other, not by a table of jumps, whose target the
    /// processor often guesses wrongly. Only containers and rare kinds are calls of their own.
    [[gnu::always_inline]] const uint64_t *value(const uint64_t *at, uint32_t depth) {
        uint64_t word = *at++;
        char kind = Tape::kind(word);
        if (__builtin_expect(kind == '"', 1)) {
            return Base::string(string(word)) ? at : nullptr;
        }
        if (kind == 'l') {
            lua_pushinteger(L, static_cast<lua_Integer>(*at));
            return at + 1;
        }
        if (kind == 'd') {
            lua_pushnumber(L, Tape::real(*at));
            return at + 1;
        }
        // Else the compiler makes such a table of them all.
        asm("" : "+r"(kind));
        if (kind == '{' || kind == '[') {
            bool made = kind == '{' ? object(word, at, depth + 1) : array(word, at, depth + 1);
            return made ? tape.words + Tape::end(word) + 1 : nullptr;
        }
        return rare(kind, at);
    }

    [[gnu::noinline]] const uint64_t *rare(char kind, const uint64_t *at) {
        if (kind == 'u') {
            return Base::number(Digits(*at).span()) ? at + 1 : nullptr;
        }
        if (kind == 't' || kind == 'f') {
            lua_pushboolean(L, kind == 't');
        } else {
            cjson_push_null(L);
        }
        return at;
    }

    [[gnu::noinline]] bool array(uint64_t word, const uint64_t *at, uint32_t depth) {
        Base::enter(depth);
        if (!Base::createTable(Tape::count(word), 0)) {
            return false;
        }
        const uint64_t *end = tape.words + Tape::end(word);
        for (lua_Integer i = 1; at < end; i++) {
            at = value(at, depth);
            if (!at) {
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
            if (!Base::key(string(key))) {
                return false;
            }
            at = value(at, depth);
            if (!at) {
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

/// Pushes the ordered value, or an error. The caller gives back what it holds before it raises that error.
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
