#include "cplugins.h"

// `#embed` is of C23. Clang also has it for older C, with a warning.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char api_key[] = {
#embed "modules/api_key.lua"
};

static const unsigned char base64url[] = {
#embed "modules/base64url.lua"
};

static const unsigned char basic[] = {
#embed "modules/basic.lua"
};

static const unsigned char dates[] = {
#embed "modules/dates.lua"
};

static const unsigned char digest[] = {
#embed "modules/digest.lua"
};

static const unsigned char etcd[] = {
#embed "modules/etcd.lua"
};

static const unsigned char github_app[] = {
#embed "modules/github_app.lua"
};

static const unsigned char google_service_account[] = {
#embed "modules/google_service_account.lua"
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

static const unsigned char hmac[] = {
#embed "modules/hmac.lua"
};

static const unsigned char importer[] = {
#embed "modules/importer.lua"
};

static const unsigned char jwk[] = {
#embed "modules/jwk.lua"
};

static const unsigned char jwt[] = {
#embed "modules/jwt.lua"
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

static const unsigned char oauth2[] = {
#embed "modules/oauth2.lua"
};

static const unsigned char oauth2_client[] = {
#embed "modules/oauth2_client.lua"
};

static const unsigned char oauth2_login[] = {
#embed "modules/oauth2_login.lua"
};

static const unsigned char oauth2_options[] = {
#embed "modules/oauth2_options.lua"
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

static const unsigned char remote[] = {
#embed "modules/remote.lua"
};

static const unsigned char scope[] = {
#embed "modules/scope.lua"
};

static const unsigned char server_clock[] = {
#embed "modules/server_clock.lua"
};

static const unsigned char token_file[] = {
#embed "modules/token_file.lua"
};

static const unsigned char token_keeper[] = {
#embed "modules/token_keeper.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(base64url), MODULE(basic), MODULE(dates), MODULE(digest), MODULE(etcd),
    MODULE(github_app), MODULE(google_service_account), MODULE(graphql), MODULE(graphql_document),
    MODULE(graphql_exchange), MODULE(hmac), MODULE(importer), MODULE(jwk), MODULE(jwt),
    MODULE(kubernetes), MODULE(lines), MODULE(link_header), MODULE(oauth2), MODULE(oauth2_client),
    MODULE(oauth2_login), MODULE(oauth2_options), MODULE(page_styles), MODULE(pages),
    MODULE(plugin), MODULE(polling), MODULE(prometheus), MODULE(remote), MODULE(scope),
    MODULE(server_clock), MODULE(token_file), MODULE(token_keeper),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
