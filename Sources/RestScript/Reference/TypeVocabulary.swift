/// What names in signatures stand for, in the language of LuaLS annotations, where the signature says no
/// more.
enum TypeVocabulary {
    /// Lua's own types, as LuaLS writes them.
    static let plain: Set<String> = [
        "string", "number", "integer", "boolean", "table", "function", "nil", "any", "true", "false",
    ]

    /// Of parameters, options and results, by their name.
    static let names: [String: String] = [
        "action": "resthost.action", "allow_fragments": "boolean", "actual": "any", "attempt": "integer",
        "auth": "{ bearer?: string, tokens?: table[], client_ca?: string, clients?: table[] }",
        "base_url": "string", "bearer": "string", "body": "string",
        "bytes": "string",
        "c": "resthost.configuration", "cancel": "fun()", "captures": "string", "category": "string",
        "cause": "table", "changed": "fun(self: table, resource: resthost.resource, event: string)",
        "charset": "string",
        "complete": "fun(outcome: resthost.response|resthost.entity|resthost.error): boolean",
        "content": "any", "content_type": "string", "content_types": "string|string[]", "delay": "number",
        "description": "string", "empty": "boolean", "entity": "resthost.entity", "env": "string[]|false",
        "err": "resthost.error",
        "error": "resthost.error", "event": "string", "expected": "any",
        "expose": "table<string, { paths?: string[], methods?: string[] }>", "fields": "table",
        "expiration_time": "number", "file": "string",
        "forward": "{ headers: string[] }",
        "fn": "function", "form": "table", "fraction": "number", "gated": "boolean",
        "headers": "resthost.headers|table<string, string|string[]>", "http_status_code": "integer",
        "http_version": "string",
        "idempotency_key": "string|true", "index": "integer", "info": "resthost.info",
        "input": "string|table",
        "item": "any", "json": "any", "keep": "{ headers: string[] }", "key": "any", "list": "any[]",
        "listen": "string",
        "max_bytes": "integer",
        "message": "string", "methods": "string|string[]", "multipart": "table[]",
        "mutate": "fun(draft: resthost.draft)", "name": "string", "net": "string[]|false",
        "on_mismatch": "\"error\"|\"skip\"|\"skip_if_output_matches\"", "options": "table",
        "action_name": "\"replace\"|\"append\"", "output": "string|table", "owner": "table|resthost.request",
        "path": "string", "pattern": "resthost.pattern", "plugin_options": "table",
        "progress": "fun(...): number?", "properties": "resthost.properties", "query": "table",
        "read": "function|string[]|false",
        "remove": "fun(key: any)", "request": "resthost.request", "resource": "resthost.resource",
        "response": "resthost.response", "results": "any", "server_names": "string[]", "stage": "string",
        "standard_transformers": "string[]",
        "start": "fun(complete: fun(outcome: resthost.response|resthost.entity|resthost.error): boolean)",
        "status": "resthost.status",
        "stopped_observing": "fun(self: table, resource: resthost.resource)", "text": "string",
        "timeout": "number", "timestamp": "number", "tls": "{ certificate: string, key: string }",
        "transform": "resthost.transformation",
        "transform_errors": "boolean",
        "transformer": "resthost.transformation", "transport": "table", "ttl": "number",
        "update_timestamp": "fun(key: any, timestamp: number)", "url": "resthost.url",
        "user": "string|fun(): string?",
        "user_message": "string", "value": "any", "with_secrets": "boolean",
        "write": "function|string[]|false",
    ]

    /// Of options that mean something else in one function.
    static let options: [String: String] = [
        "rest.gateway.access_log": "boolean",
        "rest.gateway.limits":
            "{ connections?: integer, header_bytes?: integer, target_bytes?: integer, body?: integer|string, stream_body?: integer|string, header_timeout?: number, idle_timeout?: number, per_client?: { rate?: { requests: number, per?: number, burst?: number }, in_flight?: integer, streams?: integer } }",
        "service:configure_transformer.action": "\"replace\"|\"append\"",
        "rest.cache.custom.key": "fun(resource: resthost.resource, stage: string): any",
        "rest.cache.custom.read": "fun(key: any): resthost.entity?",
        "rest.cache.custom.write": "fun(key: any, entity: resthost.entity)",
        "rest.entity.status": "integer", "rest.entity.url": "string",
        "rest.permissions.read": "string[]|false", "rest.permissions.write": "string[]|false",
        "rest.log.debug.text": "any", "rest.log.info.text": "any", "rest.log.warn.text": "any",
        "rest.log.error.text": "any", "rest.log.write.text": "any",
        "service:use.options": "any", "t.assert.message": "any", "t.fail.message": "any",
        "rest.cache.redis.options": "table",
    ]

    /// What classes answer for names that are no field of theirs.
    static let indexes: [String: String] = [
        "headers": "string|string[]|nil", "pipeline": "resthost.stage", "services": "resthost.service",
        "env": "string?",
    ]

    /// Properties whose type in the reference is `table`.
    static let tables: [String: String] = [
        "configuration.timeouts": "resthost.timeouts", "configuration.redirects": "resthost.redirects",
        "configuration.retry": "resthost.retry|boolean", "configuration.limits": "resthost.limits|false",
        "configuration.breaker": "resthost.breaker|boolean",
        "response.attempts": "resthost.attempt[]", "error.attempts": "resthost.attempt[]",
        "host.rest": "resthost", "headers": "resthost.headers",
    ]

    /// Shapes that are no classes of the bindings.
    static let preface = """
        ---A glob relative to base_url, a regular expression, a resource, or a function of the URL.
        ---@alias resthost.pattern string|resthost.regex|resthost.resource|fun(url: resthost.url): boolean

        ---A function of content and entity, the name of a module that returns one, or a transformer of rest.
        ---@alias resthost.transformation resthost.transformer|string|fun(content: any, entity: resthost.entity): any

        ---The value of a path's component, or of a query's parameter.
        ---@alias resthost.text string|number|boolean|resthost.raw

        ---What an endpoint, a definition or a modifier gives.
        ---@class resthost.properties
        ---@field headers? table<string, string|string[]>|string[][]
        ---@field query? table<string, resthost.text|resthost.text[]>|any[][]
        ---@field path? resthost.text[]
        ---@field body? any
        ---@field text? string
        ---@field json? any
        ---@field form? table
        ---@field multipart? table[]
        ---@field file? string
        ---@field content_type? string
        ---@field charset? string
        ---@field configure? fun(c: resthost.configuration)
        ---@field idempotency_key? string|boolean
        ---@field query_style? "repeat"|"brackets"|"indices"|"comma"

        ---One message of a request, and what came of it.
        ---@class resthost.attempt
        ---@field number integer
        ---@field method string
        ---@field url string
        ---@field status? integer
        ---@field error? resthost.error
        ---@field reason? string
        ---@field began number
        ---@field waited number
        ---@field queued number
        ---@field timings { queue: number, name_lookup: number, connect: number, tls: number, first_byte: number, total: number }
        ---@field http_version? string
        ---@field remote_address? string
        ---@field reused boolean
        ---@field bytes_sent integer
        ---@field bytes_received integer

        ---A URL as pattern functions and rest.url.parse see it.
        ---@class resthost.url
        ---@field string string
        ---@field scheme? string
        ---@field host? string
        ---@field port? integer
        ---@field path string
        ---@field query? string
        ---@field fragment? string


        """
}
