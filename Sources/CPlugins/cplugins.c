#include "cplugins.h"

// `#embed` is of C23. Clang also has it for older C, with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_key[] = {
#embed "modules/api_key.lua"
};

static const unsigned char aws_credentials[] = {
#embed "modules/aws_credentials.lua"
};

static const unsigned char aws_signature[] = {
#embed "modules/aws_signature.lua"
};

static const unsigned char aws_sigv4[] = {
#embed "modules/aws_sigv4.lua"
};

static const unsigned char aws_sources[] = {
#embed "modules/aws_sources.lua"
};

static const unsigned char basic[] = {
#embed "modules/basic.lua"
};

static const unsigned char digest[] = {
#embed "modules/digest.lua"
};

static const unsigned char plugin[] = {
#embed "modules/plugin.lua"
};

static const unsigned char s3[] = {
#embed "modules/s3.lua"
};

static const unsigned char scope[] = {
#embed "modules/scope.lua"
};

static const unsigned char webhook_signatures[] = {
#embed "modules/webhook_signatures.lua"
};

static const unsigned char webhooks[] = {
#embed "modules/webhooks.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(aws_credentials), MODULE(aws_signature), MODULE(aws_sigv4),
    MODULE(aws_sources), MODULE(basic), MODULE(digest), MODULE(plugin), MODULE(s3), MODULE(scope),
    MODULE(webhook_signatures), MODULE(webhooks),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
