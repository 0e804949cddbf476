/// What the engine loop waits in. A transport supplies its own, so that network events and the engine's work
/// share one thread and one wait.
public protocol Poller: AnyObject, Sendable {
    /// Waits until something happens, ``wake()`` is called, or the time is over; handles what happened before it
    /// returns. Engine loop only. A negative time means for ever.
    func poll(milliseconds: Int32)

    /// Ends the current or the next ``poll(milliseconds:)`` early. Any thread.
    func wake()
}
