/// Globs filed by their segments (the text between slashes), so that a URL meets only those that begin like
/// it.
///
/// A node stands for the segments before it. `**/` is a node of its own that skips any number of segments; a
/// `**` that shares a segment with something else ends the walk: the whole glob must be matched.
struct GlobTrie: Sendable {
    private(set) var nodes = [Node()]

    struct Node: Sendable {
        var literals: [String: Int] = [:]
        /// Child for `*` as a whole segment.
        var any: Int?
        /// Children for other segments with `*` or `?`, as indices into `edges`.
        var mixed = AffixTable()
        var edges: [Edge] = []
        var edgeOfSegment: [ArraySlice<GlobStep>: Int] = [:]
        /// Child for `**/`.
        var deep: Int?
        var isDeep = false
        /// Globs that end here.
        var ends: [Int] = []
        /// Globs that go on with `**` and no more.
        var subtrees: [Int] = []
        /// Globs whose rest holds a `**` within a segment.
        var unresolved = AffixTable()
    }

    struct Edge: Sendable {
        let program: GlobProgram
        let child: Int
    }

    mutating func insert(_ glob: GlobPattern, number: Int) {
        var node = 0
        var rest = glob.steps[...]
        while true {
            if rest.starts(with: [.optional, .upToSlash]) {
                node = deepChild(of: node)
                rest = rest.dropFirst(2)
                continue
            }
            let segment = rest.prefix { $0 != .byte(.slash) }
            if segment.contains(where: \.crossesSlash) {
                if rest.elementsEqual([.deep]) {
                    nodes[node].subtrees.append(number)
                } else {
                    let program = GlobProgram(rest)
                    nodes[node].unresolved.insert(number, prefix: program.prefix, suffix: program.suffix)
                }
                return
            }
            node = child(of: node, for: segment)
            if segment.endIndex == rest.endIndex {
                nodes[node].ends.append(number)
                return
            }
            rest = rest[(segment.endIndex + 1)...]
        }
    }

    private mutating func child(of node: Int, for segment: ArraySlice<GlobStep>) -> Int {
        if segment.elementsEqual([.star]) {
            let child = nodes[node].any ?? newNode()
            nodes[node].any = child
            return child
        }
        let literals = segment.compactMap(\.literal)
        if literals.count == segment.count {
            let key = String(decoding: literals, as: UTF8.self)
            let child = nodes[node].literals[key] ?? newNode()
            nodes[node].literals[key] = child
            return child
        }
        if let edge = nodes[node].edgeOfSegment[segment] { return nodes[node].edges[edge].child }
        let edge = Edge(program: GlobProgram(segment), child: newNode())
        let number = nodes[node].edges.count
        nodes[node].edges.append(edge)
        nodes[node].edgeOfSegment[segment] = number
        nodes[node].mixed.insert(number, prefix: edge.program.prefix, suffix: edge.program.suffix)
        return edge.child
    }

    /// `**/**/` says no more than `**/`.
    private mutating func deepChild(of node: Int) -> Int {
        if nodes[node].isDeep { return node }
        if let child = nodes[node].deep { return child }
        let child = newNode()
        nodes[child].isDeep = true
        nodes[node].deep = child
        return child
    }

    private mutating func newNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }
}

extension GlobStep {
    var crossesSlash: Bool { self == .deep || self == .upToSlash }
}
