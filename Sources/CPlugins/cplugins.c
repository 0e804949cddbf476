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

static const unsigned char etcd[] = {
#embed "modules/etcd.lua"
};

static const unsigned char graphql[] = {
#embed "modules/graphql.lua"
};

static const unsigned char graphql_document[] = {
#embed "modules/graphql_document.lua"
};

static const unsigned char graphql_exchange[] = {
#embed "modules/graphql_exchange.lua"
};

static const unsigned char kubernetes[] = {
#embed "modules/kubernetes.lua"
};

static const unsigned char lines[] = {
#embed "modules/lines.lua"
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

static const unsigned char polling[] = {
#embed "modules/polling.lua"
};

static const unsigned char prometheus[] = {
#embed "modules/prometheus.lua"
};

static const unsigned char scope[] = {
#embed "modules/scope.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(basic), MODULE(digest), MODULE(etcd), MODULE(graphql), MODULE(graphql_document),
    MODULE(graphql_exchange), MODULE(kubernetes), MODULE(lines), MODULE(link_header), MODULE(page_styles),
    MODULE(pages), MODULE(plugin), MODULE(polling), MODULE(prometheus), MODULE(scope),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
