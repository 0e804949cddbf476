#include "cplugins.h"

// `#embed` is of C23. Clang also has it for older C, with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_key[] = {
#embed "modules/api_key.lua"
};

static const unsigned char basic[] = {
#embed "modules/basic.lua"
};

static const unsigned char cbor[] = {
#embed "modules/cbor.lua"
};

static const unsigned char csv[] = {
#embed "modules/csv.lua"
};

static const unsigned char digest[] = {
#embed "modules/digest.lua"
};

static const unsigned char msgpack[] = {
#embed "modules/msgpack.lua"
};

static const unsigned char plugin[] = {
#embed "modules/plugin.lua"
};

static const unsigned char scope[] = {
#embed "modules/scope.lua"
};

static const unsigned char xml[] = {
#embed "modules/xml.lua"
};

static const unsigned char yaml[] = {
#embed "modules/yaml.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(basic), MODULE(cbor), MODULE(csv), MODULE(digest), MODULE(msgpack),
    MODULE(plugin), MODULE(scope), MODULE(xml), MODULE(yaml),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
