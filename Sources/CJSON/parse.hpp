#ifndef PARSE_HPP
#define PARSE_HPP

#include "buffer.hpp"
#include "tape.hpp"

namespace cjson {

/// A text without its byte order mark.
Span withoutMark(const uint8_t *json, size_t count);

/// A tree buffer of this thread, for a tree that lives shortly. Taken out while in use: a finalizer that runs
/// meanwhile may want one too. A taken buffer must be given back, also after an error.
cjson_buffer takeSpareBuffer();
void giveSpareBuffer(cjson_buffer buffer);

enum class TapeState { taken, unfit, tooLarge };

/// The tape of a text, instead of its tree. `unfit`: only parseExactly can read it, or say what is wrong with
/// it. `tooLarge`: only the tree shows whether the limits hold. A tape is this thread's; it must be given
/// back, also after an error. `capacity` as in cjson_tree_from_json: a text that isn't copied must stay so
/// long.
TapeState takeTape(Span text, size_t capacity, const Limits &limits, Tape &tape);
/// That of a reading, see cjson_read_ahead; false when this thread has it no more.
bool takeTape(uint64_t reading, Tape &tape);
void giveTape();

}  // namespace cjson
#endif
