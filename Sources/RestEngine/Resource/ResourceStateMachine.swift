/// Data, error and freshness of one resource: takes events, and returns events for the observers (rules 4,
/// 21).
///
/// Loads are numbered as they start. The outcome of an earlier load never replaces that of a later one, or a
/// local override (D2).
struct ResourceStateMachine {
    private(set) var data: Entity?
    /// When the data was received or confirmed, and when the error came, on the clock that never jumps: ages
    /// are measured on this clock, independent of changes to the time of day (D43).
    private(set) var dataTime = -Double.infinity
    fileprivate var errorTime = -Double.infinity
    /// The start of the expiration time: ``dataTime``, but for computed data the time of the computation.
    private(set) var expirationStart = -Double.infinity
    /// A reference, because most resources have no error, and errors are large.
    private var errorBox: ErrorBox?
    /// Whether the next use must load, regardless of the times (21.3).
    private(set) var isInvalidated = false
    /// The data was invalidated and has not been replaced or confirmed since. A failed load ends the
    /// invalidation (21.4), but must not make such data fresh again (D4).
    private(set) var isDataInvalidated = false
    /// Whether the data is stale regardless of its time. Other than invalidated data it may be used where
    /// stale data may.
    private(set) var isExpired = false
    /// Whether the data came from a cache, and has not been replaced or confirmed since.
    private(set) var isCacheHit = false
    private var lastStarted = 0
    /// The number of the load that made `data`, or of the last one started before a local change.
    private var dataLoad = 0
    /// The same for `error`; a success counts too, because it clears the error.
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

    /// The time of the latest change of data or error, on the same clock; nil with neither.
    var changeTime: Double? {
        if data == nil { return error == nil ? nil : errorTime }
        return error == nil ? dataTime : max(dataTime, errorTime)
    }

    mutating func beginLoad() -> Int {
        lastStarted += 1
        return lastStarted
    }

    /// - Parameter isOutdated: The server may have answered before a change that was reported meanwhile, so
    ///   the data is not fresh.
    mutating func finishLoad(
        _ load: Int, _ info: ResponseInfo, isOutdated: Bool = false, at time: EngineTime
    ) -> ResourceEvent {
        // Data, error and invalidation stay the same (4.12, 8.8).
        if info.isCancellation { return .requestCancelled }
        switch info.response {
        case .success(let entity):
            guard load > dataLoad else { return .requestCancelled }
            dataLoad = load
            if load > errorLoad {
                errorLoad = load
                error = nil
            }
            isInvalidated = isOutdated
            isDataInvalidated = isOutdated
            isExpired = false
            isCacheHit = false
            if info.isNew {
                data = entity
                date(at: time.uptime(at: entity.timestamp))
                return .newData(.network)
            }
            data?.timestamp = time.now
            date(at: time.uptime)
            return .notModified
        case .failure(let failure):
            guard load > errorLoad, load > dataLoad else { return .requestCancelled }
            errorLoad = load
            error = failure
            errorTime = time.uptime(at: failure.timestamp)
            isInvalidated = isOutdated
            return .error
        }
    }

    /// Takes data that another host has loaded. The outcome of a load in flight replaces it.
    mutating func receive(_ entity: Entity, at time: EngineTime) -> ResourceEvent {
        drop()
        data = entity
        date(at: time.uptime(at: entity.timestamp))
        return .newData(.network)
    }

    /// Uses a cache hit as the data if there is none (22.11). The error stays, because it belongs to the last
    /// load (4.4). An invalidation is kept too, because the hit is older. Nil if data came before.
    ///
    /// The age of a hit with a timestamp in the future is unknown (RFC 9111 4.2.3): it has to be confirmed.
    mutating func adopt(_ hit: Entity, at time: EngineTime) -> ResourceEvent? {
        guard data == nil else { return nil }
        data = hit
        date(at: time.uptime(at: hit.timestamp))
        if hit.timestamp > time.now { isDataInvalidated = true }
        isCacheHit = true
        return .newData(.cache)
    }

