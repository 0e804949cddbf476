import NIOCore

/// Bodies that go through as they come (rules 69).
extension ConnectionStateMachine {
    /// One such exchange: the client's body, the API's, or both at once.
    struct Proxied {
        /// Nil when the whole of the client's body is there.
        var arrival: Arrival?
        /// Since then nobody takes more of it.
        var heldSince: Int?
        /// At this sweep the request is answered in any case, unless an answer has begun.
        var until: Int
        /// Sweeps for which somebody waits for the other side, where nothing else limits that.
        let timeout: Int
        var isAnswering = false

        var takesBody: Bool { arrival != nil && heldSince == nil }
    }

    /// The body of a request goes through from here on, if some of it has come already or not; none is taken
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

    /// Nobody takes more of the body for a while, so that no more is read.
    mutating func holdBody(sweep: Int) {
        guard case .proxying(let request, var proxied) = state, proxied.takesBody else { return }
        proxied.heldSince = sweep
        state = .proxying(request, proxied)
        readRoom = 0
    }

    /// More of the body is wanted. The request, if it is still this one and was held.
    mutating func releaseBody(_ number: Int, sweep: Int) -> ClientRequest? {
        guard case .proxying(let request, var proxied) = state, request.number == number,
            let since = proxied.heldSince
        else { return nil }
        // The client was not slow meanwhile.
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

    /// The request whose answer begins now and ends later, if it is still this one.
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

    /// Of the request's body, if it has one, nothing more is to come.
    var hasProxiedBody: Bool {
        if case .proxying(_, let proxied) = state { proxied.arrival == nil } else { false }
    }

    /// That answer is with the socket. True when it is the last, as of ``answer(_:bytes:closes:)``.
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

    /// Its client sends nothing, or less of the body than it has to.
    func isSlow(_ arrival: Arrival, _ sweep: Int, _ timeout: Timeouts) -> Bool {
        let elapsed = sweep - arrival.since
        return sweep - lastSweep >= timeout.idle
            || elapsed >= timeout.idle
                && Double(arrival.bytes) < Double(elapsed) * timeout.bodyBytesPerSweep
    }
}
