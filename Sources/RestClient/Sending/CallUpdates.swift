public import RestEngine

/// The updates of a call; each iterator looks for itself. See `updates` of ``Call``.
public struct CallUpdates<Output: Sendable>: AsyncSequence, Sendable {
    let call: Call<Output>
    let output: CallOutput<Output>

    /// So many updates wait for the reader; of more it gets the newest.
    public static var bufferSize: Int { 64 }

    public func makeAsyncIterator() -> AsyncStream<CallUpdate<Output>>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CallUpdate<Output>.self, bufferingPolicy: .bufferingNewest(Self.bufferSize))
        let task = Task(executorPreference: TaskPreference.executor) { [call, output] in
            await call.follow(output, continuation)
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream.makeAsyncIterator()
    }
}

/// The state of a call's resource, and what made it so.
public struct CallUpdate<Output: Sendable>: Sendable {
    /// The event that made the update.
    public let event: ResourceEvent
    /// The newest good output; nil before there is one.
    public let value: Output?
    /// Why the last load failed, or why its content is no `Output`; nil when all is well.
    public let error: RequestError?
    /// A load is under way.
    public let isLoading: Bool
}

extension Call {
    fileprivate typealias Updates = AsyncStream<CallUpdate<Output>>.Continuation

    @concurrent
    fileprivate func follow(_ output: CallOutput<Output>, _ updates: Updates) async {
        guard failure == nil, method == .get else { return await sendOnce(output, updates) }
        var value: Output?
        var failure: RequestError?
        for await update in await resource.events() {
            switch update.event {
            case .observerAdded, .newData:
                failure = nil
                if let data = update.snapshot.latestData {
                    do throws(RequestError) {
                        value = try self.value(output, data, nil, nil)
                    } catch { failure = error }
                } else {
                    value = nil
                }
            default: break
            }
            updates.yield(
                CallUpdate(
                    event: update.event, value: value, error: update.snapshot.latestError ?? failure,
                    isLoading: update.snapshot.isLoading))
            if update.event == .observerAdded { await refresh() }
        }
    }

    /// Loads with this call what isn't fresh.
    @EngineActor
    private func refresh() {
        guard case .success(let definition) = definition else { return }
        try? definition.through(session.service).readCall(by: deadline) { _ in }
    }

    private func sendOnce(_ output: CallOutput<Output>, _ updates: Updates) async {
        do throws(RequestError) {
            let value = try await send(output, nil, nil)
            updates.yield(CallUpdate(event: .newData(.network), value: value, error: nil, isLoading: false))
        } catch {
            updates.yield(CallUpdate(event: .error, value: nil, error: error, isLoading: false))
        }
    }
}
