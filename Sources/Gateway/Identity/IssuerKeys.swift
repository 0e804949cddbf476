import RestEngine
import Synchronization

/// The keys of an issuer of tokens, which change at times (RFC 7517). They are loaded when a token needs
/// them, and again while tokens are used. While they can't be loaded the known ones stay. Any thread.
final class IssuerKeys: Sendable {
    /// The keys as of one load.
    struct Loaded: Sendable {
        let set: JSONWebKeySet
        /// It rises with each change of the keys.
        let version: Int
    }

    /// A failed or needless load is not repeated sooner.
    static let pauseSeconds = 10.0
    /// Older keys are loaded again in the background.
    static let freshSeconds = 120.0
    /// Older keys are loaded again before they are used. With ``TokenVerifier/recheckSeconds`` a removed key
    /// stops working within 5 minutes.
    static let mostSeconds = 240.0

    let source: GatewayJWT.Keys
    private let fetch: GatewayKeyFetch?
    private let complain: (@Sendable (String) -> Void)?
    private let uptime: @Sendable () -> Double

    fileprivate struct State {
        var loaded: Loaded?
        var loadedAt = -Double.infinity
        var triedAt = -Double.infinity
        var isLoading = false
        var waiting: [@Sendable (Loaded?) -> Void] = []
    }

    private let state = Mutex(State())

    init(_ source: GatewayJWT.Keys, _ configuration: GatewayConfiguration) {
        self.source = source
        fetch = configuration.fetchKeys
        complain = configuration.onKeyFailure
        uptime = configuration.uptime
    }

    /// The version of the keys that may be used now without a load; nil if there is none.
    var freshVersion: Int? {
        let now = uptime()
        let (version, loads) = state.withLock { state -> (Int?, Bool) in
            let age = now - state.loadedAt
            return (
                age < Self.mostSeconds ? state.loaded?.version : nil,
                age >= Self.freshSeconds && state.beginLoading(at: now)
            )
        }
        if loads { load() }
        return version
    }

    /// Gives the keys, once they were loaded if they are too old. Nil if there are none.
    func current(_ use: @escaping @Sendable (Loaded?) -> Void) {
        find(use) { age in age < Self.mostSeconds }
    }

    /// Gives the keys after another load, because the known ones don't fit a token. Without one if the last
    /// was lately.
    func renewed(_ use: @escaping @Sendable (Loaded?) -> Void) { find(use) { _ in false } }

    /// - Parameter isFresh: Whether known keys of this age may be used.
    private func find(_ use: @escaping @Sendable (Loaded?) -> Void, _ isFresh: (Double) -> Bool) {
        enum Step {
            case use(Loaded?)
            case load
            case wait
        }
        let now = uptime()
        let step = state.withLock { state -> Step in
            if state.loaded != nil, isFresh(now - state.loadedAt) { return .use(state.loaded) }
            if state.isLoading {
                state.waiting.append(use)
                return .wait
            }
            guard state.beginLoading(at: now) else { return .use(state.loaded) }
            state.waiting.append(use)
            return .load
        }
        switch step {
        case .use(let loaded): use(loaded)
        case .wait: break
        case .load: load()
        }
    }

    private func load() {
        switch source {
        case .url(let url):
            guard let fetch else { return end(.failure(GatewayKeyFailure("no transport can fetch them"))) }
            fetch(url) { result in CredentialThreads.signatures.run { self.end(result) } }
        case .file(let path):
            CredentialThreads.signatures.run {
                self.end(
                    Result { () throws(FileError) in
                        try WholeFile.read(path, limit: 1 << 20)
                    }.mapError { GatewayKeyFailure($0.reason) })
            }
        }
    }

    private func end(_ result: Result<[UInt8], GatewayKeyFailure>) {
        let set: Result<JSONWebKeySet, GatewayKeyFailure> = result.flatMap { text in
            do throws(JSONWebKeySet.Fault) { return .success(try JSONWebKeySet(text)) } catch {
                return .failure(GatewayKeyFailure("the document \(error.message)"))
            }
        }
        let now = uptime()
        let (waiting, loaded) = state.withLock { state in
            if case .success(let set) = set {
                if state.loaded?.set != set {
                    state.loaded = Loaded(set: set, version: (state.loaded?.version ?? 0) + 1)
                }
                state.loadedAt = now
            }
            state.isLoading = false
            defer { state.waiting = [] }
            return (state.waiting, state.loaded)
        }
        if case .failure(let failure) = set {
            complain?(
                "the keys for tokens can't be loaded from \(place): \(failure.message); "
                    + (loaded == nil ? "tokens get 503" : "the known keys stay in use"))
        }
        for use in waiting { use(loaded) }
    }

    private var place: String {
        switch source {
        case .url(let url): SecretMask.standard.url(url)
        case .file(let path): path
        }
    }
}

extension IssuerKeys.State {
    /// False if a load is under way, or was lately.
    fileprivate mutating func beginLoading(at now: Double) -> Bool {
        guard !isLoading, now - triedAt >= IssuerKeys.pauseSeconds else { return false }
        (isLoading, triedAt) = (true, now)
        return true
    }
}
