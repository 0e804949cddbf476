import NIOCore

extension ConnectionStateMachine {
    /// Begins to take the body of a request whose head was accepted. ``next(sweep:)`` gives the body's parts.
    mutating func receiveBody(of request: ClientRequest, sweep: Int) {
        guard isReading, let reader = request.body else { return }
        state = .receiving(request, Arrival(reader: reader, since: sweep))
        lastSweep = sweep
    }

    mutating func nextOfBody(sweep: Int) -> Next {
        guard case .receiving(var request, var arrival) = state else { return nextOfProxied(sweep: sweep) }
        let step = takePart(&arrival, sweep: sweep)
        state = .receiving(request, arrival)
        switch step {
        case .needMore: return .none
        case .fault(let fault): return .fault(fault)
        case .part(let part): return arrival.bytes <= limits.maxBodyBytes ? .part(part) : .grown(part)
        case .end:
            request.bodyIsRead()
            state = .reading
            return .complete(request)
        }
    }

    /// The next part of a body, for both kinds of receivers.
    mutating func takePart(_ arrival: inout Arrival, sweep: Int) -> BodyReader.Step {
        let step = arrival.reader.next(&input)
        switch step {
        case .needMore: if input.readableBytes == 0 { input = ByteBuffer() }
        case .part(let part):
            arrival.bytes += part.readableBytes
            guard arrival.bytes <= limits.longestBody else { return .fault(.bodyTooLarge) }
            lastSweep = sweep
        case .fault, .end: break
        }
        return step
    }

    // MARK: Streams

    /// A stream of events begins in place of an answer.
    mutating func stream() {
        guard isReading else { return }
        state = .streaming
        input = ByteBuffer()
    }

    /// Notes the number of stream bytes that were handed to the socket.
    mutating func wrote(_ bytes: Int) { writtenBytes += bytes }

    // MARK: TLS

    /// The handshake is done, so requests may arrive.
    mutating func endHandshake(sweep: Int) {
        handshakeSweep = nil
        lastSweep = sweep
    }

    // MARK: HTTP/2

    /// The connection carries streams from now on. Its bytes are no requests of its own.
    mutating func carryStreams(sweep: Int) {
        state = .carrying(0)
        lastSweep = sweep
    }

    mutating func beginStream(sweep: Int) {
        switch state {
        case .carrying(let streams): state = .carrying(streams + 1)
        // The client had not yet read the GOAWAY.
        case .lingering: state = .carrying(1)
        default: return
        }
        lastSweep = sweep
    }

    /// Notes a stream that was answered as soon as it began. The stream isn't counted, because a client that
    /// doesn't take the answer is as idle as one that sends no request.
    mutating func answerStream(sweep: Int) { lastSweep = sweep }

    /// - Parameter isLeaving: The client got a GOAWAY.
    mutating func endStream(sweep: Int, isLeaving: Bool) {
        guard case .carrying(let streams) = state else { return }
        state = .carrying(streams - 1)
        lastSweep = sweep
        if isLeaving { goAway(sweep: sweep) }
    }

    /// The client got a GOAWAY. Once it has no streams, it has a moment to close the connection.
    mutating func goAway(sweep: Int) {
        guard case .carrying(0) = state else { return }
        state = .lingering
        lastSweep = sweep
    }

    /// Bytes that were written go out before the connection closes, as with a last answer.
    mutating func finishCarrying(sweep: Int) {
        state = .finishing(.close)
        lastSweep = sweep
    }

    /// Bytes that open no stream, such as slow heads and pings, keep no connection open.
    mutating func sweepCarrying(_ streams: Int, _ sweep: Int, _ timeout: Timeouts) -> Due {
        guard streams == 0, sweep - lastSweep >= (isSurplus ? timeout.surplus : timeout.idle) else {
            return .nothing
        }
        goAway(sweep: sweep)
        return .goAway
    }
}
