#ifndef TAPE_READER_HPP
#define TAPE_READER_HPP

#include "repeats.hpp"
#include "tree_writer.hpp"

namespace cjson {

/// Copies a tape to a tree.
class TapeReader {
public:
    TapeReader(Tape tape, Writer &out) : tape(tape), out(out), tree(out) {}

    Repeats repeats;

    void root() {
        at = 1;
        value();
    }

private:
    // Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] void value() {
        uint64_t word = tape.words[at++];
        switch (Tape::kind(word)) {
        case '{': object(word); break;
        case '[': array(word); break;
        case '"':
            tree.tag(Tag::string);
            tree.bytesWithin(tape.string(word));
            break;
        case 'l': tree.integer(static_cast<int64_t>(tape.words[at++])); break;
        case 'u': tree.number(Digits(tape.words[at++]).span()); break;
        case 'd':
            if (__builtin_expect((word & Tape::isLong) != 0, 0)) {
                tree.number(tape.longNumber(word));
                at++;
            } else {
                tree.real(Tape::real(tape.words[at++]));
            }
            break;
        case 't': tree.boolean(true); break;
        case 'f': tree.boolean(false); break;
        default: tree.null(); break;
        }
    }

    [[gnu::noinline]] void array(uint64_t word) {
        size_t end = Tape::end(word), begun = tree.begin(Tag::array), count = 0;
        for (; at < end; count++) {
            value();
        }
        at = end + 1;
        tree.end(begun, count);
    }

    [[gnu::noinline]] void object(uint64_t word) {
        size_t end = Tape::end(word), begun = tree.begin(Tag::object), count = 0;
        bool mayRepeat = false;
        KeyFilter keys;
        for (; at < end; count++) {
            Span key = tape.string(tape.words[at++]);
            mayRepeat |= keys.mayKnow(key);
            tree.bytesWithin(key);
            value();
        }
        at = end + 1;
        tree.end(begun, count);
        if (__builtin_expect(mayRepeat, 0)) {
            repeats.look(out, begun, count);
        }
    }

    static_assert(TreeWriter::shortBytes <= 32, "so much may be read behind a tape's string");

    Tape tape;
    Writer &out;
    TreeWriter tree;
    size_t at = 0;
};

}  // namespace cjson
#endif
