/// What people look for on one object and find on another, or by another name: the advice of the error, by the name that they
/// wrote.
enum Elsewhere {
    static let ofServices = Dictionary(
        uniqueKeysWithValues: ["get", "load", "load_if_needed", "request", "child", "with_param"].map {
            ($0, "a resource has it: service:resource(\"/path\"):\($0)(…)")
        })

    static let ofResources: [String: String] = {
        let latest = "resource.latest_data, which is nil before a load,"
        var advice = [
            "content": "resource:get() gives it, and \(latest) has the latest",
            "headers": "\(latest) has those of the answer; a block sets those of requests, c.headers",
            "await": "a request has it: resource:load():await()",
        ]
        for name in [
            "on_success", "on_failure", "on_completion", "on_new_data", "on_not_modified", "on_progress",
        ] {
            advice[name] = "a request has it: resource:load():\(name)(fn)"
        }
        return advice
    }()

    /// What an entity or an error has, a request has only when it has ended.
    static let ofRequests: [String: String] = {
        let first = "await it: local entity, err = request:await(), then"
        var advice = ["then": "write request:on_completion(fn), or local entity, err = request:await()"]
        for name in [
            "content", "content_kind", "content_type", "charset", "headers", "etag", "timestamp", "text",
            "json",
            "status", "url",
        ] {
            advice[name] = "\(first) entity.\(name)"
        }
        for name in ["data", "body"] { advice[name] = "\(first) entity.content" }
        for name in ["user_message", "http_status_code", "cause", "attempt"] {
            advice[name] = "\(first) err.\(name)"
        }
        for name in ["entity", "error"] { advice[name] = "local entity, err = request:await() gives it" }
        return advice
    }()

    static let ofEntities = [
        "body": "it is entity.content", "data": "it is entity.content",
        "error": "an entity is a success, or the body of an error",
    ]

    static let ofErrors = [
        "headers": "the entity has them: err.entity.headers",
        "content": "the entity has it: err.entity.content, or err.json, err.text",
        "content_type": "the entity has it: err.entity.content_type",
        "status": "it is err.http_status_code", "code": "it is err.http_status_code, or err.cause.type",
        "type": "it is err.cause.type", "reason": "tostring(err) has it", "detail": "tostring(err) has it",
    ]

    static let ofDrafts = [
        "json":
            "a draft's body is bytes: draft.body = rest.json.encode(…), with draft.headers[\"Content-Type\"]",
        "text": "a draft's body is bytes: draft.body = …, with draft.headers[\"Content-Type\"]",
        "query": "it is part of draft.url",
        "set_header": "write draft.headers[\"Name\"] = value",
        "header": "write draft.headers[\"Name\"] = value",
        "content_type": "write draft.headers[\"Content-Type\"] = value",
    ]
}
