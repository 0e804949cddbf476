// Tree to JSON text.
#include "failure.hpp"
#include "odd_keys.hpp"
#include "sinks.hpp"

namespace cjson {
namespace {

class Encoder {
public:
    Encoder(const uint8_t *tree, JSONWriter &json, cjson_error *error) : at(tree), json(json), error(error) {}

    // Only containers are calls of their own: what else there is takes fewer instructions than a call.
    [[gnu::always_inline]] int value(const PathNode *node) {
        auto tag = static_cast<Tag>(*at++);
        switch (tag) {
        case Tag::null: json.null(); break;
        case Tag::no: json.boolean(false); break;
        case Tag::yes: json.boolean(true); break;
        case Tag::int8:
        case Tag::int32:
        case Tag::int64: json.integer(takeInteger(tag, at)); break;
        case Tag::real: at += 8; return scalar(json.real(load<double>(at - 8)), node, 0);
        case Tag::number: json.number(takeBytes(at)); break;
        case Tag::string: return string(node);
        case Tag::array: return array(node);
        case Tag::object: return object(node);
        case Tag::table: return refuse(node);
        case Tag::classed: at += 4; return classed(node);
        }
        return CJSON_OK;
    }

private:
    [[gnu::noinline]] int classed(const PathNode *node) { return value(node); }

    /// Of a table that is neither list nor object, with the keys that make it so.
    [[gnu::noinline]] int refuse(const PathNode *node) {
        auto count = takeCount();
        auto mark = static_cast<Mark>(*at);
        at += tableHead - containerHead;
        OddKeys keys;
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *key = at;
            at = behind(behind(at));
            auto tag = static_cast<Tag>(*key++);
            switch (tag) {
            case Tag::int8:
            case Tag::int32:
            case Tag::int64: keys.add(static_cast<long long>(takeInteger(tag, key))); break;
            case Tag::real: keys.add(load<double>(key)); break;
            case Tag::string: keys.add(takeBytes(key)); break;
            default: keys.add(tag == Tag::yes);
            }
        }
        return fail(error, CJSON_UNENCODABLE, 0, node, keys.describe(mark));
    }

    [[gnu::noinline]] int array(const PathNode *parent) {
        auto count = takeCount();
        json.byte('[');
        for (uint32_t i = 0; i < count; i++) {
            if (i) {
                json.byte(',');
            }
            PathNode node{parent, {}, i + size_t{1}};
            if (int code = value(&node)) {
                return code;
            }
        }
        json.byte(']');
        return CJSON_OK;
    }

    [[gnu::noinline]] int object(const PathNode *parent) {
        auto count = takeCount();
        json.byte('{');
        for (uint32_t i = 0; i < count; i++) {
            if (i) {
                json.byte(',');
            }
            PathNode node{parent, takeBytes(at), 0};
            size_t offset = 0;
            if (int code = scalar(json.key(node.key, offset), &node, offset)) {
                return code;
            }
            if (int code = value(&node)) {
                return code;
            }
        }
        json.byte('}');
        return CJSON_OK;
    }

    int string(const PathNode *node) {
        size_t offset = 0;
        int code = json.string(takeBytes(at), offset);
        return scalar(code, node, offset);
    }

    int scalar(int code, const PathNode *node, size_t offset) {
        return code ? fail(error, code, offset, node, describe(code)) : CJSON_OK;
    }

    uint32_t takeCount() {
        at += containerHead;
        return load<uint32_t>(at - 4);
    }

    const uint8_t *at;
    JSONWriter &json;
    cjson_error *error;
};

}  // namespace
}  // namespace cjson

int cjson_json_from_tree(const uint8_t *tree, size_t, cjson_buffer *out, cjson_error *error) {
    using namespace cjson;
    out->count = 0;
    Writer writer(*out, maximumBytes);
    JSONWriter json(writer);
    if (int code = Encoder(tree, json, error).value(nullptr)) {
        return code;
    }
    int code = writer.finish();
    return code ? failWriting(error, code, 0) : CJSON_OK;
}
