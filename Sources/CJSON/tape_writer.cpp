#include "tape_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "tape.hpp"

namespace cjson {
namespace {

/// What may stand behind a number or a word; what else does is simdjson's to refuse.
constexpr std::array<bool, 256> endings = [] {
    std::array<bool, 256> found{};
    for (uint8_t c : {' ', '\t', '\n', '\r', ',', ']', '}'}) {
        found[c] = true;
    }
    return found;
}();

/// Powers of ten that are doubles.
constexpr double powers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                             1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

constexpr uint64_t as(char kind, uint64_t rest = 0) { return uint64_t{static_cast<uint8_t>(kind)} << 56 | rest; }

constexpr uint32_t letters(const char (&four)[5]) {
    uint32_t all = 0;
    for (int i = 3; i >= 0; i--) {
        all = all << 8 | static_cast<uint8_t>(four[i]);
    }
    return all;
}

/// Eight at once, if these are eight.
inline bool takeEightDigits(const uint8_t *&at, uint64_t &value) {
    constexpr uint64_t ones = 0x0101010101010101;
    uint64_t eight = load<uint64_t>(at);
    // Digits are 0x30 to 0x39: of what else begins with 3, all is beyond 0x40 with 6 more.
    if ((eight & ones * 0xF0) != ones * 0x30 || ((eight + ones * 6) & ones * 0xF0) != ones * 0x30) {
        return false;
    }
    // Neighbours become twos, those fours, and those the whole.
    eight = (eight & ones * 0x0F) * (10 << 8 | 1) >> 8;
    eight = (eight & 0x00FF00FF00FF00FF) * (100 << 16 | 1) >> 16;
    eight = (eight & 0x0000FFFF0000FFFF) * (uint64_t{10000} << 32 | 1) >> 32;
    value = value * 100000000 + eight;
    at += 8;
    return true;
}

inline uint64_t takeDigits(const uint8_t *&at, uint64_t value) {
    for (uint8_t digit; (digit = static_cast<uint8_t>(*at - '0')) < 10; at++) {
        value = value * 10 + digit;
    }
    return value;
}

/// Of digits, with a point before the last of them perhaps, and an exponent. JSON has stricter rules for what
/// is before that.
[[gnu::noinline]] bool readReal(const uint8_t *from, const uint8_t *end, double &real) {
    auto [stop, code] = std::from_chars(reinterpret_cast<const char *>(from), reinterpret_cast<const char *>(end), real);
    return code == std::errc{} && endings[static_cast<uint8_t>(*stop)];
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

/// The container that is being read. Those around it are kept on the tape, each in the word of the one inside
/// of it, which is written at its end.
struct Container {
    uint32_t start;
    uint32_t count : 31;
    uint32_t isObject : 1;
};
static_assert(sizeof(Container) == sizeof(uint64_t));

/// Ends where much of a text takes longer here than in simdjson, whose second stage then reads it all.
class Patience {
public:
    [[gnu::always_inline]] bool ends(ptrdiff_t tokens) { return ++count > 8 + tokens / 16; }

private:
    ptrdiff_t count = 0;
};

/// Each label is what comes next, so that no container is a call, and what is used for each token stays in
/// registers.
bool write(simdjson::dom::parser &parser, const uint8_t *const text, const uint8_t *const textEnd, const uint32_t mostDepth) {
    const uint32_t *const first = parser.implementation->structural_indexes.get(), *next = first;
    const uint32_t *const last = first + parser.implementation->n_structural_indexes;
    uint64_t *const words = parser.doc.tape.get(), *word = words + 1;
    Copies copies(parser, text, textEnd);
    Patience patience;
    size_t escape = copies.escape(0);
    Container open = {};
    uint32_t depth = 0;
    uint8_t c;

    // Between a string's end and the next token there is nothing but space.
    auto takeString = [&]() __attribute__((always_inline)) {
        if (last - next < 2) {
            return false;
        }
        size_t begin = size_t{next[0]} + 1, end = size_t{next[1]} - 1;
        while (text[end] != '"') {
            end--;
        }
        if (end < begin || end - begin > Tape::mostInText) {
            return false;
        }
        if (__builtin_expect(end > escape, 0)) {
            *word = copies.word(begin);
            if (!*word++ || patience.ends(next - first)) {
                return false;
            }
            escape = copies.escape(end);
        } else {
            *word++ = as('"', uint64_t{end - begin} << 32 | begin);
        }
        next++;
        return true;
    };
    // By its last four letters; what begins with another letter is no null.
    auto takeWord = [&]() __attribute__((always_inline)) {
        const uint8_t *from = text + *next++ + (c == 'f');
        uint32_t expected = c == 't' ? letters("true") : c == 'f' ? letters("alse") : letters("null");
        *word++ = as(static_cast<char>(c));
        return load<uint32_t>(from) == expected && endings[from[4]];
    };

    // With an end, no number reaches what lies behind the text, which may be digits.
    if (next == last || ((c = text[*next]) != '{' && c != '[') || text[last[-1]] != c + 2) {
        return false;
    }
container:
    if (depth == mostDepth || last - next < 2) {
        return false;
    }
    // An empty one. The code of an end is that of its beginning and two, for both kinds.
    if (uint64_t start = static_cast<uint64_t>(word - words); text[next[1]] == c + 2) {
        word[0] = as(static_cast<char>(c), start + 2);
        word[1] = as(static_cast<char>(c + 2), start);
        word += 2;
        next += 2;
        goto closed;
    }
    depth++;
    std::memcpy(word, &open, sizeof open);
    open = {static_cast<uint32_t>(word++ - words), 0, c == '{'};
    next++;
    if (!open.isObject) {
        goto item;
    }
field:
    // A key, its colon, and a value.
    if (last - next < 3 || text[*next] != '"' || !takeString() || text[*next++] != ':') {
        return false;
    }
item:
    open.count++;
    if (next == last) {
        return false;
    }
    c = text[*next];
    if (c == '"') {
        if (!takeString()) {
            return false;
        }
    } else if (c == '{' || c == '[') {
        goto container;
    } else if (c == '-' || c - '0' < 10u) {
        const uint8_t *from = text + *next++, *digits = from + (c == '-'), *stop = digits;
        uint64_t value = 0;
        if (*next - static_cast<uint32_t>(from - text) > 16) {
            while (takeEightDigits(stop, value)) {
            }
        }
        value = takeDigits(stop, value);
        ptrdiff_t count = stop - digits;
        if (!count || (count > 1 && *digits == '0')) {
            return false;
        }
        if (endings[*stop]) {
            if (count > 18 && (count > 19 || value > INT64_MAX)) {
                // With 64 bits, and 63 don't hold it. What is negative, or has more, is for another reader.
                if (c == '-' || count > 20 || (count == 20 && (c != '1' || value <= INT64_MAX))) {
                    return false;
                }
                c = 0;
            }
            word[0] = as(c ? 'l' : 'u');
            word[1] = c == '-' ? -value : value;
        } else {
            const uint8_t *fraction = stop + 1;
            double real;
            if (*stop == '.') {
                stop = fraction;
                value = takeDigits(stop, value);
            }
            // Eighteen digits and a point; then both are exact, and their quotient is the nearest double.
            if (stop > fraction && stop - digits <= 19 && value <= uint64_t{1} << 53 && endings[*stop]) {
                real = static_cast<double>(static_cast<int64_t>(value)) / powers[stop - fraction];
                real = c == '-' ? -real : real;
            } else if (stop == fraction || patience.ends(next - first) || !readReal(from, textEnd, real)) {
                return false;
            }
            word[0] = as('d');
            std::memcpy(word + 1, &real, sizeof real);
        }
        word += 2;
    } else if (!takeWord()) {
        return false;
    }
behind:
    if (next == last) {
        return false;
    }
    c = text[*next];
    if (c == ',') {
        next++;
        if (open.isObject) {
            goto field;
        }
        goto item;
    }
    if (c != (open.isObject ? '}' : ']')) {
        return false;
    }
    next++;
    depth--;
    {
        uint64_t &start = words[open.start];
        *word = as(static_cast<char>(c), open.start);
        uint64_t count = std::min<uint64_t>(open.count, Tape::mostCounted);
        std::memcpy(&open, &start, sizeof open);
        start = as(static_cast<char>(c - 2), count << 32 | static_cast<uint64_t>(++word - words));
    }
closed:
    if (depth) {
        goto behind;
    }
    return next == last;
}

}  // namespace

bool writeTape(simdjson::dom::parser &parser, Span text, uint32_t depth) {
    return text.count <= UINT32_MAX
        && write(parser, text.data, text.data + text.count, std::min(maximumDepth, depth - (depth > 0)));
}

}  // namespace cjson
