#include "exact_parser.hpp"

#include <charconv>
#include <system_error>

#include "repeats.hpp"
#include "text.hpp"
#include "tree_writer.hpp"

namespace cjson {
namespace {

class ExactParser {
public:
    ExactParser(Span text, const Limits &limits, Writer &out)
        : begin(text.data), end(text.data + text.count), at(text.data), limits(limits), out(out), tree(out) {}

    bool document() {
        skipSpace();
        if (at == end) {
            return refuse("no value, the text is empty");
        }
        if (!value(0)) {
            return false;
        }
        skipSpace();
        return at == end || refuse("something follows the value");
    }

    int code = CJSON_OK;
    const char *message = "";
    Repeats repeats;
    size_t offset() const { return static_cast<size_t>(at - begin); }

private:
    bool value(uint32_t depth) {
        if (at == end) {
            return refuse("the text ends where a value should be");
        }
        switch (*at) {
        case '{': return object(depth + 1);
        case '[': return array(depth + 1);
        case '"': return string(true);
        case 't': return word("true") && (tree.boolean(true), true);
        case 'f': return word("false") && (tree.boolean(false), true);
        case 'n': return word("null") && (tree.null(), true);
        default: return *at == '-' || isDigit() ? number() : refuse("no value begins like this");
        }
    }

    bool array(uint32_t depth) {
        if (depth > limits.depth) {
            return tooDeep();
        }
        // The failure stands, however the text goes on.
        if (int failure = out.failure()) {
            return refuse(failure == CJSON_NO_MEMORY ? "out of memory" : "the result is larger than the limit", failure);
        }
        size_t begun = tree.begin(Tag::array), count = 0;
        at++;
        skipSpace();
        if (at < end && *at == ']') {
            at++;
            tree.end(begun, 0);
            return true;
        }
        do {
            skipSpace();
            if (!value(depth)) {
                return false;
            }
            count++;
            skipSpace();
        } while (take(','));
        tree.end(begun, count);
        return take(']') || refuse("an array goes on with , or ends with ]");
    }

    bool object(uint32_t depth) {
        if (depth > limits.depth) {
            return tooDeep();
        }
        // The failure stands, however the text goes on.
        if (int failure = out.failure()) {
            return refuse(failure == CJSON_NO_MEMORY ? "out of memory" : "the result is larger than the limit", failure);
        }
        size_t begun = tree.begin(Tag::object), count = 0;
        KeyFilter keys;
        bool mayRepeat = false;
        at++;
        skipSpace();
        if (at < end && *at == '}') {
            at++;
            tree.end(begun, 0);
            return true;
        }
        do {
            skipSpace();
            if (at == end || *at != '"') {
                return refuse("a key is a string");
            }
            size_t head = out.count();
            if (!string(false)) {
                return false;
            }
            if (const uint8_t *key = out.at(head)) {
                mayRepeat |= keys.mayKnowAnywhere(takeBytes(key));
            }
            skipSpace();
            if (!take(':')) {
                return refuse("a key is followed by :");
            }
            skipSpace();
            if (!value(depth)) {
                return false;
            }
            count++;
            skipSpace();
        } while (take(','));
        tree.end(begun, count);
        if (mayRepeat) {
            repeats.look(out, begun, count);
        }
        return take('}') || refuse("an object goes on with , or ends with }");
    }

    /// The bytes are appended behind a head of the long form; a short string moves up.
    bool string(bool tagged) {
        if (tagged) {
            tree.tag(Tag::string);
        }
        size_t head = out.count();
        out.bytes("\xFF\0\0\0", 5);
        const uint8_t *opening = at++;
        while (at < end && *at != '"') {
            if (*at < 0x20) {
                return refuse("a control character in a string");
            }
            if (*at == '\\') {
                if (!escape()) {
                    return false;
                }
            } else {
                out.byte(*at++);
            }
        }
        if (at == end) {
            at = opening;
            return refuse("a string without its end");
        }
        at++;
        tree.closeBytes(head);
        return true;
    }

