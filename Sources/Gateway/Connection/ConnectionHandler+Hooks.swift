import NIOCore
import RestEngine

/// Requests that meet hooks (rules 72). Their answers are never taken from the loop's memory.
extension ConnectionHandler {
    /// Notes the hooks of a request. Returns false if the request was answered because of their limits.
    func meetHooks(
        _ request: inout ClientRequest, _ matches: HookTable.Matches, _ context: ChannelHandlerContext
    )
        -> Bool
    {
        var served = served(request)
        served.partition = partitionOfCredentials(request)
        request.hooks = HookedRequest(served, after: matches.after)
        let name = clientName(request)
        for rates in matches.rates {
            guard let wait = rates.wait(name, now: loop.uptime()) else { continue }
            write(Problem.tooOften(wait).reply, request, context)
            return false
        }
        return true
    }

    /// Lets the functions run before the request is answered. It then goes on, unless one of them answered.
    func runBefore(
        _ hooks: [HookTable.Match<GatewayHook.Before>], _ path: ResourcePath, _ request: ClientRequest
    ) {
        guard let served = request.hooks?.served else { return }
        let next = hookedRead(path, request)
        let read = awaitRead(of: request)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let (engine, number, mailbox) = (loop.engine, request.number, loop.mailbox)
        let forward = Headers(request.fields.fields(named: forwardedNames(request)))
        EngineLoop.shared.submit {
            var hasLeft = false
            next?.question.pendingRead.onLeave { hasLeft = true }
            engine.run(hooks[...], served, forward: forward) { result in
                if hasLeft { return }
                // A read begins at once: each change between the two threads takes time.
                if let next, case .proceed(forward, let partition) = result,
                    let question = next.question(in: partition)
                {
                    if partition != served.partition {
                        mailbox.send { connection.value.take(partition, of: number) }
                    }
                    return read(question)
                }
                mailbox.send { connection.value.goOn(number, path, result, forwarded: forward) }
            }
        }
    }

    /// The read that the request is if the functions change no header; nil for any other request.
    private func hookedRead(_ path: ResourcePath, _ request: ClientRequest) -> HookedRead? {
        guard request.method == "GET" || request.isHead, !request.conditions.wantsEvents,
            case .none = loop.rules.access.routes.match(request.method, request.target)
        else { return nil }
        return HookedRead(
            question: question(path, request, request.origin),
            isSharedRead: readsResource(request, in: nil), isPartitionRead: readsResource(request, in: ""),
            clientHeaders: clientHeaders(request, in: ""))
    }

    private func take(_ partition: String?, of number: Int) {
        machine.unanswered(number)?.hooks?.choose(partition)
    }

    private func goOn(
        _ number: Int, _ path: ResourcePath, _ result: EngineClient.HookResult, forwarded: Headers
    ) {
        switch result {
        case .answered(let outcome, let labels): finish(number, outcome, labels)
        case .proceed(let forward, let partition):
            guard let (request, context) = resume(number) else { return }
            request.hooks?.proceed(forward: forward, partition: partition, forwarded: forwarded)
            find(path, request, context)
            proceed(context)
        }
    }

    // MARK: After the answer

    /// Holds an answer while the functions see its head. Returns false if there are none.
    func holdAnswer(
        _ head: ResponseHead, _ body: AnswerBody?, _ outcome: RequestSeries.Outcome, _ code: String?,
        _ request: ClientRequest
    ) -> Bool {
        guard let hooks = request.hooks, hooks.needsAfter else { return false }
        hooks.held = HookedRequest.HeldAnswer(head: head, body: body, outcome: outcome, code: code)
        // The answer that is held has an end of its own, so only the functions take time here.
        let seconds = loop.rules.access.limits.requestTimeout ?? EngineClient.usualTimeout
        _ = wait(request, seconds: seconds)
        runAfter(hooks, head) { connection, problem in connection.release(request.number, problem) }
        return true
    }

    private func release(_ number: Int, _ problem: Problem?) {
        guard let (request, context) = resume(number) else { return }
        if let problem {
            write(problem.reply, request, context)
        } else if let hooks = request.hooks, let held = hooks.held {
            hooks.held = nil
            write(hooks.apply(to: held.head), held.body, held.outcome, code: held.code, request, context)
        }
        proceed(context)
    }

    /// - Parameter completion: Gets the problem that replaces the answer if a function failed.
    func runAfter(
        _ hooks: HookedRequest, _ head: ResponseHead,
        _ completion: @escaping (ConnectionHandler, Problem?) -> Void
    ) {
        hooks.hasRunAfter = true
        let seen = ServedHead(status: head.status, headers: Headers(head.changeableFields))
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let finish = NIOLoopBound((hooks, completion), eventLoop: loop.eventLoop)
        let (engine, mailbox, served, functions) = (loop.engine, loop.mailbox, hooks.served, hooks.after)
        EngineLoop.shared.submit {
            engine.run(functions[...], served, seen) { result in
                mailbox.send {
                    let (hooks, completion) = finish.value
                    switch result {
                    case .success(let head):
                        hooks.fields = head.headers.fields.map { ($0.name, $0.value) }
                        completion(connection.value, nil)
                    case .failure(let problem): completion(connection.value, problem)
                    }
                }
            }
        }
    }
}
