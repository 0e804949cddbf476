#ifndef ODD_KEYS_HPP
#define ODD_KEYS_HPP

#include "tree.hpp"

namespace cjson {

/// The keys that a message names when a table is neither list nor object.
class OddKeys {
public:
    void add(Span name);
    void add(long long key);
    void add(double fraction);
    void add(bool key);

    /// Why JSON can't have them. Valid until the next call.
    const char *describe(Mark mark);

private:
    const char *write(const char *sentence, const char *key, const char *end = "");

    size_t count = 0, names = 0, integers = 0;
    Span firstName{nullptr, 0};
    long long smallest = 0, largest = 0;
    /// The text of a fraction or boolean.
    char other[40] = {};
    bool isBoolean = false;
    char text[120] = {};
};

}  // namespace cjson
#endif
