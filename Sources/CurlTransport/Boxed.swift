/// Behind a reference: what there hardly ever is, an error for example, would as an optional structure be
/// copied, and looked through for what is to be let go, several times for each transfer.
@propertyWrapper
struct Boxed<Value> {
    private final class Box {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    init() {}

    var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }
}
