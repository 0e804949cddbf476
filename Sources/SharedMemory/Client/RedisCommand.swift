/// A command as the server reads it: an array of bulks.
package struct RedisCommand: Sendable, Equatable {
    package enum Argument: Sendable, ExpressibleByStringLiteral {
        case text(String)
        case bytes([UInt8])
        case integer(Int)

        package init(stringLiteral text: String) { self = .text(text) }
    }

    package let bytes: [UInt8]
    /// Whether it changes data, so that a full or read-only server refuses it.
    package let changesData: Bool

    package init(_ name: String, _ arguments: Argument..., changesData: Bool = false) {
        self.init([.text(name)] + arguments, changesData: changesData)
    }

    /// - Parameter words: The name and the arguments.
    package init(_ words: [Argument], changesData: Bool = false) {
        self.changesData = changesData
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.reduce(16) { $0 + $1.estimate })
        Self.begin(UInt8(ascii: "*"), words.count, &bytes)
        for word in words {
            switch word {
            case .text(let text): Self.append(text.utf8, &bytes)
            case .bytes(let content): Self.append(content, &bytes)
            case .integer(let number): Self.append("\(number)".utf8, &bytes)
            }
        }
        self.bytes = bytes
    }

    private static func append(_ content: some Collection<UInt8>, _ bytes: inout [UInt8]) {
        begin(UInt8(ascii: "$"), content.count, &bytes)
        bytes.append(contentsOf: content)
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func begin(_ type: UInt8, _ count: Int, _ bytes: inout [UInt8]) {
        bytes.append(type)
        bytes.append(contentsOf: "\(count)\r\n".utf8)
    }
}

extension RedisCommand.Argument {
    fileprivate var estimate: Int {
        switch self {
        case .text(let text): text.utf8.count + 16
        case .bytes(let bytes): bytes.count + 16
        case .integer: 32
        }
    }
}
