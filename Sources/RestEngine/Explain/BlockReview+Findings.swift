extension BlockReview {
    /// Finds blocks that add credentials for every host that a request or a redirect names: blocks without a
    /// pattern, or whose pattern does not test the host, unless the block tests it itself.
    func credentials() -> [BlockFinding] {
        guard let url = Self.elsewhere else { return [] }
        return reviewed.compactMap { number in
            var names: [String] = []
            for method in methods(of: entries[number]) {
                guard let step = trace(url, method)?.step(of: number), step.failure == nil else { continue }
                names += added(by: step, url, method).filter { !names.contains($0) }
            }
            guard !names.isEmpty else { return nil }
            let list = names.map { "'\($0)'" }.joined(separator: ", ")
            var reason = "this block's pattern matches any host"
            if case .all = entries[number].pattern { reason = "this block has no pattern" }
            return BlockFinding(
                code: .openCredentials, block: number,
                message: "\(reason), so it sends \(list) to other hosts too",
                hint: service.baseURL == nil
                    ? "write a pattern with the host: configure(\"https://api.example.com/**\", …)"
                    : "write configure(\"**\", …): that is everything below base_url, and nothing else")
        }
    }

    /// Secret headers of a block, secret headers and parameters of its mutators, and its decorators that
    /// authenticate.
    private func added(by step: ConfigurationTrace.Step, _ url: URLText, _ method: String) -> [String] {
        var draft = RequestDraft(method: method, url: url.string, headers: step.after.headers)
        for mutator in step.after.mutators.dropFirst(step.before.mutators.count) {
            do { try mutator.function(&draft) } catch { break }
        }
        let headers = draft.headers.fields.map(\.name).filter { name in
            SecretMask.standard.hides(name)
                && step.before.headers.values(name) != draft.headers.values(name)
        }
        let parameters = (URLText(draft.url)?.parameters ?? []).map(\.name)
        let decorators = step.after.decorators.dropFirst(step.before.decorators.count)
        return headers + parameters.filter { SecretMask.standard.hides($0) }
            + decorators.compactMap(\.authentication)
    }

    /// Stages that are named and never filled, and stages that are filled and never run.
    func stages() -> [BlockFinding] {
        var named: [StageName: Int] = [:]
        var filled: Set<StageName> = []
        var unlisted: [BlockFinding] = []
        for number in reviewed {
            for (_, _, trace) in trials(of: number) where trace.failure == nil {
                let result = trace.result.pipeline
                for name in result.order {
                    if !result[name].isEmpty { filled.insert(name) }
                    guard !Pipeline.defaultOrder.contains(name), named[name] == nil else { continue }
                    named[name] = trace.steps.first { $0.after.pipeline.order.contains(name) }?.entry
                }
                for name in result.unlistedStages {
                    guard let step = trace.steps.last(where: { Self.fills(name, $0) }),
                        entries[step.entry].origin != nil
                    else { continue }
                    let finding = Self.unlisted(name, step.entry, result.order)
                    if !unlisted.contains(finding) { unlisted.append(finding) }
                }
            }
        }
        let unused = named.filter { !filled.contains($0.key) && entries[$0.value].origin != nil }
        return unlisted
            + unused.sorted { $0.key.rawValue < $1.key.rawValue }.map { name, number in
                BlockFinding(
                    code: .unusedStage, block: number,
                    message:
                        "the stage '\(name)' is in the pipeline's order, but nothing gives it a transformer or a cache",
                    hint: "add one with c.pipeline[\"\(name)\"]:add(…), or leave the stage out")
            }
    }

    private static func fills(_ name: StageName, _ step: ConfigurationTrace.Step) -> Bool {
        let before = step.before.pipeline[name]
        let after = step.after.pipeline[name]
        return after.steps.count > before.steps.count || (after.cache != nil && before.cache !== after.cache)
    }

    private static func unlisted(_ name: StageName, _ block: Int, _ order: [StageName]) -> BlockFinding {
        BlockFinding(
            code: .unlistedStage, block: block,
            message:
                "the stage '\(name)' is not in the pipeline's order, so what this block puts there does not run",
            hint:
                "the order is \(order.map(\.rawValue).joined(separator: ", ")): use one of these, or assign c.pipeline.order"
        )
    }
}
