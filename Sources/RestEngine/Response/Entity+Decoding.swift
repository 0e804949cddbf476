extension Entity {
    /// The content as a `Value`: as it is when it is one (``Content/cast(to:)``); else, for a `Decodable` type, decoded
    /// from its tree, at each call. To decode once for all who ask, see
    /// ``Service/configureModel(_:_:stage:methods:decoder:description:fileID:line:)``.
    ///
    /// - Throws: A ``RequestError`` with this entity. Its cause `undecodable_content` says what is wrong where,
    ///   `users[3].login: expected string, got number`; `wrong_input_type`, that there is nothing to decode.
    public func content<Value>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) throws(RequestError) -> Value {
        if let value = content.cast(to: type) { return value }
        if let tree = content.anyTree, let decodable = type as? any Decodable.Type {
            do throws(CodingFailure) {
                if let value = try decoder.decodeAny(decodable, from: tree) as? Value { return value }
            } catch {
                throw RequestError(entity: self, cause: .undecodableContent(error), timestamp: timestamp)
            }
        }
        let cause = RequestError.Cause.wrongInputType(
            expected: Content.typeName(of: type), actual: content.swiftTypeName, transformer: "the caller")
        throw RequestError(entity: self, cause: cause, timestamp: timestamp)
    }
}

extension TreeDecoder {
    /// For a type that is not known before the program runs.
    fileprivate func decodeAny<Value: Decodable>(
        _ type: Value.Type, from tree: Tree
    ) throws(CodingFailure) -> Any {
        try decode(type, from: tree)
    }
}

extension RequestError {
    /// The same error, naming a request that it didn't know of.
    func of(url: String, method: String) -> RequestError {
        var error = self
        error.url = error.url ?? url
        error.method = error.method ?? method
        return error
    }
}
