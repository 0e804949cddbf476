import RestEngine

/// An answer as a client reads it.
struct Answer {
    let status: Int
    let fields: [(name: String, value: String)]
    var body = ""

    init(head: String) {
        let lines = head.split(separator: "\r\n")
        // 0 if the bytes are no answer.
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
    }

    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var json: Tree? { try? Tree(json: body) }

    /// A member of a problem, as text.
    func problem(_ key: String) -> String? { json?[key]?.string }
}
