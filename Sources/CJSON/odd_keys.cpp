#include "odd_keys.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace cjson {

void OddKeys::add(Span name) {
    count++;
    // The first in their order, not in the table's, which differs from run to run.
    size_t common = name.count < firstName.count ? name.count : firstName.count;
    int order = names ? std::memcmp(name.data, firstName.data, common) : 0;
    if (!names++ || order < 0 || (order == 0 && name.count < firstName.count)) {
        firstName = name;
    }
}

void OddKeys::add(long long key) {
    count++;
    smallest = integers && smallest < key ? smallest : key;
    largest = integers++ && largest > key ? largest : key;
}

void OddKeys::add(double fraction) {
    count++;
    *std::to_chars(other, other + sizeof other - 1, fraction).ptr = 0;
    isBoolean = false;
}

void OddKeys::add(bool key) {
    count++;
    std::strcpy(other, key ? "true" : "false");
    isBoolean = true;
}

const char *OddKeys::describe(Mark mark) {
    if (other[0]) {
        return write(isBoolean ? "a table with a boolean as key: [" : "a table with a fraction as key: [", other, "]");
    }
    char name[44] = "", integer[24] = "", end[40] = "";
    if (names) {
        // Not in the middle of a character.
        size_t length = firstName.count < 32 ? firstName.count : 32;
        while (length < firstName.count && length && (firstName.data[length] & 0xC0) == 0x80) {
            length--;
        }
        std::snprintf(name, sizeof name, "'%.*s%s'", static_cast<int>(length),
                      reinterpret_cast<const char *>(firstName.data), length < firstName.count ? "..." : "");
    }
    long long shown = names || smallest < 1 ? smallest : largest;
    *std::to_chars(integer, integer + sizeof integer - 1, shown).ptr = 0;
    if (mark == Mark::array && names) {
        return write("a list with names among its keys: ", name);
    }
    if (names) {
        std::snprintf(end, sizeof end, " beside [%s]", integer);
        return write("a table with both a list's and an object's keys: ", name, end);
    }
    std::snprintf(end, sizeof end, "] is one of %zu", count);
    return write(mark == Mark::array ? "a list with holes: [" : "a table with integer keys that are no list: [", integer, end);
}

const char *OddKeys::write(const char *sentence, const char *key, const char *end) {
    std::snprintf(text, sizeof text, "%s%s%s", sentence, key, end);
    return text;
}

}  // namespace cjson
