#include "tape_writer.hpp"

#include <algorithm>

#include "tape.hpp"
#include "tape_numbers.hpp"

namespace cjson {
namespace {

constexpr uint64_t as(char kind, uint64_t rest = 0) { return uint64_t{static_cast<uint8_t>(kind)} << 56 | rest; }

constexpr uint32_t letters(const char (&four)[5]) {
    uint32_t all = 0;
    for (int i = 3; i >= 0; i--) {
        all = all << 8 | static_cast<uint8_t>(four[i]);
    }
    return all;
}

using Stages = simdjson::internal::dom_parser_implementation;

/// Where the copy of a string without its escapes ends; null when one is wrong. Later versions ask whether
/// halves of surrogate pairs may be replaced.
template <class Any>
uint8_t *unescape(const Any &stages, const uint8_t *from, uint8_t *to) {
    if constexpr (requires { stages.parse_string(from, to, false); }) {
        return stages.parse_string(from, to, false);
    } else {
        return stages.parse_string(from, to);
    }
}

/// The strings that aren't in the text as they are meant.
class Copies {
public:
    Copies(simdjson::dom::parser &parser, const uint8_t *text, const uint8_t *textEnd)
        : stages(*parser.implementation), text(text), textEnd(textEnd), strings(parser.doc.string_buf.get()), free(strings) {}

    /// Where the next backslash is: strings that end before it have none.
    size_t escape(size_t from) const {
        auto found = static_cast<const uint8_t *>(std::memchr(text + from, '\\', static_cast<size_t>(textEnd - text) - from));
        return static_cast<size_t>((found ? found : textEnd) - text);
    }

