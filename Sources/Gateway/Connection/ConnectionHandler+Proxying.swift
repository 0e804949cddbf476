import NIOCore
import RestEngine

/// Requests that are forwarded to the API or to a route.
extension ConnectionHandler {
    /// Asks the engine whether the request may be sent at all, before its body is taken.
    func admit(_ path: ResourcePath, _ request: ClientRequest) {
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualTimeout
        let connection = wait(request, seconds: seconds)
        let accessPolicy = request.accessPolicy ?? loop.rules.access.accessPolicy
        let (engine, method, number, mailbox) = (loop.engine, request.method, request.number, loop.mailbox)
        EngineLoop.shared.submit {
            let problem = engine.validationError(to: method, path, accessPolicy)
            mailbox.send { connection.value.goOn(number, problem) }
        }
    }

    private func goOn(_ number: Int, _ problem: Problem?) {
        guard let (request, context) = resume(number) else { return }
        if let problem {
            write(problem.reply, request, context)
        } else if isLongerThanHeld(request) {
            passBody(request, [], context)
        } else {
            takeBody(request, context)
        }
        proceed(context)
    }

    /// The announced body is too long to be held in memory.
    func isLongerThanHeld(_ request: ClientRequest) -> Bool {
        request.contentLength.map { $0 > loop.rules.access.limits.maxBodyBytes } ?? false
    }

    func takeBody(_ request: ClientRequest, _ context: ChannelHandlerContext) {
        if request.expectsContinue { sayContinue(context) }
        machine.receiveBody(of: request, sweep: loop.sweeps)
    }

    func sayContinue(_ context: ChannelHandlerContext) {
        queue(ResponseHead(status: 100), context)
    }

    /// Sends a request, with its whole body, to the API or to its route.
    func pass(_ request: ClientRequest, _ body: [UInt8]?, _ context: ChannelHandlerContext) {
        if case .route(let entry, let params) = loop.rules.access.routes.match(request.method, request.target)
        {
            return answer(entry, params, .held(body ?? []), request, context)
        }
        let own = loop.rules.access.limits.requestTimeout
        let connection = wait(request, seconds: own ?? EngineClient.usualTimeout)
        let (number, mailbox) = (request.number, loop.mailbox)
        var proxiedRequest = proxiedRequest(request)
        proxiedRequest.body = body.map { .bytes($0) }
        send(proxiedRequest, request, connection) { seconds in
            guard own == nil else { return }
            mailbox.send { connection.value.extend(number, seconds: seconds) }
        }
    }

    /// The request for the API, without the body.
    func proxiedRequest(_ request: ClientRequest) -> ProxiedRequest {
        var path = ResourcePath(service: "", path: "", query: nil)
        if case .resource(let named) = request.target.withUnsafeBytes({ RequestTarget($0) }) { path = named }
        path.partition = partition(of: request)
        return ProxiedRequest(
            method: request.method, path: path, contentType: request.fields["content-type"],
            headers: proxiedHeaders(request), fields: request.fields,
            origin: origin(of: request, in: path.partition))
    }

    /// The names of the client's headers that the gateway lets through to the API.
    func forwardedNames(_ request: ClientRequest) -> Set<String> {
        // A head has no parts (RFC 9110 14.2).
        request.isHead
            ? loop.rules.access.forwarded.subtracting(["range", "if-range"]) : loop.rules.access.forwarded
    }

    func proxiedHeaders(_ request: ClientRequest) -> [(name: String, value: String)] {
        var names = request.hooks?.forward == nil ? forwardedNames(request) : []
        if request.method != "GET", !request.isHead { names.formUnion(ProxiedRequest.conditions) }
        if request.body != nil { names.formUnion(ProxiedRequest.bodyFields) }
        let own = fields(of: request, named: names)
        guard let chosen = request.hooks?.forward else { return own }
        let known = Set(chosen.map { $0.name.lowercased() })
        return chosen + own.filter { !known.contains($0.name.lowercased()) }
    }

    /// - Parameter waiting: Gets the timeout in seconds, unless it is the usual one.
    func send(
        _ proxiedRequest: ProxiedRequest, _ request: ClientRequest,
        _ connection: NIOLoopBound<ConnectionHandler>,
        waiting: @escaping @Sendable @EngineActor (Double) -> Void
    ) {
        let accessPolicy = request.accessPolicy ?? loop.rules.access.accessPolicy
        let (engine, number, mailbox) = (loop.engine, request.number, loop.mailbox)
        let pendingRead = PendingRead()
        self.pendingRead = pendingRead
        EngineLoop.shared.submit {
            engine.send(proxiedRequest, accessPolicy, pendingRead, waiting: waiting) { outcome in
                let labels = engine.labels(
                    of: proxiedRequest.path, proxiedRequest.method, accessPolicy, pendingRead)
                let service = proxiedRequest.path.service
                mailbox.send { connection.value.finish(number, outcome, labels, of: service) }
            }
        }
    }

    /// The request as code sees it, without its body.
    func served(_ request: ClientRequest) -> ServedRequest {
        let parts = String(decoding: request.target, as: UTF8.self).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = ServedRequest.pairs(ofQuery: parts.count > 1 ? parts[1] : "")
        // The credentials are for the gateway only, so the code doesn't get them.
        let secret = loop.rules.access.identities.headers
        let events = loop.rules.access.eventCredentials
        let headers = request.fields.all.compactMap { field -> (name: String, value: String)? in
            if secret.contains(field.name) { return nil }
            guard field.name == "cookie", let events else { return field }
            return events.stripped(cookies: field.value).map { (field.name, $0) }
        }
        var served = ServedRequest(
            method: request.method, path: String(parts[0]), query: query, headers: Headers(headers),
            client: client(request), origin: request.origin)
        // A client of HTTP/1.0 knows no interim answers (RFC 9110 15.2).
        if !request.isOld {
            let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
            let (mailbox, number) = (loop.mailbox, request.number)
            served.earlyHints = { headers in mailbox.send { connection.value.sendEarlyHints(number, headers) }
            }
        }
        return served
    }

    private func sendEarlyHints(_ number: Int, _ headers: Headers) {
        guard let context, machine.unanswered(number) != nil else { return }
        var head = ResponseHead(status: 103)
        head.proxied = ForwardedHeaders.own.fields(of: headers, from: nil)
        queue(head, context)
        flush(context)
    }

    private func client(_ request: ClientRequest) -> ServedClient {
        ServedClient(
            name: request.client?.name, address: address(of: request.fields),
            certificate: request.client?.certificate ?? [], claims: request.client?.claims)
    }

    /// Lets a route answer.
    func answer(
        _ entry: RouteTable.Entry, _ params: [(name: String, value: String)], _ body: ServedBody,
        _ request: ClientRequest, _ context: ChannelHandlerContext
    ) {
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualTimeout
        let connection = wait(request, seconds: seconds)
        var served = request.hooks?.served ?? self.served(request)
        (served.method, served.params, served.body) = (entry.route.method, params, body)
        served.partition = partition(of: request)
        served.origin = served.origin?.with(clientHeaders(request, in: served.partition))
        let (engine, number, target, mailbox) = (loop.engine, request.number, request.target, loop.mailbox)
        // A route has no load that the client could leave. The pending read carries the metrics' labels.
        let pendingRead = PendingRead()
        self.pendingRead = pendingRead
        EngineLoop.shared.submit {
            pendingRead.labels = engine.routeLabels(entry)
            engine.answer(entry, served, target: target) { outcome in
                mailbox.send { connection.value.finish(number, outcome, pendingRead.labels) }
            }
        }
    }
}
