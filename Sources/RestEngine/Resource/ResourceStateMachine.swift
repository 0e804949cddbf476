/// Data, error and freshness of one resource: events in, what to tell the observers out (rules 4, 21).
///
/// Loads are numbered as they start. The outcome of an earlier load never replaces what a later one, or a
/// local override, has put there (D2).
struct ResourceStateMachine {
    private(set) var data: Entity?
    /// When the data was received or confirmed, and when the error came, on the clock that never jumps: ages
    /// are those of this clock, whatever is done to the time of day (D43).
    private(set) var dataTime = -Double.infinity
    fileprivate var errorTime = -Double.infinity
    /// Most resources have no error, and it is large.
    private var errorBox: ErrorBox?
    /// The next use loads, whatever the times say (21.3).
    private(set) var isInvalidated = false
    /// The data was invalidated and has not been replaced or confirmed since. A failed load ends the
    /// invalidation (21.4), but must not make such data fresh again (D4).
    private(set) var isDataInvalidated = false
    /// The data is what a cache had, and nothing has replaced or confirmed it since.
    private(set) var isCacheHit = false
    private var lastStarted = 0
    /// Number of the load that made `data`, or of the last one started before a local change.
    private var dataLoad = 0
    /// The same for `error`, success included, since that clears it.
    private var errorLoad = 0

    private final class ErrorBox: Sendable {
        let error: RequestError
        init(_ error: RequestError) { self.error = error }
    }

    private(set) var error: RequestError? {
        get { errorBox?.error }
        set { errorBox = newValue.map(ErrorBox.init) }
    }

    /// The later of the times of data and error; 0 with neither (4.5).
    var timestamp: Double { max(data?.timestamp ?? 0, error?.timestamp ?? 0) }

    /// When the latest change of data or error was, on the same clock; nil with neither.
    var changeTime: Double? {
        if data == nil { return error == nil ? nil : errorTime }
        return error == nil ? dataTime : max(dataTime, errorTime)
    }

    mutating func beginLoad() -> Int {
        lastStarted += 1
        return lastStarted
    }

    mutating func finishLoad(_ load: Int, _ info: ResponseInfo, at time: EngineTime) -> ResourceEvent {
        // Nothing changes: not the data, not the error, not the invalidation (4.12, 8.8).
        if info.isCancellation { return .requestCancelled }
        switch info.response {
        case .success(let entity):
            guard load > dataLoad else { return .requestCancelled }
            dataLoad = load
            if load > errorLoad {
                errorLoad = load
                error = nil
            }
            isInvalidated = false
            isDataInvalidated = false
            isCacheHit = false
            if info.isNew {
                data = entity
                dataTime = time.uptime(at: entity.timestamp)
                return .newData(.network)
            }
            data?.timestamp = time.now
            dataTime = time.uptime
            return .notModified
        case .failure(let failure):
            guard load > errorLoad, load > dataLoad else { return .requestCancelled }
            errorLoad = load
            error = failure
            errorTime = time.uptime(at: failure.timestamp)
            isInvalidated = false
            return .error
        }
    }

    /// What a cache had becomes the data if there is none (22.11). The error stays, it is that of the last
    /// load (4.4); so does an invalidation: the data is older than it. Nil when it came too late.
    ///
    /// Nobody knows the age of a hit that is from the future (RFC 9111 4.2.3): it has to be confirmed.
    mutating func adopt(_ hit: Entity, at time: EngineTime) -> ResourceEvent? {
        guard data == nil else { return nil }
        data = hit
        dataTime = time.uptime(at: hit.timestamp)
        if hit.timestamp > time.now { isDataInvalidated = true }
        isCacheHit = true
        return .newData(.cache)
    }

    /// 21.1: data as given, error and invalidation gone.
    mutating func override(_ entity: Entity, at time: EngineTime) -> ResourceEvent {
        replace(with: entity)
        dataTime = time.uptime(at: entity.timestamp)
        return .newData(.localOverride)
    }

    /// 21.3: nothing but the freshness changes.
    mutating func invalidate() {
        isInvalidated = true
        isDataInvalidated = true
    }

    /// A local change that can't be kept: everything stays, and the error says why.
    mutating func refuse(_ refusal: RequestError, at time: EngineTime) -> ResourceEvent {
        error = refusal
        errorTime = time.uptime(at: refusal.timestamp)
        return .error
    }

    /// Forgets data and error, and nothing else: as if they had never come.
    mutating func drop() {
        data = nil
        error = nil
        isInvalidated = false
        isDataInvalidated = false
        isCacheHit = false
    }

    mutating func wipe() -> ResourceEvent {
        replace(with: nil)
        return .newData(.wipe)
    }

    private mutating func replace(with entity: Entity?) {
        data = entity
        error = nil
        isInvalidated = false
        isDataInvalidated = false
        isCacheHit = false
        dataLoad = lastStarted
        errorLoad = lastStarted
    }

    /// Data inside its expiration time is up to date whatever failed since (D4); without it a failure holds
    /// off the next load for the retry time (4.9). Limits count as inside.
    func isUpToDate(at uptime: Double, expirationTime: Double, retryTime: Double) -> Bool {
        if isInvalidated { return false }
        if freshData(at: uptime, expirationTime: expirationTime) != nil { return true }
        return error != nil && uptime - errorTime <= retryTime
    }

    /// The data, if it is up to date by itself.
    func freshData(at uptime: Double, expirationTime: Double) -> Entity? {
        guard !isDataInvalidated, let data, uptime - dataTime <= expirationTime else { return nil }
        return data
    }

    /// Data that has expired, but no longer ago than `seconds`; never what was invalidated, which is known to
    /// be wrong (rule 44.3).
    func staleData(at uptime: Double, expirationTime: Double, within seconds: Double) -> Entity? {
        guard seconds > 0, !isDataInvalidated, let data else { return nil }
        return uptime - dataTime <= expirationTime + seconds ? data : nil
    }
}

/// What observers of a resource are told (rule 13.3).
public enum ResourceEvent: Sendable, Equatable {
    /// Where new data came from.
    public enum Source: Sendable {
        case network, cache, localOverride, wipe
    }

    case observerAdded, requested, requestCancelled, notModified, error
    case newData(Source)

    /// The event's name in scripts and streams.
    public var name: String {
        switch self {
        case .observerAdded: "observer_added"
        case .requested: "requested"
        case .requestCancelled: "request_cancelled"
        case .notModified: "not_modified"
        case .error: "error"
        // Spelt out: each observer of a script is told by this name.
        case .newData(.network): "new_data(network)"
        case .newData(.cache): "new_data(cache)"
        case .newData(.localOverride): "new_data(local_override)"
        case .newData(.wipe): "new_data(wipe)"
        }
    }
}

/// Why a resource is up to date or not, for the log (rule 26.7).
struct Staleness: CustomStringConvertible {
    let state: ResourceStateMachine
    let uptime: Double
    let expirationTime: Double
    let retryTime: Double

    var description: String {
        if state.isInvalidated { return "invalidated" }
        if state.data != nil {
            let left = state.dataTime + expirationTime - uptime
            if state.freshData(at: uptime, expirationTime: expirationTime) != nil {
                return "up to date for \(Self.seconds(left))"
            }
            if state.error == nil { return "stale for \(Self.seconds(-left))" }
        }
        if state.error != nil {
            let left = state.errorTime + retryTime - uptime
            return left >= 0
                ? "failed, no retry for \(Self.seconds(left))" : "failed, may be tried again"
        }
        return "never loaded"
    }

    private static func seconds(_ value: Double) -> String {
        "\((value * 1000).rounded() / 1000) s"
    }
}
