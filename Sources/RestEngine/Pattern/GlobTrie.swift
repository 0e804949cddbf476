import Platform

/// Globs stored by their segments (the text between slashes), so that a URL is compared only with globs that
/// begin like it.
///
/// A node stands for the segments before it. `**/` is a node of its own that skips any number of segments. At
/// a `**` that shares a segment with other text the walk ends, and the whole glob must be matched.
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
        /// Globs that continue with `**` and end.
        var subtrees: [Int] = []
        /// Globs whose rest contains a `**` within a segment.
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

    /// `**/**/` means the same as `**/`.
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

extension GlobTrie {
    /// The result of walking a URL through the trie.
    struct Findings {
        /// Globs that certainly match, each once, in any order.
        var matches: [Int] = []
        /// Globs that must still be matched against the whole text.
        var candidates: Set<Int> = []
        /// The number of nodes and segments visited, as a measure of the work.
        var steps = 0
        /// Nodes whose subtrees match: below `**/` a node can be reached again.
        fileprivate var collected: [Int] = []
    }

    func lookup(_ text: ArraySlice<UInt8>) -> Findings {
        var findings = Findings()
        var active = [0]
        // These stay active until the end of the text.
        var deep: [Int] = []
        var start = text.startIndex
        while !active.isEmpty || !deep.isEmpty {
            let rest = text[start...]
            let segment = rest.prefix { $0 != .slash }
            let isLast = segment.endIndex == text.endIndex
            for node in active {
                if let child = nodes[node].deep, !deep.contains(child) { deep.append(child) }
            }
            let key = String(decoding: segment, as: UTF8.self)
            var next: [Int] = []
            for node in active + deep {
                collect(node, rest, into: &findings)
                follow(node, key, segment, into: &findings) { next.append($0) }
            }
            if isLast {
                for node in next { findings.matches += nodes[node].ends }
                break
            }
            active = next
            start = segment.endIndex + 1
        }
        collectSubtrees(into: &findings)
        return findings
    }

    /// Collects each node once.
    private func collectSubtrees(into findings: inout Findings) {
        findings.collected.sort()
        var last = -1
        for node in findings.collected where node != last {
            findings.matches += nodes[node].subtrees
            last = node
        }
    }

    private func collect(_ index: Int, _ rest: ArraySlice<UInt8>, into findings: inout Findings) {
        findings.steps += 1
        if !nodes[index].subtrees.isEmpty { findings.collected.append(index) }
        nodes[index].unresolved.candidates(rest) { findings.candidates.insert($0) }
    }

    private func follow(
        _ index: Int, _ key: String, _ segment: ArraySlice<UInt8>, into findings: inout Findings,
        visit: (Int) -> Void
    ) {
        if let child = nodes[index].literals[key] { visit(child) }
        if let child = nodes[index].any { visit(child) }
        nodes[index].mixed.candidates(segment) { number in
            findings.steps += 1
            let edge = nodes[index].edges[number]
            if edge.program.matches(segment) { visit(edge.child) }
        }
    }
}
