/// The steps that may come next, without repeats, with those behind a step that may match nothing.
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

    /// Adds to `next` the steps that may come after one more byte of the text.
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
