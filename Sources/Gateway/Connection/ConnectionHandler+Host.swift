import NIOCore
import RestEngine

/// Requests about the host itself, below `/-/`.
extension ConnectionHandler {
    func askHost(
        _ name: String, _ query: String?, _ request: ClientRequest, _ context: ChannelHandlerContext
    ) {
        let isOperator = isOperator(request)
        switch HostRoute.find(
            name, method: request.method, isAdmin: loop.isForAdmins, isOperator: isOperator,
            operatorsElsewhere: loop.rules.access.hasOperatorsElsewhere)
        {
        case .failure(let problem): write(problem.reply, request, context)
        case .success(.events): follow(query, request, context)
        case .success(let route): ask(route, query, request)
        }
    }

    private func ask(_ route: HostRoute, _ query: String?, _ request: ClientRequest) {
        let (isAuthorized, number) = (request.isAuthorized, request.number)
        let accessPolicy = request.accessPolicy ?? loop.rules.access.accessPolicy
        let (connection, engine, mailbox) = (wait(request, seconds: nil), loop.engine, loop.mailbox)
        // A health check must be answered sooner than other requests, or it would report nothing about a busy
        // engine.
        let timeout: Double? =
            route == .reload
            ? nil : route.isLivenessCheck ? loop.healthTimeout : loop.controlTimeout
        let late = timeout.map { seconds in
            loop.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
                connection.value.finish(number, EngineClient.busyReply(route))
            }
        }
        let question: @Sendable @EngineActor () -> Void = {
            engine.answerForAll(route, query: query, accessPolicy, withDetails: isAuthorized) { reply in
                let labels = engine.labels(of: route)
                mailbox.send {
                    late?.cancel()
                    connection.value.finish(number, reply, labels)
                }
            }
        }
        if route.isLivenessCheck {
            EngineLoop.shared.submitUrgent(question)
        } else {
            EngineLoop.shared.submit(question)
        }
    }
}
