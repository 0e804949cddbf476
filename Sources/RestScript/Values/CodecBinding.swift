import LuaRuntime
import RestEngine

/// `rest.base64`.
struct Base64Binding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet { BindingSet(tables: [base64Module]) }

    private var base64Module: ModuleTable {
        ModuleTable(
            name: "rest.base64",
            functions: [
                ModuleFunction(
                    "encode", signature: "(bytes: string) -> string", documentation: "RFC 4648, with padding."
                ) { call in
                    call.lua.push(Base64.encode(try call.rawBytes(1, "bytes")))
                    return .one
                },
                ModuleFunction(
                    "decode", signature: "(text: string) -> string | nil, message",
                    documentation: "Takes the URL alphabet too; padding may be missing."
                ) { call in
                    switch Base64.decode(try call.rawBytes(1, "text")) {
                    case .success(let bytes):
                        call.lua.push(bytes: bytes)
                        return .one
                    case .failure(let error):
                        call.lua.pushNil()
                        call.lua.push(error.message)
                        return .results(2)
                    }
                },
            ])
    }
}

/// `rest.url`.
struct URLBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet { BindingSet(tables: [urlModule]) }

    private var urlModule: ModuleTable {
        ModuleTable(
            name: "rest.url",
            functions: [
                ModuleFunction(
                    "encode", signature: "(text: string) -> string",
                    documentation: "Escapes text for a parameter or path segment."
                ) { call in
                    call.lua.push(PercentEncoding.component(try call.rawBytes(1, "text")))
                    return .one
                },
                ModuleFunction(
                    "decode", signature: "(text: string) -> string",
                    documentation: "Resolves the escapes of a text."
                ) { call in
                    call.lua.push(bytes: PercentEncoding.decodeBytes(try call.rawBytes(1, "text")))
                    return .one
                },
                ModuleFunction(
                    "parse", signature: "(url: string) -> table | nil, message",
                    documentation:
                        "The parts of a URL. `params` has the decoded values of its query by name, a list for a repeated one."
                ) { call in
                    let text = try call.text(1, "url", .url)
                    guard let url = URLText(text) else {
                        call.lua.pushNil()
                        call.lua.push("'\(text)' is not a URL")
                        return .results(2)
                    }
                    values.push(url, on: call.lua)
                    try values.push(query: url.query ?? "", on: call.lua)
                    call.lua.rawSet(-2, "params")
                    return .one
                },
            ])
    }
}

extension ScriptValues {
    /// Pushes the values by name: a string, or a list for a repeated name.
    ///
    /// - Throws: When the time of the script's function is over.
    fileprivate func push(query: String, on lua: Lua) throws {
        var values: [String: [String]] = [:]
        for piece in query.split(separator: "&") {
            try lua.poll()
            let parameter = QueryParameter(piece)
            values[parameter.name, default: []].append(parameter.value)
        }
        lua.newTable()
        for (name, values) in values {
            try lua.poll()
            if values.count == 1 {
                lua.push(values[0])
            } else {
                lua.newTable(array: Int32(values.count))
                for (index, value) in values.enumerated() {
                    lua.push(value)
                    lua.rawSet(-2, index + 1)
                }
            }
            lua.rawSet(-2, name)
        }
    }

    /// Pushes a URL as pattern functions get it: its text and its parts.
    func push(_ url: URLText, on lua: Lua) {
        lua.newTable(record: 7)
        let parts = [
            ("string", url.string), ("scheme", url.scheme), ("host", url.host), ("path", url.path),
            ("query", url.query), ("fragment", url.fragment),
        ]
        for case (let name, let text?) in parts {
            lua.push(text)
            lua.rawSet(-2, name)
        }
        if let port = url.port {
            lua.push(port)
            lua.rawSet(-2, "port")
        }
    }
}