    /// The word of a string that begins here; 0 when it is wrong.
    [[gnu::noinline]] uint64_t word(size_t begin) {
        uint8_t *end = unescape(stages, text + begin, free);
        size_t count = static_cast<size_t>(end - free), offset = static_cast<size_t>(free - strings);
        if (!end || count > Tape::mostInText) {
            return 0;
        }
        free = end;
        return as('"', Tape::isCopied | count << 32 | offset);
    }

private:
    const Stages &stages;
    const uint8_t *text, *textEnd;
    uint8_t *strings, *free;
};

/// Ends where much of a text takes longer here than in simdjson, whose second stage then reads it all.
class Patience {
public:
    [[gnu::always_inline]] bool ends(ptrdiff_t tokens) { return ++count > 8 + tokens / 16; }

private:
    ptrdiff_t count = 0;
};

constexpr bool begins(uint8_t c) { return (c | 0x20) == '{'; }
static_assert(('[' | 0x20) == '{');

/// Each label is what comes next, so that no container is a call, and what is used for each token stays in
/// registers. The last token ends a container, so only after such an end it must look for more tokens: behind
/// every other token is one.
bool write(simdjson::dom::parser &parser, const uint8_t *const text, const uint8_t *const textEnd, const uint32_t mostDepth) {
    const uint32_t *const first = parser.implementation->structural_indexes.get(), *next = first;
    const uint32_t *const last = first + parser.implementation->n_structural_indexes;
    uint64_t *const words = parser.doc.tape.get(), *word = words + 1;
    Copies copies(parser, text, textEnd);
    Patience timeout;
    size_t escape = copies.escape(0);
    // The container that is being read. Those around it are kept on the tape, each in the word of the one
    // inside of it, which is written at its end.
    uint64_t start = 0, count = 0;
    bool isObject = false;
    uint32_t depth = 0;
    uint8_t c;

    // Between a string's end and the next token there is nothing but space.
    auto takeString = [&]() __attribute__((always_inline)) {
        size_t begin = size_t{next[0]} + 1, end = size_t{next[1]} - 1;
        while (text[end] != '"') {
            end--;
        }
        // Of a string without an end, what was found is its beginning.
        uint64_t bytes = end - begin;
        if (bytes > Tape::mostInText) {
            return false;
        }
        if (__builtin_expect(end > escape, 0)) {
            *word = copies.word(begin);
            if (!*word || timeout.ends(next - first)) {
                return false;
            }
            escape = copies.escape(end);
        } else {
            *word = as('"', bytes << 32 | begin);
        }
        word++;
        next++;
        return true;
    };
    auto takeNumber = [&]() __attribute__((always_inline)) {
        const uint8_t *from = text + *next++, *digits = from + (c == '-'), *stop = digits;
        uint64_t value = 0;
        if (*next - static_cast<uint32_t>(from - text) > 16) {
            while (takeEightDigits(stop, value)) {
            }
        }
        value = takeDigits(stop, value);
        ptrdiff_t taken = stop - digits;
        if (!taken || (taken > 1 && *digits == '0')) {
            return false;
        }
        if (endings[*stop]) {
            if (taken > 18 && (taken > 19 || value > INT64_MAX)) {
                // It needs all 64 bits. Negative numbers and larger ones are for another reader.
                if (c == '-' || taken > 20 || (taken == 20 && (c != '1' || value <= INT64_MAX))) {
                    return false;
                }
                c = 0;
            }
            word[0] = as(c ? 'l' : 'u');
            word[1] = c == '-' ? -value : value;
        } else {
            const uint8_t *fraction = stop + 1;
            double real;
            word[0] = as('d');
            if (*stop == '.') {
                stop = fraction;
                value = takeDigits(stop, value);
            }
            // Eighteen digits and a point; then both are exact, and their quotient is the nearest double.
            if (stop > fraction && stop - digits <= 19 && value < longNumber && endings[*stop]) {
                real = static_cast<double>(static_cast<int64_t>(value)) / powers[stop - fraction];
                real = c == '-' ? -real : real;
            } else if (stop == fraction || !readReal(text, from, textEnd, real, *word)) {
                return false;
            }
            std::memcpy(word + 1, &real, sizeof real);
        }
        word += 2;
        return true;
    };
    // By its last four letters; what begins with another letter is no null.
    auto takeWord = [&]() __attribute__((always_inline)) {
        const uint8_t *from = text + *next++ + (c == 'f');
        uint32_t expected = c == 't' ? letters("true") : c == 'f' ? letters("alse") : letters("null");
        *word++ = as(static_cast<char>(c));
        return load<uint32_t>(from) == expected && endings[from[4]];
    };
    auto takeScalar = [&]() __attribute__((always_inline)) {
        return c == '"' ? takeString() : c == '-' || c - '0' < 10u ? takeNumber() : takeWord();
    };

    // With an end, no number reaches what lies behind the text, which may be digits.
    if (next == last || !begins(c = text[*next]) || text[last[-1]] != c + 2) {
        return false;
    }
container:
    if (depth == mostDepth) {
        return false;
    }
    // An empty one. The code of an end is that of its beginning and two, for both kinds.
    if (text[next[1]] == c + 2) {
        uint64_t at = static_cast<uint64_t>(word - words);
        word[0] = as(static_cast<char>(c), at + 2);
        word[1] = as(static_cast<char>(c + 2), at);
        word += 2;
        next += 2;
        goto ended;
    }
    depth++;
    *word = uint64_t{isObject} << 63 | count << 32 | start;
    start = static_cast<uint64_t>(word++ - words);
    count = 1;
    next++;
    isObject = c == '{';
    if (!isObject) {
        goto item;
    }
field:
    if (text[*next] != '"' || !takeString() || text[*next++] != ':') {
        return false;
    }
    c = text[*next];
    if (begins(c)) {
        goto container;
    }
    if (!takeScalar()) {
        return false;
    }
behindField:
    c = text[*next++];
    if (c == ',') {
        count++;
        goto field;
    }
    if (c == '}') {
        goto end;
    }
    return false;
item:
    c = text[*next];
    if (begins(c)) {
        goto container;
    }
    if (!takeScalar()) {
        return false;
    }
behindItem:
    c = text[*next++];
    if (c == ',') {
        count++;
        goto item;
    }
    if (c != ']') {
        return false;
    }
end:
    depth--;
    {
        uint64_t around = words[start];
        *word++ = as(static_cast<char>(c), start);
        words[start] = as(static_cast<char>(c - 2), std::min<uint64_t>(count, Tape::mostCounted) << 32
                                                        | static_cast<uint64_t>(word - words));
        start = static_cast<uint32_t>(around);
        count = around << 1 >> 33;
        isObject = around >> 63;
    }
ended:
    if (next == last || !depth) {
        return next == last && !depth;
    }
    if (isObject) {
        goto behindField;
    }
    goto behindItem;
}

}  // namespace

bool writeTape(simdjson::dom::parser &parser, Span text, uint32_t depth) {
    return text.count <= UINT32_MAX
        && write(parser, text.data, text.data + text.count, std::min(maximumDepth, depth - (depth > 0)));
}

}  // namespace cjson
