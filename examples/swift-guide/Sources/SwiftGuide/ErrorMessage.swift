import RestEngine

/// The message for people comes from the error's body, if the API sends one.
struct MessageOfTheAPI: Transformer {
    nonisolated var description: String { "message of the API" }

    func process(_ response: Response, _ context: PipelineContext) -> Response {
        guard case .failure(var error) = response, let message = error.json["message"]?.string else {
            return response
        }
        error.userMessage = message
        return .failure(error)
    }
}

@EngineActor
func errorMessage(_ api: API) throws -> Service {
    let service = try api.service("error_message")
    service.configure("**") { $0.pipeline[.cleanup].add(MessageOfTheAPI()) }
    return service
}
