public import RestEngine

extension CallStream {
    /// The lines of the body, of UTF-8, without their ends: LF or CR LF. The last one needs no end.
    ///
    /// - Parameter limit: Most bytes of a line; a longer one is an error.
    public func lines(limit: Int = CallLines.usualLineBytes) -> CallLines {
        CallLines(base: self, limit: limit)
    }

    /// The same with the usual limit.
    public var lines: CallLines { lines() }

    /// The events of a stream of server-sent events. The sequence ends with the answer.
    ///
    /// - Parameter limit: Most bytes of an event; a longer one is an error.
    public func events(limit: Int = CallEvents.usualEventBytes) -> CallEvents {
        CallEvents(base: self, limit: limit)
    }

    /// The same with the usual limit.
    public var events: CallEvents { events() }

    fileprivate func tooLong(_ what: String, _ limit: Int) -> RequestError {
        let fault = TransportError(
            .tooLarge, phase: .receive,
            message: "\(what) of the body is longer than \(limit) bytes: give \(what)s another limit",
            limit: limit)
        return RequestError(cause: .transport(fault), timestamp: InternetTime.now, url: url)
    }
}

/// The lines of a streamed answer.
public struct CallLines: AsyncSequence, Sendable {
    public typealias Element = String
    public typealias Failure = RequestError

    /// Bytes of a line.
    public static let usualLineBytes = 1 << 20

    let base: CallStream
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the lines of a ``CallStream``.
    public struct Iterator: AsyncIteratorProtocol {
        private let lines: CallLines
        private var bytes: CallStream.Iterator
        private var chunk: ArraySlice<UInt8> = []
        private var line: [UInt8] = []
        private var isOver = false

        fileprivate init(_ lines: CallLines) {
            self.lines = lines
            bytes = lines.base.makeAsyncIterator()
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RequestError) -> String? {
            while !isOver {
                if let end = chunk.firstIndex(of: UInt8(ascii: "\n")) {
                    try add(chunk[..<end])
                    chunk = chunk[(end + 1)...]
                    if line.last == UInt8(ascii: "\r") { line.removeLast() }
                    return take()
                }
                try add(chunk)
                if let next = try await bytes.next(isolation: actor) {
                    chunk = next[...]
                } else {
                    (isOver, chunk) = (true, [])
                }
            }
            return line.isEmpty ? nil : take()
        }

        private mutating func add(_ part: ArraySlice<UInt8>) throws(RequestError) {
            guard line.count + part.count <= lines.limit else {
                (isOver, line) = (true, [])
                throw lines.base.tooLong("line", lines.limit)
            }
            line += part
        }

        private mutating func take() -> String {
            defer { line = [] }
            return String(decoding: line, as: UTF8.self)
        }
    }
}

/// One server-sent event (WHATWG HTML 9.2.6).
public struct CallEvent: Sendable, Equatable {
    /// `message`, unless the server named it.
    public let type: String
    /// Its lines of data, separated by LF.
    public let data: String
    /// The id of the last event that had one; empty before. A later call goes on behind it with the header
    /// Last-Event-ID.
    public let id: String
}

/// The server-sent events of a streamed answer.
public struct CallEvents: AsyncSequence, Sendable {
    public typealias Element = CallEvent
    public typealias Failure = RequestError

    /// Bytes of an event.
    public static let usualEventBytes = 1 << 20

    let base: CallStream
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads the events of a ``CallStream``.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: CallEvents
        private var bytes: CallStream.Iterator
        private var parser: EventStreamParser
        private var waiting: ArraySlice<CallEvent> = []
        private var failure: RequestError?

        fileprivate init(_ events: CallEvents) {
            self.events = events
            bytes = events.base.makeAsyncIterator()
            parser = EventStreamParser(limit: events.limit)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RequestError) -> CallEvent? {
            while true {
                if let event = waiting.popFirst() { return event }
                if let failure { throw failure }
                guard let chunk = try await bytes.next(isolation: actor) else { return nil }
                do throws(EventStreamParser.Overflow) {
                    waiting = Self.events(try parser.take(chunk))
                } catch {
                    waiting = Self.events(error.events)
                    failure = events.base.tooLong("event", events.limit)
                }
            }
        }

        private static func events(_ parsed: [EventStreamParser.Event]) -> ArraySlice<CallEvent> {
            parsed.map {
                CallEvent(type: $0.type, data: String(decoding: $0.data, as: UTF8.self), id: $0.id)
            }[...]
        }
    }
}
