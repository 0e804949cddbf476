import NIOCore

extension ConnectionStateMachine {
    /// Takes the body of a request whose head was let in; ``next(sweep:)`` gives its parts.
    mutating func receiveBody(of request: ClientRequest, sweep: Int) {
        guard isReading, let reader = request.body else { return }
        state = .receiving(request, Arrival(reader: reader, since: sweep))
        lastSweep = sweep
    }

    mutating func nextOfBody(sweep: Int) -> Next {
        guard case .receiving(var request, var arrival) = state else { return .none }
        switch arrival.reader.next(&input) {
        case .needMore:
            // It may have taken a part that is no content.
            state = .receiving(request, arrival)
            if input.readableBytes == 0 { input = ByteBuffer() }
            return .none
        case .fault(let fault): return .fault(fault)
        case .part(let part):
            arrival.bytes += part.readableBytes
            guard arrival.bytes <= limits.maxBodyBytes else { return .fault(.bodyTooLarge) }
            lastSweep = sweep
            state = .receiving(request, arrival)
            return .part(part)
        case .end:
            request.bodyIsRead()
            state = .reading
            return .complete(request)
        }
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
}