    bool escape() {
        static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
        if (end - at < 2) {
            return refuse("the text ends inside of an escape");
        }
        if (at[1] == 'u') {
            return unicode();
        }
        const char *name = static_cast<const char *>(std::memchr(names, at[1], sizeof names - 1));
        if (!name) {
            return refuse("no such escape");
        }
        out.byte(static_cast<uint8_t>(means[name - names]));
        at += 2;
        return true;
    }

    bool unicode() {
        uint32_t scalar, low;
        if (!hex(at, scalar)) {
            return refuse("\\u needs four hexadecimal digits");
        }
        size_t taken = 6;
        if (scalar >= 0xD800 && scalar < 0xE000) {
            if (scalar >= 0xDC00 || !hex(at + 6, low) || low < 0xDC00 || low >= 0xE000) {
                return refuse("half of a surrogate pair");
            }
            scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
            taken = 12;
        }
        uint8_t utf8[4];
        out.bytes(utf8, encodeScalar(scalar, utf8));
        at += taken;
        return true;
    }

    bool hex(const uint8_t *from, uint32_t &unit) const {
        if (end - from < 6 || from[0] != '\\' || from[1] != 'u') {
            return false;
        }
        auto digits = reinterpret_cast<const char *>(from + 2);
        auto result = std::from_chars(digits, digits + 4, unit, 16);
        return result.ec == std::errc{} && result.ptr == digits + 4;
    }

    bool number() {
        const uint8_t *start = at;
        auto [stop, isInteger, problem] = scanNumber(start, end);
        at = stop;
        if (problem) {
            return refuse(problem);
        }
        auto from = reinterpret_cast<const char *>(start), to = reinterpret_cast<const char *>(at);
        int64_t integer;
        if (isInteger && std::from_chars(from, to, integer).ec == std::errc{}) {
            tree.integer(integer);
            return true;
        }
        double real;
        if (!parseDouble(from, to, real)) {
            at = start;
            return refuse("a number too large for a double", CJSON_NUMBER_RANGE);
        }
        if (isInteger || isInexact(from, to, real)) {
            tree.number({start, static_cast<size_t>(at - start)});
        } else {
            tree.real(real);
        }
        return true;
    }

    bool word(const char *word) {
        for (; *word; word++, at++) {
            if (at == end || *at != static_cast<uint8_t>(*word)) {
                return refuse("no value begins like this");
            }
        }
        return true;
    }

    bool take(char c) {
        bool found = at < end && *at == static_cast<uint8_t>(c);
        at += found;
        return found;
    }

    bool isDigit() const { return *at >= '0' && *at <= '9'; }

    void skipSpace() {
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
            at++;
        }
    }

    bool tooDeep() { return refuse("nested too deeply", CJSON_TOO_DEEP); }

    bool refuse(const char *why, int as = CJSON_MALFORMED) {
        message = why;
        code = as;
        return false;
    }

    const uint8_t *begin, *end, *at;
    const Limits &limits;
    Writer &out;
    TreeWriter tree;
};

}  // namespace

int parseExactly(Span text, size_t offset, const Limits &limits, cjson_buffer &buffer, cjson_error *error) {
    Writer out(buffer, limits.bytes);
    size_t invalid = invalidUTF8(text.data, text.count);
    ExactParser parser(text, limits, out);
    bool parsed = parser.document();
    if (invalid < text.count && (parsed || invalid <= parser.offset())) {
        return fail(error, CJSON_INVALID_UTF8, offset + invalid, "the text is not UTF-8");
    }
    if (!parsed) {
        return fail(error, parser.code, offset + parser.offset(), parser.message);
    }
    int code = out.finish();
    code = code ? code : parser.repeats.drop(buffer, limits.bytes);
    return code ? failWriting(error, code, offset + text.count) : CJSON_OK;
}

}  // namespace cjson
