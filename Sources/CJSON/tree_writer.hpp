#ifndef TREE_WRITER_HPP
#define TREE_WRITER_HPP

#include "buffer.hpp"

namespace cjson {

/// Nearly all texts are short, and the call of a function for each takes longer than its bytes: those come in
/// two pieces, which may overlap.
[[gnu::always_inline]] inline void copyShort(uint8_t *to, Span from) {
    auto bothEnds = [&](auto piece) __attribute__((always_inline)) {
        size_t last = from.count - sizeof piece;
        auto tail = load<decltype(piece)>(from.data + last);
        piece = load<decltype(piece)>(from.data);
        std::memcpy(to, &piece, sizeof piece);
        std::memcpy(to + last, &tail, sizeof tail);
    };
    struct Sixteen { uint64_t words[2]; };
    if (from.count > 32) {
        std::memcpy(to, from.data, from.count);
    } else if (from.count >= 16) {
        bothEnds(Sixteen());
    } else if (from.count >= 8) {
        bothEnds(uint64_t());
    } else if (from.count >= 4) {
        bothEnds(uint32_t());
    } else if (from.count) {
        to[0] = from.data[0];
        to[from.count / 2] = from.data[from.count / 2];
        to[from.count - 1] = from.data[from.count - 1];
    }
}

/// Writes nodes front to back.
class TreeWriter {
public:
    explicit TreeWriter(Writer &out) : out(out) {}

    void tag(Tag tag) { out.byte(static_cast<uint8_t>(tag)); }
    void null() { tag(Tag::null); }
    void boolean(bool value) { tag(value ? Tag::yes : Tag::no); }

    void integer(int64_t value) {
        if (value == static_cast<int8_t>(value)) {
            tagged(Tag::int8, static_cast<int8_t>(value));
        } else if (value == static_cast<int32_t>(value)) {
            tagged(Tag::int32, static_cast<int32_t>(value));
        } else {
            tagged(Tag::int64, value);
        }
    }
    void real(double value) { tagged(Tag::real, value); }
    void number(Span digits) {
        tag(Tag::number);
        bytes(digits);
    }
    void string(Span span) {
        tag(Tag::string);
        bytes(span);
    }
    void bytes(Span span) {
        uint8_t *to = out.reserve(span.count + 5);
        if (!to) {
            return;
        }
        size_t head = 1;
        if (span.count < 255) {
            *to = static_cast<uint8_t>(span.count);
        } else {
            auto count = static_cast<uint32_t>(span.count);
            *to = 255;
            std::memcpy(to + 1, &count, sizeof count);
            head = 5;
        }
        copyShort(to + head, span);
        out.advance(head + span.count);
    }

    /// The same for bytes behind which `shortBytes` more may be read: nearly all texts are short, and the
    /// call of a function for each takes longer than its bytes.
    [[gnu::always_inline]] void bytesWithin(Span span) {
        if (span.count > shortBytes) {
            return bytes(span);
        }
        if (uint8_t *to = out.reserve(1 + shortBytes)) {
            *to = static_cast<uint8_t>(span.count);
            std::memcpy(to + 1, span.data, shortBytes);
            out.advance(1 + span.count);
        }
    }
    static constexpr size_t shortBytes = 32;

    /// Ends bytes that were appended behind room for the long head, which began at `head`.
    void closeBytes(size_t head) {
        size_t count = out.count() - head - 5;
        if (count >= 255) {
            out.patch(head + 1, static_cast<uint32_t>(count));
        } else if (uint8_t *to = out.at(head)) {
            *to = static_cast<uint8_t>(count);
            std::memmove(to + 1, to + 5, count);
            out.rewind(head + 1 + count);
        }
    }

    /// Begins an array or object, whose count follows with `end`.
    size_t begin(Tag container) {
        tag(container);
        out.number(uint64_t{0});
        return out.count();
    }
    void end(size_t begun, size_t count) {
        patch(begun - containerHead, count);
    }

    /// Begins a general table, all of whose head is known.
    size_t beginTable(size_t count, Mark mark, size_t items) {
        tag(Tag::table);
        size_t head = out.count();
        out.number(uint32_t{0});
        out.number(static_cast<uint32_t>(count));
        out.byte(static_cast<uint8_t>(mark));
        out.number(static_cast<uint32_t>(items));
        return head;
    }
    void endTable(size_t head, size_t count) { patch(head, count); }

    void classed(uint32_t id) { tagged(Tag::classed, id); }

private:
    void patch(size_t head, size_t count) {
        out.patch(head, static_cast<uint32_t>(out.count() - head - 4));
        out.patch(head + 4, static_cast<uint32_t>(count));
    }

    template <class Number>
    void tagged(Tag tag, Number value) {
        if (uint8_t *to = out.reserve(1 + sizeof value)) {
            *to = static_cast<uint8_t>(tag);
            std::memcpy(to + 1, &value, sizeof value);
            out.advance(1 + sizeof value);
        }
    }

    Writer &out;
};

}  // namespace cjson
#endif
