/// Continues a script that waits, exactly once, on the owner's thread. Later calls do nothing.
public final class LuaWaiter {
    enum Answer {
        case values((Lua) -> Int32)
        case failure(any Error)
    }

    private enum Stage {
        /// The host function hasn't returned yet.
        case starting(Answer?)
        case waiting
        case over
    }

    /// The run that waits for this.
    public let coroutine: LuaCoroutine
    /// The thread that waits: the coroutine's own, or one that its script made.
    let thread: OpaquePointer
    private var stage = Stage.starting(nil)

    /// Something is under way that ends by itself, and that would be lost with the wait.
    public var isForWork = false

    /// Called when the script is cancelled instead; let go of what would have continued it.
    public var onCancel: (() -> Void)?

    /// Called in place of the continuation, which is its argument: for what must be the same after the wait
    /// as it was before.
    public var around: ((() -> Void) -> Void)?

    init(coroutine: LuaCoroutine, thread: OpaquePointer) {
        self.coroutine = coroutine
        self.thread = thread
    }

    /// False once it was answered or cancelled.
    public var isAlive: Bool {
        switch stage {
        case .starting(nil), .waiting: true
        case .starting, .over: false
        }
    }

    /// Continues the script; the host function returns what `push` pushes and counts.
    public func resume(_ push: @escaping (Lua) -> Int32) {
        answer(.values(push))
    }

    /// Continues the script by raising `error` in it.
    public func fail(_ error: any Error) {
        answer(.failure(error))
    }

    private func answer(_ answer: Answer) {
        coroutine.verifyOwner()
        switch stage {
        case .starting(nil): stage = .starting(answer)
        case .waiting:
            stage = .over
            onCancel = nil
            // Coroutines that wait for each other's ends go on inside each other, as far as the stack has
            // room.
            if coroutine.isDeep, let later = coroutine.sandbox?.later {
                later { [self] in proceed(with: answer) }
            } else {
                proceed(with: answer)
            }
        case .starting, .over: break
        }
    }

    private func proceed(with answer: Answer) {
        let around = around
        self.around = nil
        if let around {
            around { coroutine.proceed(with: answer, from: self) }
        } else {
            coroutine.proceed(with: answer, from: self)
        }
    }

    /// Ends the start: an answer that came meanwhile needs no waiting.
    func takeEarlyAnswer() -> Answer? {
        guard case .starting(let answer) = stage else { return nil }
        stage = answer == nil ? .waiting : .over
        return answer
    }

    func cancel() {
        stage = .over
        let notify = onCancel
        onCancel = nil
        around = nil
        notify?()
    }
}
