// What was read ahead, to JSON text.
#include "json_writer.hpp"
#include "parse.hpp"
#include "repeats.hpp"

namespace cjson {
namespace {

/// Writes what a tape has as Encoder writes the tape's tree.
class TapeEncoder {
public:
    TapeEncoder(Tape tape, JSONWriter &json) : tape(tape), json(json) {}

    /// False when a key comes twice in an object: text that has been written can't be taken back.
    bool root() {
        at = 1;
        return value();
    }

private:
    // Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] bool value() {
        uint64_t word = tape.words[at++];
        switch (Tape::kind(word)) {
        case '{': return object(word);
        case '[': return array(word);
        case '"': string(word); break;
        case 'l': json.integer(static_cast<int64_t>(tape.words[at++])); break;
        case 'u': json.number(Digits(tape.words[at++]).span()); break;
        case 'd': json.real(Tape::real(tape.words[at++])); break;
        case 't': json.boolean(true); break;
        case 'f': json.boolean(false); break;
        default: json.null(); break;
        }
        return true;
    }

    [[gnu::noinline]] bool array(uint64_t word) {
        size_t end = Tape::end(word), begun = at;
        json.byte('[');
        while (at < end) {
            if (at > begun) {
                json.byte(',');
            }
            if (!value()) {
                return false;
            }
        }
        json.byte(']');
        at = end + 1;
        return true;
    }

    [[gnu::noinline]] bool object(uint64_t word) {
        size_t end = Tape::end(word), begun = at, count = 0;
        bool mayRepeat = false;
        KeyFilter keys;
        json.byte('{');
        for (; at < end; count++) {
            if (count) {
                json.byte(',');
            }
            uint64_t key = tape.words[at++];
            mayRepeat |= keys.mayKnow(tape.string(key));
            string(key);
            json.byte(':');
            if (!value()) {
                return false;
            }
        }
        json.byte('}');
        at = end + 1;
        return __builtin_expect(!mayRepeat, 1) || distinctKeys(tape, begun, end, count) == count;
    }

    /// simdjson has looked whether it is UTF-8.
    void string(uint64_t word) {
        size_t offset;
        json.string(tape.string(word), offset);
    }

    Tape tape;
    JSONWriter &json;
    size_t at = 0;
};

}  // namespace
}  // namespace cjson

bool cjson_json_from_reading(uint64_t reading, size_t count, cjson_buffer *out) {
    using namespace cjson;
    Tape tape;
    if (!takeTape(reading, tape)) {
        return false;
    }
    out->count = 0;
    Writer writer(*out, maximumBytes);
    writer.reserve(count);
    JSONWriter json(writer);
    bool written = TapeEncoder(tape, json).root() && !writer.finish();
    giveTape();
    if (!written) {
        out->count = 0;
    }
    return written;
}
