import RestEngine

/// An answer as a client reads it.
struct Answer {
    let status: Int
    let fields: [(name: String, value: String)]
    var body = ""

    init(head: String) {
        let lines = head.split(separator: "\r\n")
        status = Int(lines[0].split(separator: " ")[1]) ?? 0
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
    }

    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var json: Tree? { try? Tree(json: body) }

    /// A member of a problem, as text.
    func problem(_ key: String) -> String? { json?[key]?.string }
}
