import NIOCore

extension ConnectionStateMachine {
    /// Takes the body of a request whose head was let in; ``next(sweep:)`` gives its parts.
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

    /// The next of a body, whoever it is for.
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

    /// A stream takes the place of an answer.
    mutating func stream() {
        guard isReading else { return }
        state = .streaming
        input = ByteBuffer()
    }

    /// So many bytes of the stream are handed to the socket.
    mutating func wrote(_ bytes: Int) { writtenBytes += bytes }

    // MARK: TLS

    /// Requests may come from now on.
    mutating func endHandshake(sweep: Int) {
        handshakeSweep = nil
        lastSweep = sweep
    }

    // MARK: HTTP/2

    /// It carries streams from now on, and nothing that comes in is a request of its own.
    mutating func carryStreams(sweep: Int) {
        state = .carrying(0)
        lastSweep = sweep
    }

    mutating func beginStream(sweep: Int) {
        switch state {
        case .carrying(let streams): state = .carrying(streams + 1)
        // Its client had not yet heard that it is to go.
        case .lingering: state = .carrying(1)
        default: return
        }
        lastSweep = sweep
    }

    /// A stream was answered as soon as it began. It isn't counted: a client that doesn't take the answer is
    /// as idle as one that asks for nothing.
    mutating func answerStream(sweep: Int) { lastSweep = sweep }

    /// - Parameter isLeaving: the client has been told to go.
    mutating func endStream(sweep: Int, isLeaving: Bool) {
        guard case .carrying(let streams) = state else { return }
        state = .carrying(streams - 1)
        lastSweep = sweep
        if isLeaving { goAway(sweep: sweep) }
    }

    /// The client is told to go, and has a moment to do so once it has no streams.
    mutating func goAway(sweep: Int) {
        guard case .carrying(0) = state else { return }
        state = .lingering
        lastSweep = sweep
    }

    /// What was written goes out first, as a last answer does.
    mutating func finishCarrying(sweep: Int) {
        state = .finishing(.close)
        lastSweep = sweep
    }

    /// What comes in and opens no stream, slow heads and pings among it, keeps no connection open.
    mutating func sweepCarrying(_ streams: Int, _ sweep: Int, _ timeout: Timeouts) -> Due {
        guard streams == 0, sweep - lastSweep >= (isSurplus ? timeout.surplus : timeout.idle) else {
            return .nothing
        }
        goAway(sweep: sweep)
        return .goAway
    }
}
