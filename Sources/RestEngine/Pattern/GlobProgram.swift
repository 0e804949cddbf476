/// Matches the steps of a glob in time proportional to the text times the steps, whatever the pattern: all
/// ways through the steps are followed at once, none is tried again.
struct GlobProgram: Sendable, Equatable {
    let prefix: [UInt8]
    /// From the first wildcard to the last.
    let middle: [GlobStep]
    let suffix: [UInt8]

    init(_ steps: some BidirectionalCollection<GlobStep>) {
        prefix = steps.prefix { $0.literal != nil }.compactMap(\.literal)
        let rest = Array(steps.dropFirst(prefix.count))
        let end = rest.lastIndex { $0.literal == nil }.map { $0 + 1 } ?? 0
        middle = Array(rest[..<end])
        suffix = rest[end...].compactMap(\.literal)
    }

    func matches(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= prefix.count + suffix.count, text.starts(with: prefix) else { return false }
        let rest = text.dropFirst(prefix.count)
        guard rest.suffix(suffix.count).elementsEqual(suffix) else { return false }
        let inner = rest.dropLast(suffix.count)
        switch middle.count {
        case 0: return inner.isEmpty
        case 1 where middle[0] == .deep: return true
        case 1 where middle[0] == .star: return !inner.contains(.slash)
        default: return follow(inner)
        }
    }

    private func follow(_ text: ArraySlice<UInt8>) -> Bool {
        var now = StepSet(middle)
        var next = StepSet(middle)
        now.insert(0)
        for byte in text {
            now.advance(over: byte, into: &next)
            if next.indices.isEmpty { return false }
            swap(&now, &next)
            next.removeAll()
        }
        return now.contains(middle.count)
    }
}

extension GlobStep {
    var literal: UInt8? {
        if case .byte(let byte) = self { byte } else { nil }
    }
}
