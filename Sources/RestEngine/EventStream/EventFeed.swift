internal import DequeModule

/// The stream of events that keeps a resource up to date while it has observers or waiting loads (rules 57).
/// The resource holds it.
///
/// Each connection is a normal request with the full configuration; when one ends, another follows.
@EngineActor
final class EventFeed: BodyReceiver {
    private weak var resource: Resource?
    private let engine: Engine
    private var parser = EventStreamParser(limit: 0)
    private var connection: Request?
    private weak var transfer: (any Transfer)?
    /// The response of the current connection; nil until a stream of events has begun.
    private var head: TransportResponse?
    /// Whether an event of the current connection has become content.
    private var hasDelivered = false
    private var isHeld = false
    /// The reason why the connection is given up.
    private var refusal: RequestError?
    private var reconnection = Reconnection()
    private var timer: EngineTimer?
    /// The server wants no more connections.
    private var isOver = false
    private var queue: Deque<EventStreamParser.Event> = []
    private var isPlanned = false
    private var run: OffloadedRun?
    /// Loads that end with the next event.
    private var loads: [Request] = []

    /// Events that may wait; with more, reading from the server stops.
    private static let mostWaiting = 64
    /// The limit for the bytes of one event, unless the resource has a lower one.
    private static let mostEventBytes = 16 << 20

    init(_ resource: Resource) {
        self.resource = resource
        engine = resource.engine
    }

    /// Whether the data of the resource is what the stream last sent.
    var isLive: Bool { head != nil && hasDelivered }

    // MARK: Need

    /// Called when an observer is added: connects, unless it is connected, waits to reconnect, or is over.
    func observe() {
        if connection == nil, timer == nil, !isOver { connect() }
    }

    func add(_ load: Request) {
        loads.append(load)
        guard connection == nil else { return }
        isOver = false
        connect()
    }

    func remove(_ load: Request) {
        loads.remove(identical: load)
        stopIfUnneeded()
    }

    private var isNeeded: Bool { !loads.isEmpty || resource?.isObserved == true }

    func stopIfUnneeded() {
        if !isNeeded { stop() }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        queue = []
        run?.cancel()
        run = nil
        let connection = connection
        self.connection = nil
        head = nil
        if resource?.feed === self { resource?.feed = nil }
        connection?.cancel()
        engine.streamEnded(self)
    }

    /// Reconnects at once, with the current configuration.
    func reconnect() {
        guard connection != nil || timer != nil else { return }
        let old = connection
        leave()
        old?.cancel()
        stopIfUnneeded()
        if resource?.feed === self { connect() }
    }

    /// Stops because the configuration has changed, or the engine shuts down.
    func giveUp(_ error: RequestError? = nil) {
        finish(ResponseInfo(.failure(error ?? engine.refusal?.response.error ?? failure(.requestCancelled))))
        stop()
    }

    // MARK: The connection

    private func connect() {
        timer?.cancel()
        timer = nil
        guard let resource, !loads.isEmpty || resource.mayLoadInBackground else { return stop() }
        let configuration = resource.configuration(for: "GET")
        guard configuration.stream == .events, engine.refusal == nil else { return giveUp() }
        engine.feeds.add(self)
        parser = EventStreamParser(
            limit: min(configuration.maxBodyBytes, Self.mostEventBytes), lastID: parser.lastID)
        refusal = nil
        let id = parser.lastID
        let plan = RequestPlan(
            method: "GET",
            mutations: [
                { draft in
                    if !draft.headers.contains("Accept") { draft.headers.set("Accept", "text/event-stream") }
                    draft.headers.set("Cache-Control", "no-store")
                    if !id.isEmpty { draft.headers.set("Last-Event-ID", id) }
                }
            ], timeout: 0, destination: .events(self))
        let request = resource.startInBackground(plan)
        connection = request
        request.onCompletion { [weak self, unowned request] info in
            guard let self, connection === request else { return }
            ended(info)
        }
    }

    func begin(_ response: TransportResponse, of transfer: any Transfer) {
        self.transfer = transfer
        guard response.status != 204 else { return }
        let type = response.headers["Content-Type"]
        guard response.status == 200, type.map({ MediaType($0).essence }) == "text/event-stream" else {
            let what = "\(response.statusLine) with \(type.map { "the type \($0)" } ?? "no Content-Type")"
            return refuse(
                TransportError(
                    .decodingFailed, phase: .receive,
                    message: "the answer is no stream of events: \(what), not text/event-stream"))
        }
        head = response
        hasDelivered = false
        reconnection.failures = 0
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        guard head != nil, refusal == nil else { return false }
        do throws(EventStreamParser.Overflow) { queue += try parser.take(bytes) } catch {
            queue += error.events
            plan()
            refuse(
                TransportError(
                    .tooLarge, phase: .receive,
                    message: "an event has more than \(error.limit) bytes", limit: error.limit))
            return false
        }
        if let seconds = parser.retrySeconds { reconnection.seconds = seconds }
        plan()
        isHeld = queue.count >= Self.mostWaiting
        return !isHeld
    }

    /// Ends the connection in the next tick, not inside a call of the transfer.
    private func refuse(_ error: TransportError) {
        refusal = failure(.transport(error))
        engine.scheduler.nextTick { [weak self, weak request = connection] in
            guard let self, connection === request else { return }
            endIfRefused()
        }
    }

