#ifndef PUSH_HPP
#define PUSH_HPP

#include "builder.hpp"

namespace cjson {

constexpr cjson_making plainMaking = {};

/// Whether memory must be asked for. A value of up to a megabyte need not be counted; and no value takes so
/// many times the bytes of its tree, where an item that is null has one byte, and a field three.
inline bool isNoticed(const cjson_making &making, size_t bytesOfTree) {
    constexpr size_t unnoticed = size_t{1} << 20, mostForByte = 32;
    return making.lend && bytesOfTree > unnoticed / mostForByte;
}

}  // namespace cjson
#endif
