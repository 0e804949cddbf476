import LuaRuntime
import Platform
import RestEngine

/// An entity as a Lua object. Its content becomes a Lua value when it is first read, and is then kept.
final class ScriptEntity: LuaObject {
    let entity: Entity
    var content: LuaReference?

    init(_ entity: Entity) { self.entity = entity }

    var keptBytes: Int { entity.heldBytes }
}

/// `rest.entity`, and the Lua class of entities.
struct EntityBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "entity",
                    signature: "(options: { ... }) -> entity",
                    documentation: "Makes an entity.", options: GivenEntity.schema.descriptions
                ) { call in try makeEntity(call) }
            ],
            classes: [BoundClass(ScriptEntity.self, makeEntityClass)])
    }

    func makeEntityClass() -> LuaClass {
        LuaClass(
            "entity", documentation: "The data of a resource with its headers and metadata.",
            methods: [
                LuaMethod(
                    "header_values", signature: "(name: string) -> string[]",
                    documentation: "All values of a header, in order."
                ) { call in
                    let values = try call.receiver(as: ScriptEntity.self).entity.headers.values(
                        try call.string(1, "name"))
                    call.lua.newTable(array: Int32(values.count))
                    for (index, value) in values.enumerated() {
                        call.lua.push(value)
                        call.lua.rawSet(-2, index + 1)
                    }
                    return .one
                }
            ],
            properties: [
                LuaProperty(
                    "content", type: "any",
                    documentation:
                        "The content as a separate Lua value: changing it does not change the resource."
                ) { call in
                    let box = try call.receiver(as: ScriptEntity.self)
                    if let content = box.content {
                        call.lua.push(content)
                    } else {
                        values.push(box.entity.content, on: call.lua)
                        if call.lua.type(-1) == .table { box.content = call.lua.reference(-1) }
                    }
                    return .one
                },
                LuaProperty(
                    "content_kind", type: "string",
                    documentation: "`bytes`, `text`, `json`, `image` or `value`."
                ) { call in
                    call.lua.push(try call.receiver(as: ScriptEntity.self).entity.content.kind)
                    return .one
                },
                LuaProperty(
                    "content_type", type: "string", documentation: "The content type with its parameters."
                ) { call in
                    call.lua.push(try call.receiver(as: ScriptEntity.self).entity.contentType)
                    return .one
                },
                LuaProperty(
                    "charset", type: "string?",
                    documentation: "The charset as the server named it, in lower case."
                ) { call in
                    call.lua.push(optional: try call.receiver(as: ScriptEntity.self).entity.charset)
                    return .one
                },
                LuaProperty(
                    "headers", type: "headers",
                    documentation: "The headers, read only; names compare without case."
                ) { call in
                    let headers = try call.receiver(as: ScriptEntity.self).entity.headers
                    values.push(ScriptHeaders(reading: headers), on: call.lua)
                    return .one
                },
                LuaProperty(
                    "status", type: "integer?",
                    documentation:
                        "The status of the content's response; nil if a script made it. A 304 does not change it."
                ) { call in
                    let status = try call.receiver(as: ScriptEntity.self).entity.status
                    if let status { call.lua.push(Int64(status)) } else { call.lua.pushNil() }
                    return .one
                },
                LuaProperty(
                    "url", type: "string?",
                    documentation:
                        "The URL of that response, after redirects; without user and password."
                ) { call in
                    let url = try call.receiver(as: ScriptEntity.self).entity.url
                    call.lua.push(optional: url.map(URLText.withoutUserInfo))
                    return .one
                },
                LuaProperty(
                    "http_version", type: "string?", documentation: "The HTTP version, such as `1.1` or `2`."
                ) {
                    call in
                    call.lua.push(optional: try call.receiver(as: ScriptEntity.self).entity.httpVersion)
                    return .one
                },
                LuaProperty("etag", type: "string?", documentation: "The entity tag with its quotes.") {
                    call in
                    call.lua.push(optional: try call.receiver(as: ScriptEntity.self).entity.etag)
                    return .one
                },
                LuaProperty(
                    "timestamp", type: "number",
                    documentation: "The time when it was received or confirmed, in Unix seconds."
                ) { call in
                    call.lua.push(try call.receiver(as: ScriptEntity.self).entity.timestamp)
                    return .one
                },
                LuaProperty(
                    "text", type: "string", documentation: "The content if it is text, else an empty string."
                ) { call in
                    values.pushText(of: try call.receiver(as: ScriptEntity.self).entity.content, on: call.lua)
                    return .one
                },
                LuaProperty(
                    "json", type: "table", documentation: "The content if it is a table, else an empty one."
                ) { call in
                    values.pushJSON(of: try call.receiver(as: ScriptEntity.self).entity.content, on: call.lua)
                    return .one
                },
            ],
            tostring: { object in
                guard let box = object as? ScriptEntity else { return "entity" }
                return "entity (\(box.entity.content.kind), \(box.entity.contentType))"
            }, elsewhere: Self.elsewhere)
    }

    /// `rest.entity { content = …, … }`.
    private func makeEntity(_ call: Arguments) throws -> CallResult {
        let options = try call.options(1)
        var given = GivenEntity()
        try options.read(GivenEntity.schema, into: &given)
        guard let place = given.content, let content = try values.content(call.lua, place) else {
            throw options.missing("content", of: "entity")
        }
        var entity = Entity(
            content: content, charset: given.charset, headers: given.headers,
            timestamp: given.timestamp ?? values.now)
        entity.status = given.status ?? entity.status
        (entity.url, entity.httpVersion) = (given.url, given.httpVersion)
        values.push(entity, on: call.lua)
        return .one
    }

    /// Advice for names that an entity does not have.
    private static let elsewhere = [
        "body": "it is entity.content", "data": "it is entity.content",
        "error": "an entity is a success, or the body of an error",
    ]
}