    /// Cancels once the events before the faulty one are handled.
    private func endIfRefused() { if refusal != nil, queue.isEmpty, run == nil { connection?.cancel() } }

    private func failure(_ cause: RequestError.Cause) -> RequestError {
        RequestError(
            cause: cause, timestamp: engine.scheduler.now, url: resource?.urlString, method: "GET")
    }

    /// Forgets the connection, which has ended.
    private func leave() {
        let wasLive = isLive
        connection = nil
        head = nil
        if wasLive { resource?.publish() }
    }

    private func ended(_ info: ResponseInfo) {
        let hadBegun = head != nil
        leave()
        var info = info
        if let refusal {
            info = ResponseInfo(.failure(refusal))
        } else if info.isCancellation {
            // All requests of the resource were cancelled: the state of the stream is dropped too.
            parser = EventStreamParser(limit: 0)
            return planReconnection()
        }
        var isNews = !hadBegun || refusal != nil
        switch info.response {
        case .success(let entity):
            isNews = !hadBegun
            guard isNews, entity.status == 204 else { break }
            isOver = true
            // A 204 has no event: the last content stays.
            isNews = !loads.isEmpty
            if let data = resource?.state.data { info = ResponseInfo(.success(data), isNew: false) }
        case .failure(let error):
            if isNews { reconnection.note(error, at: engine.scheduler.now) }
        }
        // Before the notifications, whose receivers would open another connection.
        planReconnection()
        if isNews { finish(info) }
        if isOver, connection == nil { engine.streamEnded(self) }
        stopSoonIfUnneeded()
    }

    private func planReconnection() {
        guard isNeeded else { return stop() }
        guard connection == nil, timer == nil, !isOver else { return }
        let seconds = reconnection.wait { engine.random() }
        let (url, shown) = (resource?.urlString ?? "", (seconds * 1000).rounded() / 1000)
        engine.log.write(.network, "the stream \(url) is requested again in \(shown) s")
        WorkScope.forAll {
            timer = engine.scheduler.after(seconds) { [weak self] in
                guard let self else { return }
                timer = nil
                if isNeeded { connect() } else { stop() }
            }
        }
    }

    // MARK: Events

    private func plan() {
        guard !isPlanned, run == nil, !queue.isEmpty else { return }
        isPlanned = true
        engine.scheduler.nextTick { [weak self] in
            self?.isPlanned = false
            self?.takeNext()
        }
    }

    /// Takes one event in each tick, so that each is notified before the next.
    private func takeNext() {
        guard run == nil, let resource, let event = queue.popFirst() else { return }
        if isHeld, queue.count < Self.mostWaiting / 2 {
            isHeld = false
            transfer?.resume()
        }
        hasDelivered = true
        let resolved = resource.resolvedConfiguration(for: "GET")
        guard resolved.failure == nil, resolved.configuration.stream == .events else {
            return giveUp(resolved.failure)
        }
        let context = PipelineContext(
            url: resource.urlString, method: "GET", now: engine.scheduler.now, status: 200,
            maxBodyBytes: resolved.configuration.maxBodyBytes, log: engine.log)
        var next = PipelineRun(
            .success(entity(of: event)), resolved.configuration.pipeline, context, of: engine,
            keeping: StageOutputs(of: resource, pipelineVersion: resource.pipelineVersion(of: resolved)))
        guard let job = next.next() else { return finish(next) }
        run = OffloadedRun(next, job, engine) { [weak self] in
            self?.run = nil
            self?.finish($0)
        }
    }

    private func finish(_ run: PipelineRun) {
        finish(ResponseInfo(run.response, stageOutputs: run.outputs))
        plan()
        endIfRefused()
        stopSoonIfUnneeded()
    }

    /// Waits until the hooks of the loads have run, because one may begin to observe.
    private func stopSoonIfUnneeded() {
        guard loads.isEmpty, queue.isEmpty else { return }
        engine.scheduler.nextTick { [weak self] in
            if let self, resource?.feed === self { stopIfUnneeded() }
        }
    }

    /// Gives the result of an event or a connection to the resource, through the loads that wait, if any.
    private func finish(_ info: ResponseInfo) {
        guard let resource else { return }
        let waiting = loads
        loads = []
        if waiting.isEmpty { return resource.finishLoad(resource.state.beginLoad(), info) }
        for load in waiting { load.complete(info) }
    }

    private func entity(of event: EventStreamParser.Event) -> Entity {
        var headers = head?.headers ?? Headers()
        headers.set("Content-Type", event.isDocument ? "application/json" : "text/plain; charset=utf-8")
        headers.set("Event-Type", event.type)
        headers.remove("Last-Event-ID")
        if !event.id.isEmpty { headers.set("Last-Event-ID", event.id) }
        // These fields belong to the stream, and are not valid for requests about an event.
        for name in ["ETag", "Last-Modified", "Content-Length", "Transfer-Encoding"] { headers.remove(name) }
        return Entity(
            response: TransportResponse(
                status: 200, httpVersion: head?.httpVersion ?? "HTTP/1.1", headers: headers, body: event.data),
            url: resource?.urlString, timestamp: engine.scheduler.now)
    }
}
