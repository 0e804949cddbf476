#include "parse.hpp"

#if !__has_include(<simdjson.h>)
#error "simdjson is missing: apt install libsimdjson-dev, or brew install simdjson"
#endif
#include <simdjson.h>

#include <algorithm>
#include <atomic>

#include "exact_parser.hpp"
#include "library.hpp"
#include "tape_reader.hpp"
#include "tape_writer.hpp"
#include "text.hpp"

namespace cjson {
namespace {

/// The memory that a thread keeps for a text is many times the text: above this size it is freed after use.
constexpr size_t keptCapacity = size_t{1} << 20;

struct Bench {
    simdjson::dom::parser parser;
    /// The text of a tape of ours, in which its strings are; null for one of simdjson's, which has copies.
    const uint8_t *tapeText = nullptr;
    cjson_buffer text = {};
    cjson_buffer spare = {};
    /// The parser's tape is being read.
    bool isTaken = false;
    /// The number of the text whose tape the parser has, if it was given out; else 0.
    uint64_t reading = 0;

    ~Bench() {
        cjson_buffer_free(&text);
        cjson_buffer_free(&spare);
    }
};

Bench &bench() {
    thread_local Bench bench;
    return bench;
}

Tape tapeOf(const Bench &bench) {
    const auto &document = bench.parser.doc;
    return {document.tape.get(), document.string_buf.get(), bench.tapeText};
}

/// A copy of the text with room behind it, or null.
const uint8_t *padded(cjson_buffer &buffer, Span text) {
    Writer copy(buffer, SIZE_MAX / 2);
    uint8_t *to = copy.reserve(text.count + CJSON_PADDING);
    if (to) {
        std::memcpy(to, text.data, text.count);
        std::memset(to + text.count, 0, CJSON_PADDING);
    }
    return to;
}

/// Whether simdjson might take more than twice the limit: four bytes for each token and up to sixteen for
/// what it stands for. Few texts are so large that their tokens are counted.
bool takesMuch(Span text, const Limits &limits) {
    constexpr size_t each = 24;
    size_t most = limits.bytes * 2, tokens = 0;
    if (text.count <= most / each) {
        return false;
    }
    for (size_t i = 0; i < text.count; i++) {
        uint8_t c = text.data[i];
        tokens += (c == ',') | (c == ':') | (c == '[') | (c == '{');
    }
    return tokens > most / each;
}

/// Reads a text of which `capacity` bytes are readable, with those behind it. A text that is too deep is not
/// read: simdjson allows as many levels less one, and another of empty containers.
bool parse(Bench &bench, Span text, size_t capacity, uint32_t depth) {
    bench.reading = 0;
    bench.tapeText = nullptr;
    bool inPlace = capacity - text.count >= CJSON_PADDING;
    const uint8_t *json = inPlace ? text.data : padded(bench.text, text);
    auto &parser = bench.parser;
    size_t room = std::max(parser.capacity(), text.count);
    if (!json || ((parser.max_depth() != depth || parser.capacity() < room) && parser.allocate(room, depth)) ||
        (parser.doc.capacity() < room && parser.doc.allocate(room)) ||
        parser.implementation->stage1(json, text.count, simdjson::stage1_mode::regular)) {
        return false;
    }
    if (writeTape(parser, {json, text.count}, depth)) {
        bench.tapeText = json;
        return true;
    }
    return !parser.implementation->stage2(parser.doc);
}

void tidy(Bench &bench) {
    if (bench.text.capacity > keptCapacity) {
        cjson_buffer_free(&bench.text);
        bench.reading = 0;
    }
    if (bench.parser.capacity() > keptCapacity) {
        bench.parser = simdjson::dom::parser();
        bench.reading = 0;
    }
}

/// Whether the tape lacks the texts of numbers that a tree keeps: simdjson's has doubles alone.
bool losesDigits(const Bench &bench, Span text) {
    return !bench.tapeText && mayHaveLongFraction(text.data, text.count);
}

/// Copies the tape that a parser has. A code.
int readTape(Bench &bench, Writer &out, cjson_buffer &buffer, size_t limit) {
    TapeReader reader(tapeOf(bench), out);
    reader.root();
    int code = out.finish();
    return code ? code : reader.repeats.drop(buffer, limit);
}

/// `code` is set when the answer is true.
bool parseQuickly(Bench &bench, Span text, size_t capacity, const Limits &limits, cjson_buffer &buffer, int &code) {
    if (takesMuch(text, limits) || !simdjsonReads(text.count)) {
        return false;
    }
    if (bench.isTaken) {
        Bench another;
        return parseQuickly(another, text, capacity, limits, buffer, code);
    }
    Writer out(buffer, limits.bytes);
    bool parsed = parse(bench, text, capacity, limits.depth) && !losesDigits(bench, text);
    if (parsed) {
        // A tree mostly takes a little less than its text.
        if (text.count <= limits.bytes) {
            out.reserve(text.count);
        }
        code = readTape(bench, out, buffer, limits.bytes);
    }
    tidy(bench);
    return parsed;
}

}  // namespace

cjson_buffer takeSpareBuffer() {
    cjson_buffer buffer = bench().spare;
    bench().spare = {};
    return buffer;
}

void giveSpareBuffer(cjson_buffer buffer) {
    if (bench().spare.data || buffer.capacity > keptCapacity) {
        cjson_buffer_free(&buffer);
    } else {
        bench().spare = buffer;
    }
}

Span withoutMark(const uint8_t *json, size_t count) {
    size_t mark = count >= 3 && std::memcmp(json, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return {json + mark, count - mark};
}

TapeState takeTape(Span text, size_t capacity, const Limits &limits, Tape &tape) {
    // A tree has no more than so many bytes for each of the text's: `[` and `]` become nine. And no container
    // has more items than its tape counts.
    constexpr size_t most = 5, head = 64;
    size_t fitting = limits.bytes < head ? 0 : (limits.bytes - head) / most;
    Bench &bench = cjson::bench();
    if (text.count > fitting || text.count >= Tape::mostCounted * size_t{2} || bench.isTaken || takesMuch(text, limits) ||
        !simdjsonReads(text.count)) {
        return TapeState::tooLarge;
    }
    if (!text.count || !parse(bench, text, capacity, limits.depth)) {
        tidy(bench);
        return TapeState::unfit;
    }
    bench.isTaken = true;
    tape = tapeOf(bench);
    return TapeState::taken;
}

bool takeTape(uint64_t reading, Tape &tape) {
    Bench &bench = cjson::bench();
    if (!reading || bench.reading != reading || bench.isTaken) {
        return false;
    }
    bench.isTaken = true;
    tape = tapeOf(bench);
    return true;
}

void giveTape() {
    bench().isTaken = false;
    tidy(bench());
}

}  // namespace cjson

int cjson_tree_from_json(const uint8_t *json, size_t count, size_t capacity, const cjson_limits *limits,
                         cjson_buffer *out, cjson_error *error) {
    using namespace cjson;
    static_assert(CJSON_PADDING >= simdjson::SIMDJSON_PADDING);
    out->count = 0;
    capacity = capacity < count ? count : capacity;
    Span text = withoutMark(json, count);
    size_t mark = count - text.count;
    Limits bounds(limits);
    int code = CJSON_OK;
    if (text.count && parseQuickly(bench(), text, capacity - mark, bounds, *out, code)) {
        return code ? failWriting(error, code, count) : CJSON_OK;
    }
    return parseExactly(text, mark, bounds, *out, error);
}

uint64_t cjson_read_ahead(const uint8_t *json, size_t count, size_t capacity, const cjson_limits *limits, cjson_kind *kind) {
    using namespace cjson;
    // No number is given twice, on any thread.
    static std::atomic<uint64_t> last = 0;
    Span text = withoutMark(json, count);
    Tape tape;
    if (takeTape(text, std::max(capacity, count) - (count - text.count), Limits(limits), tape) != TapeState::taken) {
        return 0;
    }
    // A tree may be made of the reading.
    if (losesDigits(bench(), text)) {
        giveTape();
        return 0;
    }
    uint64_t reading = last.fetch_add(1, std::memory_order_relaxed) + 1;
    *kind = tape.kind();
    bench().reading = reading;
    giveTape();
    return bench().reading;
}

bool cjson_tree_from_reading(uint64_t reading, size_t count, cjson_buffer *out) {
    using namespace cjson;
    Tape tape;
    if (!takeTape(reading, tape)) {
        return false;
    }
    Writer writer(*out, maximumBytes);
    out->count = 0;
    writer.reserve(count);
    int code = readTape(bench(), writer, *out, maximumBytes);
    giveTape();
    return !code;
}
