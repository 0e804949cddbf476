extension ResolvedConfiguration {
    /// What the blocks came to, for the log (rule 26.7). Values of headers may be secret, so names alone.
    func summary(names: [String]) -> String {
        let configuration = self.configuration
        var lines = [names.isEmpty ? "no blocks" : names.joined(separator: " → ")]
        lines.append(
            "expires after \(configuration.expirationTime) s, retries after \(configuration.retryTime) s")
        let headers = configuration.headers.fields.map(\.name)
        if !headers.isEmpty { lines.append("headers: " + headers.joined(separator: ", ")) }
        if !configuration.mutators.isEmpty { lines.append("mutators: \(configuration.mutators.count)") }
        if !configuration.decorators.isEmpty { lines.append("decorators: \(configuration.decorators.count)") }
        for name in configuration.pipeline.order where !configuration.pipeline[name].isEmpty {
            lines.append("\(name): " + configuration.pipeline[name].summary)
        }
        if let failure { lines.append("failed: \(failure)") }
        return lines.joined(separator: "\n  ")
    }
}

extension PipelineStage {
    fileprivate var summary: String {
        let steps = steps.map { step in
            step.contentTypes.map {
                "\(step.transformer.description) (\($0.patterns.joined(separator: ", ")))"
            }
                ?? step.transformer.description
        }
        return (steps + (cache.map { ["kept in \($0.description)"] } ?? [])).joined(separator: ", ")
    }
}
