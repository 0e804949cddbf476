package import RestEngine

extension Result<Entity, RequestError> {
    /// The content as the answer of a route.
    package var served: Result<ServedAnswer, RequestError> { map { .content($0) } }
}

extension Result<ServedAnswer, RequestError> {
    /// The content of a route's answer, which must not be a stream.
    package var entity: Result<Entity, RequestError> {
        map { answer in
            guard case .content(let entity, _) = answer else { preconditionFailure("the answer is a stream") }
            return entity
        }
    }
}
