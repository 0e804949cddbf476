import NIOCore
import RestEngine

/// The `/-/` routes.
extension ConnectionHandler {
    func askHost(_ name: String, _ query: String?, _ exchange: Exchange, _ context: ChannelHandlerContext) {
        switch HostRoute.find(name, method: exchange.method, isAdmin: loop.isForAdmins) {
        case .failure(let problem): write(problem.reply, exchange, context)
        case .success(let route): ask(route, query, exchange)
        }
    }

    private func ask(_ route: HostRoute, _ query: String?, _ exchange: Exchange) {
        let isAuthorized = exchange.isAuthorized
        let (connection, desk, number, post) = (
            wait(exchange, seconds: nil), loop.desk, exchange.number, loop.post
        )
        // A health check that waits as long as everything else says nothing.
        let timeout: Double? =
            route == .reload
            ? nil : route.isLivenessCheck ? loop.limits.healthTimeout : loop.limits.controlTimeout
        let late = timeout.map { seconds in
            loop.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
                connection.value.finish(number, EngineDesk.busyReply(route))
            }
        }
        EngineLoop.shared.submit {
            desk.answer(route, query: query, withDetails: isAuthorized) { reply in
                post.send {
                    late?.cancel()
                    connection.value.finish(number, reply)
                }
            }
        }
    }
}