    /// 21.1: sets the data as given, and clears error and invalidation.
    mutating func override(_ entity: Entity, at time: EngineTime) -> ResourceEvent {
        replace(with: entity)
        date(at: time.uptime(at: entity.timestamp))
        return .newData(.localOverride)
    }

    /// 21.3: changes only the freshness.
    mutating func invalidate() {
        isInvalidated = true
        isDataInvalidated = true
    }

    /// Makes data and error stale. The data stays usable as stale data.
    mutating func expire() {
        isInvalidated = true
        isExpired = true
    }

    /// The expiration time counts from `uptime`, and not from the time of the data (71.5).
    mutating func expires(from uptime: Double) { expirationStart = uptime }

    private mutating func date(at uptime: Double) {
        dataTime = uptime
        expirationStart = uptime
    }

    /// A local change that can't be kept: the data stays, and the error contains the reason.
    mutating func refuse(_ refusal: RequestError, at time: EngineTime) -> ResourceEvent {
        error = refusal
        errorTime = time.uptime(at: refusal.timestamp)
        return .error
    }

    /// Removes data and error, as if they had never come.
    mutating func drop() {
        data = nil
        error = nil
        isInvalidated = false
        isDataInvalidated = false
        isExpired = false
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
        isExpired = false
        isCacheHit = false
        dataLoad = lastStarted
        errorLoad = lastStarted
    }

    /// Data within its expiration time is up to date, even if a later load has failed (D4). Without such data
    /// a failure delays the next load for the retry time (4.9). The limits are inclusive.
    func isUpToDate(at uptime: Double, expirationTime: Double, retryTime: Double) -> Bool {
        if isInvalidated { return false }
        if freshData(at: uptime, expirationTime: expirationTime) != nil { return true }
        return error != nil && uptime - errorTime <= retryTime
    }

    /// The data, if it is fresh.
    func freshData(at uptime: Double, expirationTime: Double) -> Entity? {
        guard !isDataInvalidated, !isExpired, let data, uptime - expirationStart <= expirationTime else {
            return nil
        }
        return data
    }

    /// Data that expired at most `seconds` ago; never invalidated data, which is known to be wrong (rule
    /// 44.3).
    func staleData(at uptime: Double, expirationTime: Double, within seconds: Double) -> Entity? {
        guard seconds > 0, !isDataInvalidated, let data else { return nil }
        return uptime - expirationStart <= expirationTime + seconds ? data : nil
    }
}

/// An event of a resource, for its observers (rule 13.3).
public enum ResourceEvent: Sendable, Equatable {
    /// The source of new data.
    public enum Source: Sendable {
        /// A load.
        case network
        /// A cache of a stage.
        case cache
        /// `overrideLocalData` or `overrideLocalContent`.
        case localOverride
        /// A wipe: there is no data now.
        case wipe
    }

    /// The first event of an observer, which only it gets.
    case observerAdded
    /// A load has begun.
    case requested
    /// A load was cancelled; data and error are as before.
    case requestCancelled
    /// The server confirmed the data with 304.
    case notModified
    /// A load has failed.
    case error
    /// The data is new, or gone after a wipe.
    case newData(Source)

    /// The event's name in scripts and streams.
    public var name: String {
        switch self {
        case .observerAdded: "observer_added"
        case .requested: "requested"
        case .requestCancelled: "request_cancelled"
        case .notModified: "not_modified"
        case .error: "error"
        // Constant strings, because each observer of a script gets this name.
        case .newData(.network): "new_data(network)"
        case .newData(.cache): "new_data(cache)"
        case .newData(.localOverride): "new_data(local_override)"
        case .newData(.wipe): "new_data(wipe)"
        }
    }
}

/// The reason why a resource is up to date or not, for the log (rule 26.7).
struct Staleness: CustomStringConvertible {
    let state: ResourceStateMachine
    let uptime: Double
    let expirationTime: Double
    let retryTime: Double

    var description: String {
        if state.isInvalidated, !state.isExpired { return "invalidated" }
        if state.data != nil {
            let left = state.expirationStart + expirationTime - uptime
            if state.freshData(at: uptime, expirationTime: expirationTime) != nil {
                return "up to date for \(Self.seconds(left))"
            }
            if state.isExpired { return "stale, because a source has changed" }
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
