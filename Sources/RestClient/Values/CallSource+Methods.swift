public import RestEngine

// Of each method one that gives what the context asks for, and one for a context that asks for nothing.
extension CallSource {
    /// A GET; see ``call(_:_:as:fileID:line:_:)``.
    public nonisolated func get<Output: Sendable>(
        _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        call(.get, path, as: output, fileID: fileID, line: line, properties)
    }

    /// The same for the whole answer, an `Entity`.
    public nonisolated func get(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Entity> {
        call(.get, path, fileID: fileID, line: line, properties)
    }

    /// A HEAD, which has no body to decode.
    public nonisolated func head<Output: Sendable>(
        _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        call(.head, path, as: output, fileID: fileID, line: line, properties)
    }

    /// The same for the whole answer, an `Entity`.
    public nonisolated func head(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Entity> {
        call(.head, path, fileID: fileID, line: line, properties)
    }

    /// A POST.
    public nonisolated func post<Output: Sendable>(
        _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        call(.post, path, as: output, fileID: fileID, line: line, properties)
    }

    /// The same for the whole answer, an `Entity`.
    public nonisolated func post(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Entity> {
        call(.post, path, fileID: fileID, line: line, properties)
    }

    /// A PUT.
    public nonisolated func put<Output: Sendable>(
        _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        call(.put, path, as: output, fileID: fileID, line: line, properties)
    }

    /// The same for the whole answer, an `Entity`.
    public nonisolated func put(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Entity> {
        call(.put, path, fileID: fileID, line: line, properties)
    }

    /// A PATCH.
    public nonisolated func patch<Output: Sendable>(
        _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        call(.patch, path, as: output, fileID: fileID, line: line, properties)
    }

    /// The same for the whole answer, an `Entity`.
    public nonisolated func patch(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Entity> {
        call(.patch, path, fileID: fileID, line: line, properties)
    }

    /// A DELETE.
    public nonisolated func delete<Output: Sendable>(
        _ path: Path = "", as output: Output.Type = Output.self, fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Output> {
        call(.delete, path, as: output, fileID: fileID, line: line, properties)
    }

    /// The same for the whole answer, an `Entity`.
    public nonisolated func delete(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Call<Entity> {
        call(.delete, path, fileID: fileID, line: line, properties)
    }
}
