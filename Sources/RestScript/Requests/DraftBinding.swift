import LuaRuntime
import RestEngine

/// A request draft during a mutation. Afterwards it has no effect.
final class ScriptDraft: LuaObject {
    var draft: RequestDraft
    init(_ draft: RequestDraft) { self.draft = draft }

    var keptBytes: Int { draft.heldBytes }
}

/// Functions of a script that build requests: mutations and decorators.
struct DraftBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet { BindingSet(classes: [show(ScriptDraft.self, as: makeDraftClass)]) }

    /// Wraps a function of a script as a mutation of requests.
    func mutation(_ function: ScriptFunction) -> RequestMutation {
        { [weak context] draft in
            guard let context else { throw ScriptContext.closed }
            let box = ScriptDraft(draft)
            try context.runner.call(
                function, phase: phases.mutator,
                arguments: { lua in
                    values.push(box, on: lua)
                    return 1
                }, results: 0
            ) { _ in }
            draft = box.draft
        }
    }

    /// Wraps a function of a script as a decorator. It must return a request.
    func decorator(_ function: ScriptFunction) -> RequestDecorator {
        { [weak context] resource, request in
            guard let context else { throw ScriptContext.closed }
            return try context.runner.call(function, phase: phases.decorator) { lua in
                values.push(resource, on: lua)
                values.push(request, on: lua)
                return 2
            } read: { lua in
                if let request = lua.object(-1, as: Request.self) { return request }
                throw function.failure(
                    "a decorator returned \(lua.nameOfResult(-1)) where it must return a request")
            }
        }
    }

    func makeDraftClass() -> LuaClass {
        LuaClass(
            "draft", documentation: "A request that is being built.",
            properties: [
                property(
                    "method", "string", "Any token.",
                    { call in
                        call.lua.push(try call.receiver(as: ScriptDraft.self).draft.method)
                        return .one
                    },
                    set: { call in
                        let method = try call.string(1, "method")
                        try call.receiver(as: ScriptDraft.self).draft.method =
                            try RequestDraft.normalized(method: method)
                        return .none
                    }),
                property("partition", "string?", "The partition of the resource; nil: that of everybody.") {
                    call in
                    call.lua.push(optional: try call.receiver(as: ScriptDraft.self).draft.partition)
                    return .one
                },
                property(
                    "url", "string", "An absolute URL.",
                    { call in
                        call.lua.push(try call.receiver(as: ScriptDraft.self).draft.url)
                        return .one
                    },
                    set: { call in
                        let url = try call.string(1, "url")
                        try RequestDraft.check(url: url)
                        try call.receiver(as: ScriptDraft.self).draft.url = url
                        return .none
                    }),
                property(
                    "headers", "headers", "The request headers; assign nil to remove one.",
                    { call in
                        let box = try call.receiver(as: ScriptDraft.self)
                        values.push(
                            ScriptHeaders(
                                of: box, read: { box.draft.headers }, write: { box.draft.headers = $0 }),
                            on: call.lua)
                        return .one
                    },
                    set: { call in
                        let headers = try call.lua.sendableHeaders(try call.table(1, "headers"))
                        try call.receiver(as: ScriptDraft.self).draft.headers = headers
                        return .none
                    }),
                property(
                    "body", "string?",
                    "The body as bytes; nil when there is none, or a multipart or file body, which an assignment replaces.",
                    { call in
                        if let body = try call.receiver(as: ScriptDraft.self).draft.body {
                            call.lua.push(bytes: body)
                        } else {
                            call.lua.pushNil()
                        }
                        return .one
                    },
                    set: { call in
                        try call.receiver(as: ScriptDraft.self).draft.body =
                            call.isAbsent(1) ? nil : try call.rawBytes(1, "body")
                        return .none
                    }),
                property(
                    "body_kind", "string?",
                    """
                    `bytes`, or `stream` for a body that is read while it is sent: a file, a multipart form, or that of a \
                    client of the gateway; nil without a body.
                    """
                ) { call in
                    let draft = try call.receiver(as: ScriptDraft.self).draft
                    let kind = draft.upload != nil ? "stream" : draft.body != nil ? "bytes" : nil
                    call.lua.push(optional: kind)
                    return .one
                },
            ], elsewhere: Self.elsewhere)
    }

    /// Advice for names that a draft does not have.
    private static let elsewhere = [
        "json":
            "a draft's body is bytes: draft.body = rest.json.encode(…), with draft.headers[\"Content-Type\"]",
        "text": "a draft's body is bytes: draft.body = …, with draft.headers[\"Content-Type\"]",
        "query": "it is part of draft.url",
        "set_header": "write draft.headers[\"Name\"] = value",
        "header": "write draft.headers[\"Name\"] = value",
        "content_type": "write draft.headers[\"Content-Type\"] = value",
    ]
}
