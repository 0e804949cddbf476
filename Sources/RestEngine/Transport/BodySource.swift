internal import Synchronization

/// The asynchronous sequence of a body that is streamed. Each request that sends it gets a pipe of its own,
/// into which the sequence is written when the first byte is wanted.
package struct BodySource: Sendable, Hashable {
    private let identity = ConfigurationFunction.Identity()
    private let length: Int64?
    private let write: @Sendable (BodyPipe, AsyncStream<Void>) async -> Void

    /// - Parameters:
    ///   - length: The bytes of the body, if they are known.
    ///   - sequence: Makes the sequence for one request.
    ///   - bytes: The bytes of an element.
    package init<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64?, _ sequence: @escaping @Sendable () -> Chunks,
        bytes: @escaping @Sendable (Chunks.Element) -> [UInt8]
    ) where Chunks.AsyncIterator: SendableMetatype {
        self.length = length
        write = { pipe, rooms in
            do {
                var room = rooms.makeAsyncIterator()
                for try await element in sequence() where !pipe.write(bytes(element)) {
                    await room.next()
                }
                pipe.finish()
            } catch {
                pipe.fail(
                    TransportError(
                        .internal, phase: .send, message: "the sequence of the body failed: \(error)"))
            }
        }
    }

    package func makePipe() -> BodyPipe {
        let pipe = BodyPipe(length: length)
        let pump = BodyPump(write)
        pipe.onRoom { [weak pipe] in if let pipe { pump.signal(pipe) } }
        return pipe
    }

    package static func == (a: BodySource, b: BodySource) -> Bool { a.identity == b.identity }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// Writes one sequence into one pipe, as a task that begins with the first room.
private final class BodyPump: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let write: @Sendable (BodyPipe, AsyncStream<Void>) async -> Void
    private let rooms: AsyncStream<Void>
    private let room: AsyncStream<Void>.Continuation

    init(_ write: @escaping @Sendable (BodyPipe, AsyncStream<Void>) async -> Void) {
        self.write = write
        (rooms, room) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// There is room, or nobody reads any more.
    func signal(_ pipe: BodyPipe) {
        task.withLock { task in
            if pipe.isClosed {
                task?.cancel()
            } else if task == nil {
                task = Task(executorPreference: TaskPreference.executor) { [write, rooms] in
                    await write(pipe, rooms)
                }
            } else {
                room.yield()
            }
        }
    }
}
