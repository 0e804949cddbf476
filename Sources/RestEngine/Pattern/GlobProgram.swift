import Platform

/// One element of a compiled glob.
enum GlobStep: Sendable, Hashable {
    case byte(UInt8)
    /// `?`: one byte other than a slash.
    case one
    /// `*`: bytes other than a slash.
    case star
    /// `**`: any bytes.
    case deep
    /// The next step is optional. `**/` consists of this and `upToSlash`.
    case optional
    /// Any bytes, ending with a slash.
    case upToSlash

    /// The steps of a glob whose text is already encoded.
    static func parse(_ text: some Collection<UInt8>) -> [GlobStep] {
        var steps: [GlobStep] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == .star else {
                steps.append(byte == .question ? .one : .byte(byte))
                continue
            }
            let more = rest.prefix { $0 == .star }.count
            rest = rest.dropFirst(more)
            if more > 0, rest.first == .slash {
                rest = rest.dropFirst()
                steps += stars(more - 1) + [.optional, .upToSlash]
            } else {
                steps += stars(more + 1)
            }
        }
        return steps
    }

    /// Three or more stars mean the same as two.
    private static func stars(_ count: Int) -> [GlobStep] {
        count == 0 ? [] : [count == 1 ? .star : .deep]
    }
}

/// Matches the steps of a glob in time proportional to the text times the steps, for any pattern: all paths
/// through the steps are followed simultaneously, without backtracking.
struct GlobProgram: Sendable, Equatable {
    let prefix: [UInt8]
    /// The steps from the first wildcard to the last.
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

/// The set of possible next steps, including those after a step that can match nothing.
struct StepSet {
    private(set) var indices: [Int] = []
    private var members: [Bool]
    private let steps: [GlobStep]

    init(_ steps: [GlobStep]) {
        self.steps = steps
        members = Array(repeating: false, count: steps.count + 1)
    }

    func contains(_ index: Int) -> Bool { members[index] }

    mutating func insert(_ start: Int) {
        var index = start
        while !members[index] {
            members[index] = true
            indices.append(index)
            guard index < steps.count else { return }
            switch steps[index] {
            case .star, .deep: index += 1
            case .optional:
                insert(index + 1)
                index += 2
            default: return
            }
        }
    }

    /// Adds to `next` the steps that are possible after one more byte of the text.
    func advance(over byte: UInt8, into next: inout StepSet) {
        for index in indices where index < steps.count {
            switch steps[index] {
            case .byte(let literal): if byte == literal { next.insert(index + 1) }
            case .one: if byte != .slash { next.insert(index + 1) }
            case .star: if byte != .slash { next.insert(index) }
            case .deep: next.insert(index)
            case .optional: break
            case .upToSlash:
                next.insert(index)
                if byte == .slash { next.insert(index + 1) }
            }
        }
    }

    mutating func removeAll() {
        for index in indices { members[index] = false }
        indices.removeAll(keepingCapacity: true)
    }
}
