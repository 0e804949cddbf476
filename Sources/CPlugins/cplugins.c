#include "cplugins.h"

// `#embed` is of C23. Clang also has it for older C, with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_key[] = {
#embed "modules/api_key.lua"
};

static const unsigned char basic[] = {
#embed "modules/basic.lua"
};

static const unsigned char digest[] = {
#embed "modules/digest.lua"
};

static const unsigned char link_header[] = {
#embed "modules/link_header.lua"
};

static const unsigned char page_styles[] = {
#embed "modules/page_styles.lua"
};

static const unsigned char pages[] = {
#embed "modules/pages.lua"
};

static const unsigned char plugin[] = {
#embed "modules/plugin.lua"
};

static const unsigned char scope[] = {
#embed "modules/scope.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(basic), MODULE(digest), MODULE(link_header), MODULE(page_styles), MODULE(pages),
    MODULE(plugin), MODULE(scope),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
