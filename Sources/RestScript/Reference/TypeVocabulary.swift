/// LuaLS types for names in signatures that are no classes and have no type in the signature.
enum TypeVocabulary {
    /// Lua's own types, in the spelling of LuaLS.
    static let plain: Set<String> = [
        "string", "number", "integer", "boolean", "table", "function", "nil", "any", "true", "false",
    ]

    /// The types of parameters and results, by name.
    static let names: [String: String] = [
        "action": "resthost.action", "actual": "any", "answer": "resthost.answer", "attempt": "integer",
        "bytes": "string",
        "c": "resthost.configuration", "captures": "string",
        "changed": "fun(self: table, resource: resthost.resource, event: string)",
        "component": "resthost.text",
        "complete": "fun(outcome: resthost.response|resthost.entity|resthost.error): boolean",
        "content": "any", "element": "table", "entity": "resthost.entity", "err": "resthost.error",
        "error": "resthost.error",
        "event": "string", "expected": "any", "fn": "function", "fraction": "number",
        "headers": "resthost.headers|table<string, string|string[]>", "index": "integer",
        "info": "resthost.info", "item": "any", "key": "any", "message": "string",
        "options": "table", "owner": "table|resthost.request", "pattern": "resthost.pattern",
        "progress": "fun(...): number?", "properties": "resthost.properties", "rate": "resthost.rate",
        "records": "any", "row": "any",
        "request": "resthost.request",
        "resource": "resthost.resource", "response": "resthost.response", "results": "any",
        "stage": "string", "status": "resthost.status",
        "stream_response": "resthost.stream_response", "write": "fun(text: string|table)",
        "stopped_observing": "fun(self: table, resource: resthost.resource)", "text": "string",
        "timestamp": "number", "transformer": "resthost.transformation", "value": "any",
    ]

    /// The types of parameters that differ in one function.
    static let options: [String: String] = [
        "rest.log.debug.text": "any", "rest.log.info.text": "any", "rest.log.warn.text": "any",
        "rest.log.error.text": "any", "rest.log.write.text": "any",
        "service:use.options": "any", "shared_store:compare_and_set.old": "any",
        "shared_store:compare_and_set.new": "any", "t.assert.message": "any", "t.fail.message": "any",
    ]

    /// The types of classes' values for names that are not fields.
    static let indexes: [String: String] = [
        "headers": "string|string[]|nil", "pipeline": "resthost.stage", "services": "resthost.service",
        "env": "string?",
    ]

    /// The types of properties that are `table` in the reference.
    static let tables: [String: String] = [
        "configuration.timeouts": "resthost.timeouts", "configuration.redirects": "resthost.redirects",
        "configuration.retry": "resthost.retry|boolean", "configuration.limits": "resthost.limits|false",
        "configuration.breaker": "resthost.breaker|boolean",
        "response.attempts": "resthost.attempt[]", "error.attempts": "resthost.attempt[]",
        "host.rest": "resthost", "headers": "resthost.headers",
    ]

    /// Types of tables that have no class in the bindings.
    static let preface = """
        ---A glob relative to base_url, a regular expression, a resource, or a function of the URL.
        ---@alias resthost.pattern string|resthost.regex|resthost.resource|fun(url: resthost.url): boolean

        ---A function of content and entity, the name of a module that returns one, or a transformer of rest.
        ---@alias resthost.transformation resthost.transformer|string|fun(content: any, entity: resthost.entity): any

        ---The value of a path's component, or of a query's parameter.
        ---@alias resthost.text string|number|boolean|resthost.raw

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
