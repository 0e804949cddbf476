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

    mutating func removeAll() {
        for index in indices { members[index] = false }
        indices.removeAll(keepingCapacity: true)
    }
}
