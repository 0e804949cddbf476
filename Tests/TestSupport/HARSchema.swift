public import RestEngine

/// The fields that HAR 1.2 requires, with their types (http://www.softwareishard.com/blog/har-12-spec/).
public struct HARSchema {
    /// The errors in a document, one line each; none for a valid one.
    public static func faults(_ document: Tree) -> [String] {
        var schema = HARSchema()
        schema.object(document, "", ["log": .object])
        schema.log(document["log"] ?? .null)
        return schema.faults
    }

    private var faults: [String] = []

    private enum Field {
        case text, number, integer, object, array
        case date
        case optional([Tree.Kind])
    }

    private mutating func object(_ tree: Tree, _ path: String, _ fields: [String: Field]) {
        guard tree.kind == .object else { return faults.append("\(path) is no object") }
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) where !isRight(tree[name], field) {
            faults.append("\(path).\(name) is \(tree[name].map { "\($0.kind)" } ?? "missing")")
        }
        for pair in tree.pairs
        where fields[pair.key] == nil && !pair.key.hasPrefix("_") && pair.key != "comment" {
            faults.append("\(path).\(pair.key) is no field of HAR")
        }
    }

    private func isRight(_ tree: Tree?, _ field: Field) -> Bool {
        switch field {
        case .text: tree?.string != nil
        case .number: tree?.double != nil
        case .integer: tree?.int != nil
        case .object: tree?.kind == .object
        case .array: tree?.kind == .array
        case .date:
            tree?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/) != nil
        case .optional(let kinds): tree.map { kinds.contains($0.kind) } ?? true
        }
    }

    private mutating func log(_ log: Tree) {
        object(
            log, "log",
            [
                "version": .text, "creator": .object, "entries": .array, "browser": .optional([.object]),
                "pages": .optional([.array]),
            ])
        object(log["creator"] ?? .null, "log.creator", ["name": .text, "version": .text])
        if log["version"]?.string != "1.2" { faults.append("log.version is not 1.2") }
        for (number, entry) in (log["entries"] ?? .null).elements.enumerated() {
            self.entry(entry, "entries[\(number)]")
        }
    }

    private mutating func entry(_ entry: Tree, _ path: String) {
        object(
            entry, path,
            [
                "startedDateTime": .date, "time": .number, "request": .object, "response": .object,
                "cache": .object, "timings": .object, "serverIPAddress": .optional([.string]),
                "connection": .optional([.string]), "pageref": .optional([.string]),
            ])
        request(entry["request"] ?? .null, path + ".request")
        response(entry["response"] ?? .null, path + ".response")
        let timings = entry["timings"] ?? .null
        let optional = Field.optional([.integer, .double])
        object(
            timings, path + ".timings",
            [
                "send": .number, "wait": .number, "receive": .number, "blocked": optional, "dns": optional,
                "connect": optional, "ssl": optional,
            ])
        // The sum of "time = blocked + dns + connect + send + wait + receive" leaves out -1.
        let sum = ["blocked", "dns", "connect", "send", "wait", "receive"]
            .reduce(0) { $0 + max(0, timings[$1]?.double ?? 0) }
        if abs(sum - (entry["time"]?.double ?? -1)) > 0.01 {
            faults.append("\(path).time is not the sum of its parts")
        }
    }

    private mutating func request(_ request: Tree, _ path: String) {
        object(
            request, path,
            [
                "method": .text, "url": .text, "httpVersion": .text, "cookies": .array, "headers": .array,
                "queryString": .array, "headersSize": .integer, "bodySize": .integer,
                "postData": .optional([.object]),
            ])
        pairs(request["headers"], path + ".headers")
        pairs(request["queryString"], path + ".queryString")
        guard let data = request["postData"] else { return }
        object(
            data, path + ".postData",
            ["mimeType": .text, "params": .optional([.array]), "text": .optional([.string])])
        for param in (data["params"] ?? .null).elements {
            object(
                param, path + ".postData.params[]",
                [
                    "name": .text, "value": .optional([.string]), "fileName": .optional([.string]),
                    "contentType": .optional([.string]),
                ])
        }
    }

    private mutating func response(_ response: Tree, _ path: String) {
        object(
            response, path,
            [
                "status": .integer, "statusText": .text, "httpVersion": .text, "cookies": .array,
                "headers": .array, "content": .object, "redirectURL": .text, "headersSize": .integer,
                "bodySize": .integer,
            ])
        pairs(response["headers"], path + ".headers")
        object(
            response["content"] ?? .null, path + ".content",
            [
                "size": .integer, "mimeType": .text, "text": .optional([.string]),
                "encoding": .optional([.string]), "compression": .optional([.integer]),
            ])
    }

    private mutating func pairs(_ list: Tree?, _ path: String) {
        for pair in (list ?? .null).elements { object(pair, path + "[]", ["name": .text, "value": .text]) }
    }
}
