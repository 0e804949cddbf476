/// What the host says about itself under `/-/health`.
public struct GatewayHealth: Sendable, Equatable {
    public enum Status: String, Sendable {
        case ok, degraded
    }

    public var status: Status
    /// For people; why it is degraded.
    public var message: String?

    public init(_ status: Status = .ok, message: String? = nil) {
        self.status = status
        self.message = message
    }
}
