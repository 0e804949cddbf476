extension Pipeline {
    /// Passes a response through the stages in order (siesta-semantics 16.2, 16.8, 16.9), or through those after one
    /// of them. `outputs` gets what the stages with caches made, as long as it is a success (22.6, 22.7).
    @EngineActor
    func process(
        _ response: Response, _ context: PipelineContext, log: EngineLog, after first: String? = nil,
        keeping outputs: StageOutputs? = nil
    ) -> Response {
        var response = response
        for name in first.map({ name in order.drop { $0 != name }.dropFirst() }) ?? order[...] {
            let stage = self[name]
            for step in stage.steps {
                if let filter = step.contentTypes, !filter.matches(response.contentType) { continue }
                log.write(
                    .pipeline, "\(context.method) \(context.url): \(name): \(step.transformer.description)")
                response = step.transformer.process(response, context)
                log.write(.pipeline, "  → \(response.summary)")
            }
            if stage.cache != nil, case .success(let entity) = response { outputs?.add(entity, at: name) }
        }
        if case .failure(var error) = response, error.url == nil {
            error.url = context.url
            error.method = context.method
            response = .failure(error)
        }
        return response
    }
}

extension Response {
    fileprivate var contentType: String? { entity?.headers["Content-Type"] }
}
