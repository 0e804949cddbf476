internal import Coordination

/// Reads replies to `XREAD`, which other programs may have influenced.
enum StreamReply {
    /// The entries by the name of their stream. The reply is a map with version 3 of the protocol.
    static func streams(_ value: RedisValue) -> [String: [RedisValue]] {
        let parts: [RedisValue]
        switch value {
        case .map(let all): parts = all
        case .array(let streams): parts = streams.flatMap { $0.elements ?? [] }
        default: return [:]
        }
        var streams: [String: [RedisValue]] = [:]
        for index in stride(from: 0, to: parts.count - 1, by: 2) {
            if let name = parts[index].text { streams[name] = parts[index + 1].elements }
        }
        return streams
    }
}

extension InvalidationEntry {
    /// An entry of the log. One that this version can't read has no invalidation, so that the reader knows of
    /// it.
    init(_ value: RedisValue) {
        let parts = value.elements ?? []
        var fields: [(name: String, value: [UInt8])] = []
        let words = parts.last?.elements ?? []
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            guard let name = words[index].text, case .bytes(let bytes) = words[index + 1] else { continue }
            fields.append((name, bytes))
        }
        func text(_ name: String) -> String {
            fields.first { $0.name == name }.flatMap { String(validating: $0.value, as: UTF8.self) } ?? ""
        }
        self.init(
            id: parts.first?.text ?? InvalidationPlace.start.id, epoch: text("e"),
            number: Int64(text("n")) ?? -1, host: text("h"), serial: Int64(text("i")) ?? 0,
            Invalidation(fields: fields.filter { !["e", "n", "h", "i"].contains($0.name) }))
    }
}
