extension Entity {
    /// The content as a `Value`; nothing is decoded.
    ///
    /// - Throws: A ``RequestError`` of cause `wrong_input_type`, with this entity.
    public func content<Value>(as type: Value.Type) throws(RequestError) -> Value {
        if let value: Value = content.cast() { return value }
        throw mismatch(type)
    }

    /// The content as a `Value`: as it is when it has that type, else decoded from its tree, at each call. To decode
    /// once for all, see ``Service/configureModel(_:_:stage:methods:decoder:description:fileID:line:)``.
    ///
    /// - Throws: A ``RequestError`` with this entity. Its cause `undecodable_content` says which part of the content
    ///   is wrong, `users[3].login: expected string, got number`; `wrong_input_type`, that there is no tree.
    public func content<Value: Decodable>(
        as type: Value.Type, decoder: TreeDecoder = TreeDecoder()
    ) throws(RequestError) -> Value {
        if let value: Value = content.cast() { return value }
        guard let tree = content.anyTree else { throw mismatch(type) }
        do throws(CodingFailure) { return try decoder.decode(from: tree) } catch {
            throw RequestError(entity: self, cause: .undecodableContent(error), timestamp: timestamp)
        }
    }

    private func mismatch(_ type: Any.Type) -> RequestError {
        let cause = RequestError.Cause.wrongInputType(
            expected: "\(type)", actual: content.swiftTypeName, transformer: "the caller")
        return RequestError(entity: self, cause: cause, timestamp: timestamp)
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
