public import RestEngine

/// How long a whole call may take, with refreshes, retries, chains and transformers; then it fails with
/// `timeout`.
public struct Timeout: RequestProperty, Hashable {
    let duration: Duration?

    /// - Parameter duration: From the start of each request; nil for any time. Of zero or less each request
    ///   fails at once, and nothing is sent.
    public init(_ duration: Duration?) { self.duration = duration }

    public func add(to properties: inout CallProperties) {
        properties.add(ConfigurationValue.timeout(duration).function)
    }
}

/// Edits the configuration of the requests, behind all blocks of the service that match and behind those of
/// the levels above (rule 39.1).
public struct Configure: RequestProperty {
    let function: ConfigurationFunction

    /// - Parameters:
    ///   - edit: Runs on the engine's loop, once for each URL and method. When it throws, each
    ///     request fails with that error.
    ///   - fileID: The file of the caller, for messages.
    ///   - line: The line of the caller, for messages.
    public init(
        fileID: String = #fileID, line: Int = #line,
        _ edit: @escaping @EngineActor (inout Configuration) throws -> Void
    ) {
        function = ConfigurationFunction(origin: "\(fileID):\(line)") { draft in
            try edit(&draft.configuration)
            try draft.configuration.refuseSenselessAttempts()
        }
    }

    public func add(to properties: inout CallProperties) { properties.add(function) }
}

/// Credentials that may change: they are asked for whenever a request is made, and again when it is repeated.
///
///     Authorize(.bearer) { [weak self] in self?.token }
public struct Authorize: RequestProperty {
    let function: ConfigurationFunction

    /// - Parameters:
    ///   - credentials: Runs on the engine's loop. Nil sends none; what it throws is the error of the
    ///     request.
    ///   - scheme: The first word of the header.
    ///   - line: The line of the caller, for messages.
    ///   - fileID: The file of the caller, for messages.
    public init(
        _ scheme: AuthorizationScheme, fileID: String = #fileID, line: Int = #line,
        credentials: @escaping @EngineActor () throws -> String?
    ) {
        let origin = "\(fileID):\(line)"
        function = ConfigurationFunction(origin: origin) { draft in
            let mutation: RequestMutation = { request in
                guard let credentials = try credentials() else { return }
                request.headers.set("Authorization", "\(scheme.rawValue) \(credentials)")
            }
            draft.configuration.mutators.append(
                ConfiguredFunction(mutation, origin: origin, authentication: "Authorize(\(scheme.rawValue))"))
        }
    }

    public func add(to properties: inout CallProperties) { properties.add(function) }
}

/// A statement of its own: `QueryStyle.brackets`. The last one given holds for all lists in the query.
extension QueryStyle: RequestProperty {
    public func add(to properties: inout CallProperties) { properties.set(self) }
}

/// A statement of its own: `IdempotencyChoice.random`.
extension IdempotencyChoice: RequestProperty {
    public func add(to properties: inout CallProperties) { properties.set(self) }
}

/// Settings of requests, merged field by field with those of the levels above; a field that is nil says
/// nothing. The same as a ``Configure`` that sets them.
public struct CallConfiguration: RequestProperty, Hashable {
    /// See ``Timeout``.
    public var timeout: Duration?
    /// How long loaded data stays up to date.
    public var expirationTime: Duration?
    /// How long after a failed load none is made.
    public var retryTime: Duration?
    /// Whether redirects are followed.
    public var followsRedirects: Bool?
    /// Most bytes of a response's body, decoded.
    public var maxBodyBytes: Int?

    /// Settings, each of which says nothing if it is nil.
    public init(
        timeout: Duration? = nil, expirationTime: Duration? = nil, retryTime: Duration? = nil,
        followsRedirects: Bool? = nil, maxBodyBytes: Int? = nil
    ) {
        self.timeout = timeout
        self.expirationTime = expirationTime
        self.retryTime = retryTime
        self.followsRedirects = followsRedirects
        self.maxBodyBytes = maxBodyBytes
    }

    public func add(to properties: inout CallProperties) {
        let values: [ConfigurationValue?] = [
            timeout.map { .timeout($0) }, expirationTime.map { .expirationTime($0) },
            retryTime.map { .retryTime($0) }, followsRedirects.map { .followsRedirects($0) },
            maxBodyBytes.map { .maxBodyBytes($0) },
        ]
        for case let value? in values { properties.add(value.function) }
    }
}

/// One setting, whose function is the same for the same value, so that definitions with it are equal.
enum ConfigurationValue {
    case timeout(Duration?)
    case expirationTime(Duration), retryTime(Duration)
    case followsRedirects(Bool)
    case maxBodyBytes(Int)

    private typealias Owner = ConfigurationFunction.Identity.Owner

    private static let noTimeout = Owner()
    private static let timeouts = Owner()
    private static let expirationTimes = Owner()
    private static let retryTimes = Owner()
    private static let redirects = Owner()
    private static let bodySizes = Owner()

    var function: ConfigurationFunction {
        switch self {
        case .timeout(nil): function(Self.noTimeout, "timeout", 0) { $0.timeouts.total = nil }
        case .timeout(let time?):
            function(Self.timeouts, "timeout", Self.number(time)) { $0.timeouts.total = time }
        case .expirationTime(let time):
            function(Self.expirationTimes, "expiration time", Self.number(time)) { $0.expirationTime = time }
        case .retryTime(let time):
            function(Self.retryTimes, "retry time", Self.number(time)) { $0.retryTime = time }
        case .followsRedirects(let follows):
            function(Self.redirects, "redirects", follows ? 1 : 0) { $0.redirects.follow = follows }
        case .maxBodyBytes(let bytes):
            function(Self.bodySizes, "size of bodies", UInt(bitPattern: bytes)) { $0.maxBodyBytes = bytes }
        }
    }

    private func function(
        _ owner: Owner, _ name: String, _ number: UInt,
        _ edit: @escaping @EngineActor (inout Configuration) -> Void
    ) -> ConfigurationFunction {
        ConfigurationFunction(identity: .init(owner, number), origin: name) {
            edit(&$0.configuration)
        }
    }

    /// Nanoseconds; three centuries are as good as more.
    private static func number(_ time: Duration) -> UInt {
        let (seconds, attoseconds) = time.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong else { return UInt(bitPattern: seconds < 0 ? Int.min : Int.max) }
        return UInt(bitPattern: Int(whole &+ attoseconds / 1_000_000_000))
    }
}
