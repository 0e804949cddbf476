import NIOCore

/// Bodies that are forwarded as they arrive (rules 69).
extension ConnectionStateMachine {
    /// One such exchange: the body of the client, of the API, or both at once.
    struct Proxied {
        /// Nil once the client's body is complete.
        var arrival: Arrival?
        /// The sweep since which the receiver takes no more of the body.
        var heldSince: Int?
        /// The sweep at which the request is answered in any case, unless an answer has begun.
        var until: Int
        /// The number of sweeps that one side may wait for the other if no other limit applies.
        let timeout: Int
        var isAnswering = false

        var takesBody: Bool { arrival != nil && heldSince == nil }
    }

    /// Forwards the rest of a request's body, whether or not some of it has arrived. No bytes are taken
    /// before ``releaseBody(_:sweep:)``.
    mutating func pass(_ request: ClientRequest, sweep: Int, timeout: Int) {
        let arrival: Arrival
        switch state {
        case .reading:
            guard let reader = request.body else { return }
            arrival = Arrival(reader: reader, since: sweep)
        case .receiving(_, let begun): arrival = begun
        default: return
        }
        state = .proxying(
            request,
            Proxied(arrival: arrival, heldSince: sweep, until: sweep + timeout, timeout: timeout))
        lastSweep = sweep
        readRoom = 0
    }

    /// The receiver takes no more of the body for now, so reading stops.
    mutating func holdBody(sweep: Int) {
        guard case .proxying(let request, var proxied) = state, proxied.takesBody else { return }
        proxied.heldSince = sweep
        state = .proxying(request, proxied)
        readRoom = 0
    }

    /// The receiver takes more of the body. Returns the request if it still has this number and was held.
    mutating func releaseBody(_ number: Int, sweep: Int) -> ClientRequest? {
        guard case .proxying(let request, var proxied) = state, request.number == number,
            let since = proxied.heldSince
        else { return nil }
        // The client was not slow during this time, because reading had stopped.
        proxied.arrival?.since += sweep - since
        proxied.heldSince = nil
        proxied.until = .max
        state = .proxying(request, proxied)
        lastSweep = sweep
        readRoom = maxUnreadBytes
        return request
    }

    mutating func nextOfProxied(sweep: Int) -> Next {
        guard case .proxying(var request, var proxied) = state, var arrival = proxied.arrival else {
            return .none
        }
        let step = takePart(&arrival, sweep: sweep)
        proxied.arrival = arrival
        state = .proxying(request, proxied)
        switch step {
        case .needMore: return .none
        case .fault(let fault): return .fault(fault)
        case .part(let part): return .streamed(part)
        case .end:
            request.bodyIsRead()
            proxied.arrival = nil
            proxied.until = sweep + proxied.timeout
            state = .proxying(request, proxied)
            return .streamedEnd
        }
    }

    /// The request whose answer has not begun.
    var unanswered: ClientRequest? {
        switch state {
        case .waiting(let request, _), .receiving(let request, _): request
        case .proxying(let request, let proxied) where !proxied.isAnswering: request
        default: nil
        }
    }

    /// The same, if it still has this number.
    func unanswered(_ number: Int) -> ClientRequest? {
        unanswered.flatMap { $0.number == number ? $0 : nil }
    }

    /// The request whose answer begins now and ends later, if it still has this number.
    mutating func beginAnswer(_ number: Int, sweep: Int) -> ClientRequest? {
        switch state {
        case .waiting(let request, _) where request.number == number:
            state = .proxying(request, Proxied(until: .max, timeout: 0, isAnswering: true))
            return request
        case .proxying(let request, var proxied) where request.number == number && !proxied.isAnswering:
            proxied.isAnswering = true
            state = .proxying(request, proxied)
            return request
        default: return nil
        }
    }

    /// The request's body is complete, or it has none.
    var hasProxiedBody: Bool {
        if case .proxying(_, let proxied) = state { proxied.arrival == nil } else { false }
    }

    /// The whole answer is handed over. True if it is the connection's last; see ``answer(_:bytes:closes:)``.
    mutating func endAnswer(closes: Bool, sweep: Int) -> Bool {
        guard case .proxying(_, let proxied) = state else { return false }
        readRoom = maxUnreadBytes
        lastSweep = sweep
        let isRestComing = proxied.arrival != nil
        guard closes || isRestComing else {
            state = .reading
            return false
        }
        state = .finishing(isRestComing || input.readableBytes > 0 ? .closeOutput : .close)
        input = ByteBuffer()
        return true
    }

    func sweepProxying(
        _ request: ClientRequest, _ proxied: Proxied, _ sweep: Int, unsentBytes: Int, _ timeout: Timeouts
    ) -> Due {
        if !proxied.isAnswering {
            if sweep >= proxied.until { return .overdue(request.number) }
        } else if unsentBytes > 0, sweep - takenSweep >= timeout.idle {
            return .close
        }
        guard proxied.heldSince == nil, let arrival = proxied.arrival,
            isSlow(arrival, sweep, timeout)
        else { return .nothing }
        return proxied.isAnswering ? .close : .slowBody
    }

    /// The client sends no bytes, or fewer than it must.
    func isSlow(_ arrival: Arrival, _ sweep: Int, _ timeout: Timeouts) -> Bool {
        let elapsed = sweep - arrival.since
        return sweep - lastSweep >= timeout.idle
            || elapsed >= timeout.idle
                && Double(arrival.bytes) < Double(elapsed) * timeout.bodyBytesPerSweep
    }
}
