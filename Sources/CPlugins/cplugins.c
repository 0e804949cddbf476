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
static const unsigned char base64url[] = {
#embed "modules/base64url.lua"
};
static const unsigned char basic[] = {
#embed "modules/basic.lua"
};
static const unsigned char body_format[] = {
#embed "modules/body_format.lua"
};
static const unsigned char cbor[] = {
#embed "modules/cbor.lua"
};
static const unsigned char csv[] = {
#embed "modules/csv.lua"
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
static const unsigned char msgpack[] = {
#embed "modules/msgpack.lua"
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
static const unsigned char recorded_requests[] = {
#embed "modules/recorded_requests.lua"
};
static const unsigned char recorded_secrets[] = {
#embed "modules/recorded_secrets.lua"
};
static const unsigned char recorded_urls[] = {
#embed "modules/recorded_urls.lua"
};
static const unsigned char remote[] = {
#embed "modules/remote.lua"
};
static const unsigned char s3[] = {
#embed "modules/s3.lua"
};
static const unsigned char scope[] = {
#embed "modules/scope.lua"
};
static const unsigned char script_writer[] = {
#embed "modules/script_writer.lua"
};
static const unsigned char server_clock[] = {
#embed "modules/server_clock.lua"
};
static const unsigned char shell_words[] = {
#embed "modules/shell_words.lua"
};
static const unsigned char token_file[] = {
#embed "modules/token_file.lua"
};
static const unsigned char token_keeper[] = {
#embed "modules/token_keeper.lua"
};
static const unsigned char webhook_signatures[] = {
#embed "modules/webhook_signatures.lua"
};
static const unsigned char webhooks[] = {
#embed "modules/webhooks.lua"
};
static const unsigned char xml[] = {
#embed "modules/xml.lua"
};
static const unsigned char yaml[] = {
#embed "modules/yaml.lua"
};

#define MODULE(name) {#name, name, sizeof name}

static const cplugins_module modules[] = {
    MODULE(api_key), MODULE(aws_credentials), MODULE(aws_signature), MODULE(aws_sigv4),
    MODULE(aws_sources), MODULE(base64url), MODULE(basic), MODULE(body_format), MODULE(cbor),
    MODULE(csv), MODULE(dates), MODULE(digest), MODULE(etcd), MODULE(github_app),
    MODULE(google_service_account), MODULE(graphql), MODULE(graphql_document),
    MODULE(graphql_exchange), MODULE(hmac), MODULE(import_curl), MODULE(import_har),
    MODULE(import_openapi), MODULE(import_postman), MODULE(importer), MODULE(jwk), MODULE(jwt),
    MODULE(kubernetes), MODULE(lines), MODULE(link_header), MODULE(msgpack), MODULE(oauth2),
    MODULE(oauth2_client), MODULE(oauth2_login), MODULE(oauth2_options), MODULE(openapi_body),
    MODULE(openapi_calls), MODULE(openapi_document), MODULE(openapi_helpers),
    MODULE(openapi_operations), MODULE(openapi_samples), MODULE(openapi_script),
    MODULE(openapi_security), MODULE(openapi_servers), MODULE(openapi_stubs),
    MODULE(openapi_swagger), MODULE(openapi_swift), MODULE(openapi_swift_models),
    MODULE(openapi_swift_names), MODULE(openapi_tests), MODULE(openapi_types), MODULE(page_styles),
    MODULE(pages), MODULE(plugin), MODULE(polling), MODULE(prometheus), MODULE(recorded_requests),
    MODULE(recorded_secrets), MODULE(recorded_urls), MODULE(remote), MODULE(s3), MODULE(scope),
    MODULE(script_writer), MODULE(server_clock), MODULE(shell_words), MODULE(token_file),
    MODULE(token_keeper), MODULE(webhook_signatures), MODULE(webhooks), MODULE(xml), MODULE(yaml),
};

const cplugins_module *cplugins_modules(size_t *count) {
    *count = sizeof modules / sizeof modules[0];
    return modules;
}
