/// Carries a Swift error through Lua. Lua holds the references.
final class ErrorBox {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}
