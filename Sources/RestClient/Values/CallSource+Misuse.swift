// The context asks for the output itself. The compiler then says what is missing.
extension CallSource {
    /// Not to be called; says that a call isn't sent before it is called.
    @available(*, unavailable, message: "this makes a call, which is a value: add () behind it to send it")
    @_disfavoredOverload
    public nonisolated func get<Value: Decodable>(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Value {
        fatalError()
    }

    /// Not to be called; says that a call isn't sent before it is called.
    @available(*, unavailable, message: "this makes a call, which is a value: add () behind it to send it")
    @_disfavoredOverload
    public nonisolated func post<Value: Decodable>(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Value {
        fatalError()
    }

    /// Not to be called; says that a call isn't sent before it is called.
    @available(*, unavailable, message: "this makes a call, which is a value: add () behind it to send it")
    @_disfavoredOverload
    public nonisolated func put<Value: Decodable>(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Value {
        fatalError()
    }

    /// Not to be called; says that a call isn't sent before it is called.
    @available(*, unavailable, message: "this makes a call, which is a value: add () behind it to send it")
    @_disfavoredOverload
    public nonisolated func patch<Value: Decodable>(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Value {
        fatalError()
    }

    /// Not to be called; says that a call isn't sent before it is called.
    @available(*, unavailable, message: "this makes a call, which is a value: add () behind it to send it")
    @_disfavoredOverload
    public nonisolated func delete<Value: Decodable>(
        _ path: Path = "", fileID: String = #fileID, line: Int = #line,
        @PropertiesBuilder _ properties: () -> CallProperties = { CallProperties() }
    ) -> Value {
        fatalError()
    }
}
