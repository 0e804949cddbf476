import NIOCore

/// Bodies that go through as they come (rules 69).
extension ConnectionStateMachine {
    /// One such exchange: the client's body, the API's, or both at once.
    struct Passage {
        /// Nil when the whole of the client's body is there.
        var arrival: Arrival?
        /// Since then nobody takes more of it.
        var heldSince: Int?
        /// At this sweep the request is answered in any case, unless an answer has begun.
        var until: Int
        /// Sweeps for which somebody waits for the other side, where nothing else limits that.
        let patience: Int
        var isAnswering = false

        var takesBody: Bool { arrival != nil && heldSince == nil }
    }

    /// The body of a request goes through from here on, if some of it has come already or not; none is taken
    /// before ``releaseBody(_:sweep:)``.
    mutating func pass(_ request: ClientRequest, sweep: Int, patience: Int) {
        let arrival: Arrival
        switch state {
        case .reading:
            guard let reader = request.body else { return }
            arrival = Arrival(reader: reader, since: sweep)
        case .receiving(_, let begun): arrival = begun
        default: return
        }
        state = .passing(
            request,
            Passage(arrival: arrival, heldSince: sweep, until: sweep + patience, patience: patience))
        lastSweep = sweep
        readRoom = 0
    }

    /// Nobody takes more of the body for a while, so that no more is read.
    mutating func holdBody(sweep: Int) {
        guard case .passing(let request, var passage) = state, passage.takesBody else { return }
        passage.heldSince = sweep
        state = .passing(request, passage)
        readRoom = 0
    }

    /// More of the body is wanted. The request, if it is still this one and was held.
    mutating func releaseBody(_ number: Int, sweep: Int) -> ClientRequest? {
        guard case .passing(let request, var passage) = state, request.number == number,
            let since = passage.heldSince
        else { return nil }
        // The client was not slow meanwhile.
        passage.arrival?.since += sweep - since
        passage.heldSince = nil
        passage.until = .max
        state = .passing(request, passage)
        lastSweep = sweep
        readRoom = maxUnreadBytes
        return request
    }

    mutating func nextOfPassage(sweep: Int) -> Next {
        guard case .passing(var request, var passage) = state, var arrival = passage.arrival else {
            return .none
        }
        let step = takePart(&arrival, sweep: sweep)
        passage.arrival = arrival
        state = .passing(request, passage)
        switch step {
        case .needMore: return .none
        case .fault(let fault): return .fault(fault)
        case .part(let part): return .streamed(part)
        case .end:
            request.bodyIsRead()
            passage.arrival = nil
            passage.until = sweep + passage.patience
            state = .passing(request, passage)
            return .streamedEnd
        }
    }

    /// The request whose answer begins now and ends later, if it is still this one.
    mutating func beginAnswer(_ number: Int, sweep: Int) -> ClientRequest? {
        switch state {
        case .waiting(let request, _) where request.number == number:
            state = .passing(request, Passage(until: .max, patience: 0, isAnswering: true))
            return request
        case .passing(let request, var passage) where request.number == number && !passage.isAnswering:
            passage.isAnswering = true
            state = .passing(request, passage)
            return request
        default: return nil
        }
    }

    /// Of the request's body, if it has one, nothing more is to come.
    var hasPassedBody: Bool {
        if case .passing(_, let passage) = state { passage.arrival == nil } else { false }
    }

    /// That answer is with the socket. True when it is the last, as of ``answer(_:bytes:closes:)``.
    mutating func endAnswer(closes: Bool, sweep: Int) -> Bool {
        guard case .passing(_, let passage) = state else { return false }
        readRoom = maxUnreadBytes
        lastSweep = sweep
        let isRestComing = passage.arrival != nil
        guard closes || isRestComing else {
            state = .reading
            return false
        }
        state = .finishing(isRestComing || input.readableBytes > 0 ? .closeOutput : .close)
        input = ByteBuffer()
        return true
    }

    func sweepPassing(
        _ request: ClientRequest, _ passage: Passage, _ sweep: Int, unsentBytes: Int, _ patience: Patience
    ) -> Due {
        if !passage.isAnswering {
            if sweep >= passage.until { return .overdue(request.number) }
        } else if unsentBytes > 0, sweep - takenSweep >= patience.idle {
            return .close
        }
        guard passage.heldSince == nil, let arrival = passage.arrival,
            isSlow(arrival, sweep, patience)
        else { return .nothing }
        return passage.isAnswering ? .close : .slowBody
    }

    /// Its client sends nothing, or less of the body than it has to.
    func isSlow(_ arrival: Arrival, _ sweep: Int, _ patience: Patience) -> Bool {
        let elapsed = sweep - arrival.since
        return sweep - lastSweep >= patience.idle
            || elapsed >= patience.idle
                && Double(arrival.bytes) < Double(elapsed) * patience.bodyBytesPerSweep
    }
}
