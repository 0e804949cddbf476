extension Pipeline {
    /// Passes a response through the stages in order (siesta-semantics 16.2, 16.8, 16.9).
    @EngineActor
    func process(_ response: Response, _ context: PipelineContext, log: EngineLog) -> Response {
        var response = response
        for name in order {
            for step in self[name].steps {
                if let filter = step.contentTypes, !filter.matches(response.contentType) { continue }
                log.write(
                    .pipeline, "\(context.method) \(context.url): \(name): \(step.transformer.description)")
                response = step.transformer.process(response, context)
                log.write(.pipeline, "  → \(response.summary)")
            }
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
