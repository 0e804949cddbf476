/// A Lua thread that the registry keeps alive under `slot`.
struct AnchoredThread {
    let pointer: OpaquePointer
    let slot: Int
}
