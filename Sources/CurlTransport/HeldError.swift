internal import RestEngine

/// An error that there hardly ever is. As an optional structure it would be copied, and looked through for
/// what is to be let go, several times for each transfer.
struct HeldError {
    private final class Box {
        let error: TransportError

        init(_ error: TransportError) { self.error = error }
    }

    private var box: Box?

    var error: TransportError? {
        get { box?.error }
        set { box = newValue.map(Box.init) }
    }

    mutating func clear() { box = nil }
}
