extension GlobTrie {
    /// What a URL met on its way through the trie.
    struct Findings {
        /// Globs that match for certain, each once, in no order.
        var matches: [Int] = []
        /// Globs that are still to be matched against the whole text.
        var candidates: Set<Int> = []
        /// Nodes and segments looked at: the measure of the work done.
        var steps = 0
        /// Nodes whose subtrees are in `matches` already: below `**/` a node can be met again.
        fileprivate var collected: Set<Int> = []
    }

    func lookup(_ text: ArraySlice<UInt8>) -> Findings {
        var findings = Findings()
        var active = [0]
        // These stay active to the end of the text.
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
        return findings
    }

    private func collect(_ index: Int, _ rest: ArraySlice<UInt8>, into findings: inout Findings) {
        findings.steps += 1
        if !nodes[index].subtrees.isEmpty, findings.collected.insert(index).inserted {
            findings.matches += nodes[index].subtrees
        }
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
