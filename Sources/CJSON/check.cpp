// Whether bytes are a tree.
#include <cmath>

#include "buffer.hpp"
#include "text.hpp"

namespace cjson {
namespace {

class Checker {
public:
    Checker(Span bytes, const Limits &limits, bool classes)
        : at(bytes.data), end(bytes.data + bytes.count), limits(limits), classes(classes) {}

    bool whole() { return value(0, classes) && at == end; }

private:
    bool has(size_t count) const { return static_cast<size_t>(end - at) >= count; }

    bool value(uint32_t depth, bool mayHaveClass) {
        if (!has(1)) {
            return false;
        }
        switch (auto tag = static_cast<Tag>(*at++)) {
        case Tag::null:
        case Tag::no:
        case Tag::yes: return true;
        case Tag::int8:
        case Tag::int32:
        case Tag::int64: return integer(tag);
        case Tag::real: return skip(8);
        case Tag::string: return bytes();
        case Tag::number: return number();
        case Tag::array:
        case Tag::object:
        case Tag::table: return depth < limits.depth && container(tag, depth + 1);
        case Tag::classed: return mayHaveClass && skip(4) && value(depth, false);
        }
        return false;
    }

    bool container(Tag tag, uint32_t depth) {
        if (!has(tag == Tag::table ? tableHead : containerHead)) {
            return false;
        }
        size_t size = load<uint32_t>(at), count = load<uint32_t>(at + 4);
        const uint8_t *stop = at + 4 + size;
        if (size > static_cast<size_t>(end - at) - 4) {
            return false;
        }
        at += containerHead;
        if (tag == Tag::table) {
            size_t items = load<uint32_t>(at + 1);
            if (*at > static_cast<uint8_t>(Mark::object) || items > count) {
                return false;
            }
            at += 5;
        }
        // Each element takes a byte at least: no more is made room for than there are bytes.
        if (count > static_cast<size_t>(end - at)) {
            return false;
        }
        for (; count; count--) {
            bool keyed = tag == Tag::array || (tag == Tag::object ? bytes() : key());
            if (!keyed || !value(depth, classes)) {
                return false;
            }
        }
        return at == stop;
    }

    /// A general table's key: what Lua takes as one.
    bool key() {
        if (!has(1)) {
            return false;
        }
        switch (auto tag = static_cast<Tag>(*at++)) {
        case Tag::no:
        case Tag::yes: return true;
        case Tag::int8:
        case Tag::int32:
        case Tag::int64: return integer(tag);
        case Tag::real: return skip(8) && !std::isnan(load<double>(at - 8));
        case Tag::string: return bytes();
        default: return false;
        }
    }

    bool integer(Tag tag) {
        if (!has(tag == Tag::int8 ? 1 : tag == Tag::int32 ? 4 : 8)) {
            return false;
        }
        int64_t value = takeInteger(tag, at);
        Tag shortest = value == static_cast<int8_t>(value) ? Tag::int8
            : value == static_cast<int32_t>(value)         ? Tag::int32
                                                           : Tag::int64;
        return tag == shortest;
    }

    bool number() {
        const uint8_t *begin = at;
        if (!bytes()) {
            return false;
        }
        Span span = takeBytes(begin);
        auto text = reinterpret_cast<const char *>(span.data);
        return isLargeInteger(text, text + span.count) || isInexactFraction(text, text + span.count);
    }

    bool bytes() {
        if (!has(1) || (*at == 255 && (!has(5) || load<uint32_t>(at + 1) < 255))) {
            return false;
        }
        size_t count = *at == 255 ? load<uint32_t>(at + 1) : *at;
        return skip(*at == 255 ? 5 : 1) && skip(count);
    }

    bool skip(size_t count) {
        bool fits = has(count);
        at += fits ? count : 0;
        return fits;
    }

    const uint8_t *at, *end;
    const Limits &limits;
    const bool classes;
};

}  // namespace
}  // namespace cjson

using namespace cjson;

bool cjson_tree_is_valid(const uint8_t *tree, size_t count, const cjson_limits *limits) {
    Limits bounds(limits);
    return count > 0 && count <= bounds.bytes && Checker({tree, count}, bounds, true).whole();
}

bool cjson_tree_is_classless(const uint8_t *tree, size_t count) {
    cjson_limits widest{maximumDepth, maximumBytes, nullptr};
    return count > 0 && Checker({tree, count}, Limits(&widest), false).whole();
}

cjson_kind cjson_tree_kind(const uint8_t *tree, size_t count) {
    switch (count ? static_cast<Tag>(*tree) : Tag::null) {
    case Tag::null: return CJSON_KIND_NULL;
    case Tag::no:
    case Tag::yes: return CJSON_KIND_BOOLEAN;
    case Tag::int8:
    case Tag::int32:
    case Tag::int64: return CJSON_KIND_INTEGER;
    case Tag::real:
    case Tag::number: return CJSON_KIND_DOUBLE;
    case Tag::string: return CJSON_KIND_STRING;
    case Tag::array: return CJSON_KIND_ARRAY;
    case Tag::object: return CJSON_KIND_OBJECT;
    case Tag::table: return CJSON_KIND_TABLE;
    case Tag::classed: return CJSON_KIND_CLASS;
    }
    return CJSON_KIND_NULL;
}
