public import RestEngine

/// The memory that hosts share, as scripts see it. The program that embeds scripts has the client of the
/// server; see ``ScriptOptions/sharedMemory``.
///
/// Each operation ends within the timeout of the settings, and a few times that when it takes several steps.
/// A failure's text is for the script's author, and has no secrets.
@EngineActor
public protocol SharedMemoryAccess: AnyObject {
    typealias Completion<Value> = @EngineActor (Result<Value, any Error>) -> Void

    /// The script is the running one. From now on its services and those of other hosts load resources for
    /// each other, and learn of each other's invalidations.
    ///
    /// - Parameter services: Asked whenever a change of another host comes.
    func coordinate(_ services: @escaping @EngineActor () -> [Service])
    func makeCache(_ settings: RedisCacheSettings) -> any EntityCache
    func get(_ key: String, completion: @escaping Completion<Tree?>)
    /// - Parameter lifetime: In seconds; nil means no end.
    func set(_ value: Tree, for key: String, lifetime: Double?, completion: @escaping Completion<Void>)
    /// False when the key had no value.
    func delete(_ key: String, completion: @escaping Completion<Bool>)
    func increase(_ key: String, by step: Tree, completion: @escaping Completion<Tree>)
    func keys(beginningWith prefix: String, completion: @escaping Completion<[String]>)
    /// Nil is the absent value.
    func compareAndSet(_ key: String, _ old: Tree?, _ new: Tree?, completion: @escaping Completion<Bool>)
}

/// The arguments of `rest.shared{ … }`, or the table `[shared]` of the settings.
public struct SharedMemorySettings: Sendable {
    /// The URLs of the servers, of which one is used; with passwords perhaps. They are never shown.
    public var urls: [String]
    /// A PEM file of the authorities to trust with TLS; nil for those of the machine.
    public var authorityFile: String?
    /// Whether a sentinel may lead to servers that are not among the URLs.
    public var followsSentinels = true
    /// The first part of the names of all keys.
    public var prefix: String
    /// Seconds for one operation.
    public var timeout: Double
    /// Whether hosts load resources for each other, and tell each other of invalidations.
    public var coordinates: Bool
    /// Seals credentials that hosts share; nil: they are readable in the server. It is never shown.
    public var key: String?

    public static let standardPrefix = "resthost"
    public static let standardTimeout = 0.05
    /// The limit of URLs (limit L520), because a client tries one after the other.
    public static let mostURLs = 16
    /// The limit of bytes of all URLs (limit L525).
    package static let mostURLBytes = 64 << 10

    /// - Parameter urls: Each may be a list itself, with commas between its URLs.
    public init(
        urls: [String], prefix: String = SharedMemorySettings.standardPrefix,
        timeout: Double = SharedMemorySettings.standardTimeout, coordinates: Bool = true
    ) {
        self.urls = urls.flatMap { text in
            text.split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0.drop { $0 == " " }) }
        }
        (self.prefix, self.timeout, self.coordinates) = (prefix, timeout, coordinates)
    }
}

/// The arguments of `rest.cache.redis{ … }`. Nil means the cache's own default.
public struct RedisCacheSettings: Sendable {
    /// Seconds for which an entry is kept.
    public var lifetime: Double?
    public var maxEntryBytes: Int?
    public var compresses = false
    /// See ``SQLiteCacheSettings/user``.
    public var user: (@EngineActor () throws -> String?)?

    public init() {}
}

/// Opens shared memories for scripts.
public struct SharedMemoryProvider: Sendable {
    /// Where a server is.
    public struct Place: Sendable, Equatable {
        public enum Kind: Sendable, Equatable {
            case network(host: String, port: Int)
            case socket(path: String)
        }

        public let kind: Kind
        /// Hidden in all output from then on.
        public let password: String?

        public init(_ kind: Kind, password: String?) { (self.kind, self.password) = (kind, password) }
    }

    /// Reads a URL. It throws an error that says what is wrong, without the URL.
    let place: @Sendable (_ url: String) throws -> Place
    /// The fault of a prefix; nil for a good one.
    let faultOfPrefix: @Sendable (String) -> String?
    /// Opens the memory, always the same one for the same settings while it is in use.
    let open: @EngineActor (Engine, SharedMemorySettings) throws -> any SharedMemoryAccess

    public init(
        place: @escaping @Sendable (_ url: String) throws -> Place,
        faultOfPrefix: @escaping @Sendable (String) -> String?,
        open: @escaping @EngineActor (Engine, SharedMemorySettings) throws -> any SharedMemoryAccess
    ) {
        (self.place, self.faultOfPrefix, self.open) = (place, faultOfPrefix, open)
    }

    /// The same checks, but all values stay in this process: for tests, and for commands that only look.
    public var inMemory: SharedMemoryProvider {
        SharedMemoryProvider(place: place, faultOfPrefix: faultOfPrefix) { engine, _ in
            LocalSharedMemory(engine)
        }
    }
}
