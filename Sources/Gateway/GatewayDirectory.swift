public import RestEngine

/// Where the gateway finds services. The host stands behind it and may change what it gives at any time.
public protocol GatewayDirectory: Sendable {
    @EngineActor func service(named name: String) -> Service?
    @EngineActor var serviceNames: [String] { get }
    @EngineActor var health: GatewayHealth { get }
}
