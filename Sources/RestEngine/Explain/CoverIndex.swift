/// Finds patterns that may cover a given one (``URLPattern/covers(_:)``) without testing all others.
struct CoverIndex {
    private var universal: [Int] = []
    private var globs: [[GlobStep]: [Int]] = [:]
    /// Globs that consist of a text and a final `**`, by that text.
    private var deep: [[GlobStep]: [Int]] = [:]
    private var others: [Int] = []

    mutating func add(_ pattern: URLPattern, _ number: Int) {
        switch pattern {
        case .all: universal.append(number)
        case .glob(let glob) where glob.steps.last == .deep:
            deep[glob.steps.dropLast(), default: []].append(number)
        case .glob(let glob): globs[glob.steps, default: []].append(number)
        case .resource, .regex: others.append(number)
        case .predicate: break
        }
    }

    /// Includes all patterns that cover the given one, in any order.
    func candidates(for pattern: URLPattern) -> [Int] {
        switch pattern {
        case .glob(let glob):
            let text = glob.steps.prefix { $0.literal != nil }
            let wider = (0...text.count).flatMap { deep[Array(text.prefix($0))] ?? [] }
            let same = globs[glob.steps] ?? deep[glob.steps.dropLast()] ?? []
            return universal + wider + same
        case .resource: return universal + others + globs.values.joined() + deep.values.joined()
        case .regex: return universal + others
        case .all, .predicate: return universal
        }
    }
}
