/// Which part of a service clients may reach.
public struct ServiceExposure: Sendable, Equatable {
    /// Globs relative to the service's base URL, or absolute.
    public var paths: [String]
    public var methods: [String]

    public init(paths: [String] = ["**"], methods: [String] = ["GET", "HEAD"]) {
        self.paths = paths
        self.methods = methods
    }
}
