#ifndef SINKS_HPP
#define SINKS_HPP

#include "json_writer.hpp"
#include "tree_writer.hpp"

namespace cjson {

/// Takes what LuaReader finds and writes a tree.
class TreeSink {
public:
    explicit TreeSink(Writer &out) : tree(out) {}

    static constexpr bool takesTables = true, isPlain = false;

    void null() { tree.null(); }
    void boolean(bool value) { tree.boolean(value); }
    void integer(int64_t value) { tree.integer(value); }
    int real(double value) { return tree.real(value), CJSON_OK; }
    int string(Span span, size_t &) { return tree.string(span), CJSON_OK; }

    size_t beginArray() { return tree.begin(Tag::array); }
    void element(size_t) {}
    void endArray(size_t begun, size_t count) { tree.end(begun, count); }

    size_t beginObject() { return tree.begin(Tag::object); }
    int key(Span span, size_t &) { return tree.bytes(span), CJSON_OK; }
    void endObject(size_t begun, size_t count) { tree.end(begun, count); }

    size_t beginTable(size_t count, Mark mark, size_t items) { return tree.beginTable(count, mark, items); }
    void endTable(size_t head, size_t count) { tree.endTable(head, count); }

    static constexpr bool hasClasses = true;
    void classed(uint32_t id) { tree.classed(id); }

private:
    TreeWriter tree;
};

/// Takes what LuaReader finds and writes JSON text.
class JSONSink {
public:
    explicit JSONSink(Writer &out) : json(out) {}

    static constexpr bool takesTables = false, isPlain = false;

    void null() { json.null(); }
    void boolean(bool value) { json.boolean(value); }
    void integer(int64_t value) { json.integer(value); }
    int real(double value) { return json.real(value); }
    int string(Span span, size_t &offset) { return json.string(span, offset); }

    size_t beginArray() { return json.byte('['), 0; }
    void element(size_t index) {
        if (index) {
            json.byte(',');
        }
    }
    void endArray(size_t, size_t) { json.byte(']'); }

    size_t beginObject() { return json.byte('{'), 0; }
    int key(Span span, size_t &offset) { return json.key(span, offset); }
    void endObject(size_t, size_t) { json.byte('}'); }

    size_t beginTable(size_t, Mark, size_t) { return 0; }
    void endTable(size_t, size_t) {}

    static constexpr bool hasClasses = false;

private:
    JSONWriter json;
};

/// The same, for text whose tree equals the tree of the value.
class PlainJSONSink : public JSONSink {
public:
    using JSONSink::JSONSink;
    static constexpr bool isPlain = true;
};

/// The fault of a number or string that a sink answered with `code`.
inline const char *describe(int code) {
    return code == CJSON_INVALID_UTF8 ? "a string that is not UTF-8" : "NaN and infinities have no JSON form";
}

}  // namespace cjson
#endif
