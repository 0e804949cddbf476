import RestEngine

/// A failure that clients got, for the host's log.
public struct GatewayFailure: Sendable, Equatable {
    /// The request and the error, in one line, with secrets masked.
    public var text: String
    /// The line of the script, `file:line`, if the script failed.
    public var place: String?
    public var traceback: String?
    /// The ID of the request.
    public var requestID: String?
}

/// Reports the failures that clients get (rules 73). The first of a kind is reported with its details,
/// further ones by their number once a minute. A kind that has not failed for a minute is new again.
@EngineActor
final class FailureLog {
    typealias Report = @EngineActor @Sendable (GatewayFailure) -> Void

    /// One way to fail: the error's code, with the line of the script or the origin.
    private struct Kind: Hashable {
        let code: String
        let place: String
    }

    private struct Repeats {
        var count = 0
        var last = ""
        var lastID: String?
    }

    private static let mostKinds = 100
    private static let minute = 60.0

    private nonisolated let report: Report?
    private nonisolated let events: HostLog?
    private var kinds: [Kind: Repeats] = [:]
    private var timer: EngineTimer?

    /// - Parameter events: Gets each failure (66.11).
    nonisolated init(_ report: Report?, events: HostLog? = nil) {
        (self.report, self.events) = (report, events)
    }

    /// - Parameters:
    ///   - request: The method and the path of the client's request.
    ///   - id: Its ID.
    ///   - service: The service that it was for; empty for a route or a hook.
    func note(
        _ error: RequestError, of request: String, _ id: String?, service: String = "",
        _ scheduler: Scheduler?
    ) {
        if let events, let scheduler {
            events.note(Self.event(error, of: request, service: service, at: scheduler.now))
        }
        guard let report, let scheduler else { return }
        var failure: RequestError.ScriptFailure?
        if case .scriptError(let raised)? = error.cause { failure = raised }
        let place = failure?.file.map { "\($0):\(failure?.line ?? 0)" }
        let origin = error.url.flatMap { URLText($0)?.origin } ?? ""
        var kind = Kind(code: error.code, place: place ?? origin)
        if kinds[kind] == nil, kinds.count >= Self.mostKinds { kind = Kind(code: "other", place: "") }
        let text = SecretMask.standard.line("\(request): \(error)")
        guard kinds[kind] == nil else {
            kinds[kind]?.count += 1
            kinds[kind]?.last = text
            kinds[kind]?.lastID = id
            return
        }
        kinds[kind] = Repeats()
        report(GatewayFailure(text: text, place: place, traceback: failure?.traceback, requestID: id))
        if timer == nil { count(after: scheduler, report) }
    }

    /// The failure for followers of `/-/events`, with secrets masked.
    private static func event(
        _ error: RequestError, of request: String, service: String, at time: Double
    ) -> MaskedText {
        var pairs: [(String, Tree)] = [("kind", "failure"), ("time", Tree(time)), ("source", "request")]
        if !service.isEmpty { pairs.append(("service", Tree(service))) }
        pairs += [
            ("request", Tree(SecretMask.standard.line(request))), ("code", Tree(error.code)),
            ("message", Tree(SecretMask.standard.line("\(error)"))),
        ]
        if case .scriptError(let raised)? = error.cause {
            if let file = raised.file { pairs.append(("place", Tree("\(file):\(raised.line ?? 0)"))) }
            if let traceback = raised.traceback { pairs.append(("traceback", Tree(traceback))) }
        }
        return MaskedText(json: Tree(pairs: pairs))
    }

    private func count(after scheduler: Scheduler, _ report: @escaping Report) {
        timer = scheduler.after(Self.minute) { [weak self, weak scheduler] in
            guard let self else { return }
            timer = nil
            for repeats in kinds.values.sorted(by: { $0.last < $1.last }) where repeats.count > 0 {
                let times = repeats.count == 1 ? "once more" : "\(repeats.count) more times"
                report(
                    GatewayFailure(
                        text: "\(times) in a minute: \(repeats.last)", requestID: repeats.lastID))
            }
            kinds = kinds.filter { $0.value.count > 0 }.mapValues { _ in Repeats() }
            if !kinds.isEmpty, let scheduler { count(after: scheduler, report) }
        }
    }
}

extension EngineClient {
    /// The problem of a request that failed. Failures of the host, of the script and of an API are noted;
    /// those of the request itself are the client's own.
    ///
    /// - Parameter path: The resource's path; nil for a route or a hook.
    @EngineActor
    func problem(
        of error: RequestError, _ method: String, _ path: ResourcePath, _ origin: RequestOrigin?
    ) -> Problem {
        problem(of: error, asked: "\(method) /\(path.service)/\(path.path)", path, origin)
    }

    @EngineActor
    func problem(of error: RequestError, answering request: ServedRequest) -> Problem {
        problem(
            of: error, asked: "\(request.method) \(request.path)",
            ResourcePath(service: "", path: "", query: nil), request.origin)
    }

    @EngineActor
    private func problem(
        of error: RequestError, asked request: String, _ path: ResourcePath, _ origin: RequestOrigin?
    ) -> Problem {
        var problem = Problem(error, reading: path)
        guard problem.status >= 500, !error.isCancellation else { return problem }
        metrics.noteFailure(error.code)
        failures.note(error, of: request, origin?.id, service: path.service, directory.engine?.scheduler)
        // The reason may show how the script works, so only its operators get it.
        if error.cause?.isFaultOfScript ?? false, !showsScriptErrors {
            problem.detail = "the script failed; the host's log says where, with this request_id"
        }
        return problem
    }
}
