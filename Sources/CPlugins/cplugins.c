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

static const unsigned char import_curl[] = {
#embed "modules/import_curl.lua"
};

static const unsigned char import_har[] = {
#embed "modules/import_har.lua"
};

static const unsigned char import_openapi[] = {
#embed "modules/import_openapi.lua"
};

static const unsigned char import_postman[] = {
#embed "modules/import_postman.lua"
};

static const unsigned char lua_writer[] = {
#embed "modules/lua_writer.lua"
};

static const unsigned char openapi_body[] = {
#embed "modules/openapi_body.lua"
};

static const unsigned char openapi_calls[] = {
#embed "modules/openapi_calls.lua"
};

static const unsigned char openapi_document[] = {
#embed "modules/openapi_document.lua"
};

static const unsigned char openapi_helpers[] = {
#embed "modules/openapi_helpers.lua"
};

static const unsigned char openapi_operations[] = {
#embed "modules/openapi_operations.lua"
};

static const unsigned char openapi_samples[] = {
#embed "modules/openapi_samples.lua"
};

static const unsigned char openapi_script[] = {
#embed "modules/openapi_script.lua"
};

static const unsigned char openapi_security[] = {
#embed "modules/openapi_security.lua"
};

static const unsigned char openapi_servers[] = {
#embed "modules/openapi_servers.lua"
};

static const unsigned char openapi_stubs[] = {
#embed "modules/openapi_stubs.lua"
};

static const unsigned char openapi_swagger[] = {
#embed "modules/openapi_swagger.lua"
};

static const unsigned char openapi_swift[] = {
#embed "modules/openapi_swift.lua"
};

static const unsigned char openapi_swift_models[] = {
#embed "modules/openapi_swift_models.lua"
};

static const unsigned char openapi_swift_names[] = {
#embed "modules/openapi_swift_names.lua"
};

static const unsigned char openapi_tests[] = {
#embed "modules/openapi_tests.lua"
};

static const unsigned char openapi_types[] = {
#embed "modules/openapi_types.lua"
};

static const unsigned char plugin[] = {
#embed "modules/plugin.lua"
};

static const unsigned char recorded_requests[] = {
#embed "modules/recorded_requests.lua"
};

static const unsigned char recorded_secrets[] = {
#embed "modules/recorded_secrets.lua"
};

static const unsigned char recorded_urls[] = {
#embed "modules/recorded_urls.lua"
};

static const unsigned char scope[] = {
#embed "modules/scope.lua"
};

static const unsigned char shell_words[] = {
#embed "modules/shell_words.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(basic), MODULE(digest), MODULE(import_curl), MODULE(import_har),
    MODULE(import_openapi), MODULE(import_postman), MODULE(lua_writer), MODULE(openapi_body),
    MODULE(openapi_calls), MODULE(openapi_document), MODULE(openapi_helpers), MODULE(openapi_operations),
    MODULE(openapi_samples), MODULE(openapi_script), MODULE(openapi_security), MODULE(openapi_servers),
    MODULE(openapi_stubs), MODULE(openapi_swagger), MODULE(openapi_swift), MODULE(openapi_swift_models),
    MODULE(openapi_swift_names), MODULE(openapi_tests), MODULE(openapi_types), MODULE(plugin),
    MODULE(recorded_requests), MODULE(recorded_secrets), MODULE(recorded_urls), MODULE(scope),
    MODULE(shell_words),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