/// The options of `rest.entity`. Status, URL and version are for caches that store an entity and restore it.
private struct GivenEntity {
    /// The index of the value on the stack.
    var content: Int32?
    var headers = Headers()
    var charset: String?
    var timestamp: Double?
    var status: Int?
    var url: String?
    var httpVersion: String?

    static let schema = ScriptSchema<GivenEntity>([
        .place("content", type: "content", "The content: a string, a table or rest.bytes(…).") {
            $0.content = $1
        }
        .required(of: "entity"),
        .init("headers", type: "headers", "The headers: those of another entity, or a table.") {
            options, entity, _ in
            guard let place = options.value("headers") else { return }
            defer { options.lua.setTop(place - 1) }
            // Headers of another entity keep their order and repeats.
            if let known = options.lua.object(place, as: ScriptHeaders.self) {
                entity.headers = known.read()
            } else if let place = try options.table("headers") {
                entity.headers = try options.lua.headers(place)
            }
        },
        .text("content_type", "The content type, in place of the one in `headers`.") {
            $0.headers.set("Content-Type", $1)
        },
        .text("charset", "The charset of the content, as a server would name it.") { $0.charset = $1 },
        .number("timestamp", "Unix time in seconds; without it now.") { $0.timestamp = $1 },
        .init("status", type: "integer", "Three digits.") { options, entity, _ in
            guard let status = try options.integer("status") else { return }
            guard (100...999).contains(status) else {
                throw LuaUsageError("option 'status': \(status) is no status, which has three digits")
            }
            entity.status = Int(status)
        },
        .text("url", "The URL that it came from.") { $0.url = $1 },
        .text("http_version", "The HTTP version of its response.") { $0.httpVersion = $1 },
    ])
}

extension ScriptValues {
    func push(_ entity: Entity, on lua: Lua) { push(ScriptEntity(entity), on: lua) }
}

extension Lua {
    func push(optional text: String?) {
        if let text { push(text) } else { pushNil() }
    }
}
