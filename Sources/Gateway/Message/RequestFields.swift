import Platform
import RestEngine

/// The fields of a well-formed head. Each is looked up when it is needed, because most of them never are.
struct RequestFields: Sendable {
    /// The bytes of the whole head.
    private let head: [UInt8]

    static let none = RequestFields([])

    init(_ head: [UInt8]) { self.head = head }

    /// The value; values of several fields are joined to a list (RFC 9110 5.3). `name` is in lower case.
    subscript(name: StaticString) -> String? {
        let values = values { $0.isExactly(name) }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The value of the only field with this name, in lower case. Nil if there are several, because two
    /// readers might choose different ones.
    func single(_ name: StaticString) -> String? {
        let values = values { $0.isExactly(name) }
        return values.count == 1 ? values[0] : nil
    }

    /// The fields whose names are in `names`, which are in lower case.
    func fields(named names: Set<String>) -> [(name: String, value: String)] {
        var found: [(String, String)] = []
        forEach { name, value in
            let text = String(decoding: name, as: UTF8.self)
            if names.contains(text.lowercased()) {
                found.append((text, String(decoding: value, as: UTF8.self)))
            }
        }
        return found
    }

    /// All fields, with names in lower case.
    var all: [(name: String, value: String)] {
        var found: [(String, String)] = []
        forEach { name, value in
            found.append(
                (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self)))
        }
        return found
    }

    private func values(_ isWanted: (UnsafeRawBufferPointer) -> Bool) -> [String] {
        var found: [String] = []
        forEach { name, value in
            if isWanted(name) { found.append(String(decoding: value, as: UTF8.self)) }
        }
        return found
    }

    private func forEach(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
        head.withUnsafeBytes { Self.forEach(in: $0, body) }
    }

    /// Names and values of the fields of a well-formed head, in their order.
    static func forEach(
        in head: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        var isRequestLine = true
        while let newline = head.firstNewline(from: start) {
            let line = UnsafeRawBufferPointer(rebasing: head[start..<max(start, newline - 1)])
            start = newline + 1
            // Empty lines may precede the request line (RFC 9112 2.2), and an empty line ends the head.
            if line.isEmpty { continue }
            if isRequestLine {
                isRequestLine = false
                continue
            }
            guard let colon = line.firstIndex(of: .colon) else { continue }
            var first = colon + 1
            var last = line.count
            while first < last, HTTPByte.isBlank(line[first]) { first += 1 }
            while last > first, HTTPByte.isBlank(line[last - 1]) { last -= 1 }
            body(
                UnsafeRawBufferPointer(rebasing: line[..<colon]),
                UnsafeRawBufferPointer(rebasing: line[first..<last]))
        }
    }
}
