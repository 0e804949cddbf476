import ContentFormats
import LuaRuntime
import Platform
import RestEngine

/// `rest.xml`.
struct XMLBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(tables: [ModuleTable(name: "rest.xml", functions: [decode, encode, find, findAll])])
    }

    private var decode: ModuleFunction {
        ModuleFunction(
            "decode", signature: "(text: string, options?: { ... }) -> element | nil, message",
            documentation: """
                The outermost element of an XML document: a table with `name`, `namespace` (nil without one), \
                `attributes` by name, `children` and `text`. Space between elements is no text. A DOCTYPE that \
                declares something is an error.
                """,
            options: Self.reading.descriptions
        ) { call in
            let text = try call.rawBytes(1, "text")
            var given = XML.Options()
            try call.options(2).read(Self.reading, into: &given)
            given.limits = limits(depth: given.limits.depth)
            return try push(call.lua) { stop throws(FormatError) in try XML.decode(text, given, stop: stop) }
        }
    }

    private var encode: ModuleFunction {
        ModuleFunction(
            "encode", signature: "(element: table, options?: { ... }) -> string",
            documentation: """
                The text of an element in the form of `decode`; `name` alone is needed. `text` comes before the \
                children, and doesn't count if strings are among them.
                """,
            options: Self.writing.descriptions
        ) { call in
            _ = try call.table(1, "element")
            var declaration = false
            try call.options(2).read(Self.writing, into: &declaration)
            return try pushText(of: call, as: "XML") { tree, stop throws(FormatError) in
                try XML.encode(tree, declaration: declaration, stop: stop)
            }
        }
    }

    private var find: ModuleFunction {
        ModuleFunction(
            "find", signature: "(element: table, path: string, options?: { ... }) -> element | string | nil",
            documentation: """
                The first element below the given one that a path leads to, such as `channel/item[2]/title`, \
                `//item[@type='x']` or `*`; for a path that ends with `@name`, the attribute's value.
                """,
            options: Self.searching.descriptions
        ) { call in
            try search(call, limit: 1)
            _ = call.lua.rawGet(call.lua.top, 1)
            return .one
        }
    }

    private var findAll: ModuleFunction {
        ModuleFunction(
            "find_all", signature: "(element: table, path: string, options?: { ... }) -> table",
            documentation: "All of them, in the document's order.", options: Self.searching.descriptions
        ) { call in
            try search(call, limit: nil)
            return .one
        }
    }

    private func search(_ call: Arguments, limit: Int?) throws {
        let element = try call.table(1, "element")
        let text = try call.string(2, "path")
        var namespaces: [String: String] = [:]
        try call.options(3).read(Self.searching, into: &namespaces)
        let path: XMLPath
        do { path = try XMLPath(text, namespaces: namespaces) } catch {
            throw call.bad(2, "path", "\(error)")
        }
        try XMLSearch.push(path, from: element, limit: limit, on: call.lua)
    }

    static let options: [ScriptOption<XML.Options>] = [
        .flag("mixed", default: "false", "Keeps each piece of text as a string among the children.") {
            $0.mixed = $1
        },
        .count(
            "max_nodes", from: 1, to: 100_000_000, default: "1000000",
            "Elements and attributes of the document."
        ) { $0.nodes = $1 },
        .depth("Elements inside each other.") { $0.limits.depth = $1 },
    ]

    private static let reading = ScriptSchema(options)

    private static let writing = ScriptSchema<Bool>([
        .flag("declaration", default: "false", "Begins with `<?xml version=\"1.0\" encoding=\"UTF-8\"?>`.") {
            $0 = $1
        }
    ])

    private static let searching = ScriptSchema<[String: String]>([
        ScriptOption<[String: String]>(
            "namespaces", type: "table",
            "Namespaces by the prefixes of the path. A name without prefix is one of any namespace; `{uri}name` needs no prefix."
        ) { options, namespaces, _ in
            for (name, text) in try options.texts(
                "namespaces", example: "{ atom = \"http://www.w3.org/2005/Atom\" }") ?? []
            {
                namespaces[name] = text
            }
        }
    ])
}
