#include "library.hpp"

#ifdef CJSON_SIMDJSON

#include <dlfcn.h>
#include <simdjson.h>

#include <atomic>

namespace {

using Implementation = simdjson::internal::atomic_ptr<const simdjson::implementation>;

/// Loading the library and the C++ library that it needs takes as long as reading so many bytes without it.
constexpr size_t worthwhile = size_t{256} << 10;
std::atomic<size_t> bytes = 0;

/// The only function of the library that is called by its name.
Implementation &(*activeImplementation())() {
    static const auto function = [] {
        void *library = dlopen(CJSON_SIMDJSON, RTLD_NOW | RTLD_LOCAL);
        void *found = library ? dlsym(library, "_ZN8simdjson25get_active_implementationEv") : nullptr;
        return reinterpret_cast<Implementation &(*)()>(found);
    }();
    return function;
}

}  // namespace

/// In place of the library's own, so that the program isn't linked with it.
Implementation &simdjson::get_active_implementation() { return activeImplementation()(); }

bool cjson::simdjsonReads(size_t count) {
    if (bytes.load(std::memory_order_relaxed) < worthwhile &&
        bytes.fetch_add(count, std::memory_order_relaxed) + count < worthwhile) {
        return false;
    }
    return activeImplementation();
}

#else

bool cjson::simdjsonReads(size_t) { return true; }

#endif
