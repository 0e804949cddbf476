import NIOCore
import RestEngine

/// Requests that are passed on: to the API, or to a route.
extension ConnectionHandler {
    /// Asks whether the request may be sent at all, before its body is taken.
    func admit(_ path: ResourcePath, _ request: ClientRequest) {
        let connection = wait(request, seconds: EngineClient.usualPatience)
        let exposure = request.exposure ?? loop.rules.access.exposure
        let (engine, method, number, mailbox) = (loop.engine, request.method, request.number, loop.mailbox)
        EngineLoop.shared.submit {
            let problem = engine.objection(to: method, path, exposure)
            mailbox.send { connection.value.goOn(number, problem) }
        }
    }

    private func goOn(_ number: Int, _ problem: Problem?) {
        guard let (request, context) = resume(number) else { return }
        if let problem { write(problem.reply, request, context) } else { takeBody(request, context) }
        proceed(context)
    }

    func takeBody(_ request: ClientRequest, _ context: ChannelHandlerContext) {
        if request.expectsContinue {
            needsFlush = true
            context.write(
                wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        }
        machine.receiveBody(of: request, sweep: loop.sweeps)
    }

    /// Sends a request, with its whole body, to whom it is for.
    func pass(_ request: ClientRequest, _ body: [UInt8]?, _ context: ChannelHandlerContext) {
        if case .route(let entry, let params) = loop.rules.access.routes.match(request.method, request.target)
        {
            return answer(entry, params, body ?? [], request, context)
        }
        var path = ResourcePath(service: "", path: "", query: nil)
        if case .resource(let named) = request.target.withUnsafeBytes({ RequestTarget($0) }) { path = named }
        let passed = PassedRequest(
            method: request.method, path: path, body: body, contentType: request.fields["content-type"],
            headers: request.fields.fields(named: loop.rules.access.forwarded), trace: request.trace)
        let (own, exposure) = (
            loop.rules.access.limits.requestTimeout, request.exposure ?? loop.rules.access.exposure
        )
        let connection = wait(request, seconds: own ?? EngineClient.usualPatience)
        let (engine, number, mailbox) = (loop.engine, request.number, loop.mailbox)
        EngineLoop.shared.submit {
            engine.send(
                passed, exposure,
                waiting: { seconds in
                    guard own == nil else { return }
                    mailbox.send { connection.value.extend(number, seconds: seconds) }
                },
                { outcome in
                    let labels = engine.labels(of: passed.path, passed.method, exposure)
                    mailbox.send { connection.value.finish(number, outcome, labels) }
                })
        }
    }

    /// Has a route answer.
    func answer(
        _ entry: RouteTable.Entry, _ params: [(name: String, value: String)], _ body: [UInt8],
        _ request: ClientRequest, _ context: ChannelHandlerContext
    ) {
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualPatience
        let connection = wait(request, seconds: seconds)
        let parts = String(decoding: request.target, as: UTF8.self).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { piece in
            let pair = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentEncoding.decode(String($0)) ?? String($0)
            }
            return (name: pair[0], value: pair.count > 1 ? pair[1] : "")
        }
        // The token is the gateway's business.
        let headers = Headers(request.fields.all.filter { $0.name != "authorization" })
        let served = ServedRequest(
            method: entry.route.method, path: String(parts[0]), params: params, query: query,
            headers: headers, body: body, client: context.channel.remoteAddress?.ipAddress)
        let (engine, answers) = (loop.engine, loop.rules.access.routes.answers)
        let (number, target, mailbox) = (request.number, request.target, loop.mailbox)
        EngineLoop.shared.submit {
            engine.answer(entry, served, target: target, answers) { outcome in
                let labels = engine.routeLabels(entry)
                mailbox.send { connection.value.finish(number, outcome, labels) }
            }
        }
    }
}
