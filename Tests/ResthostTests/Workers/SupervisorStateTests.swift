import RestEngine
import Testing

@testable import resthost

/// The decisions of a supervisor.
struct SupervisorStateTests {
    /// A supervisor whose workers all serve.
    private func running(_ count: Int = 3) -> SupervisorState {
        var state = SupervisorState(count: count)
        _ = state.begin(at: 0)
        for number in 1...count { _ = state.isReady(number, at: 0) }
        return state
    }

    private let failure: Tree = ["message": "bad"]
    private let again = "a new one starts"

    @Test func `the first worker starts alone, and the others when it serves`() {
        var state = SupervisorState(count: 3)
        #expect(state.begin(at: 0) == [.start(1)])
        #expect(state.isReady(1, at: 1) == [.start(2), .start(3)])
        #expect(state.isReady(3, at: 2) == [])
        #expect(state.isReady(2, at: 2) == [.isUp])
        #expect(state.running == [1, 2, 3])
    }

    @Test func `a first worker that can't start ends the host with its code`() {
        var state = SupervisorState(count: 3)
        _ = state.begin(at: 0)
        #expect(state.ended(1, .code(2), at: 1) == [.exit(2)])
    }

    @Test func `a worker that is killed has a successor at once`() {
        var state = running()
        let actions = state.ended(2, .signal(9), at: 60)
        #expect(actions == [.log("worker 2 was ended by signal 9 (SIGKILL): \(again)"), .start(2)])
        #expect(state.isReady(2, at: 61) == [.log("worker 2 serves again")])
    }

    @Test func `the pause before a start is doubled while it ends soon`() {
        var state = running()
        var pauses: [Double] = []
        for turn in 0..<9 {
            let now = Double(turn)
            let actions = state.ended(2, .code(1), at: now)
            pauses += actions.compactMap {
                if case .startLater(_, let seconds) = $0 { seconds } else { nil }
            }
            _ = state.startIsDue(2, at: now)
        }
        #expect(pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5])
        // A worker that served for a while has no failures behind it.
        _ = state.isReady(2, at: 10)
        #expect(state.ended(2, .signal(11), at: 100).last == .start(2))
    }

    @Test func `all load a new version twice: to try it, and for good`() {
        var state = running()
        let client = SupervisorState.Client(worker: 3, id: 7)
        #expect(
            state.wantsReload(.request, by: client) == [.tryLoad(1, round: 1, readsDisk: true)])
        #expect(
            state.tried(1, round: 1, failure: nil, at: 0)
                == [.tryLoad(2, round: 1, readsDisk: false), .tryLoad(3, round: 1, readsDisk: false)])
        #expect(state.tried(3, round: 1, failure: nil, at: 0) == [])
        #expect(
            state.tried(2, round: 1, failure: nil, at: 0)
                == (1...3).map { .reload($0, round: 1, .request) })
        for number in [2, 1] { #expect(state.reloaded(number, round: 1, failure: nil, at: 0) == []) }
        #expect(
            state.reloaded(3, round: 1, failure: nil, at: 0)
                == [.roundEnded(.request, failure: nil, [client])])
        #expect(state.generation == 2)
    }

    @Test(arguments: [1, 2, 3])
    func `one worker that can't load it is enough to keep the old version`(bad: Int) {
        var state = running()
        _ = state.wantsReload(.signal)
        var actions: [SupervisorState.Action] = []
        for number in 1...bad {
            actions = state.tried(number, round: 1, failure: number == bad ? failure : nil, at: 0)
        }
        #expect(actions == [.roundEnded(.signal, failure: failure, [])])
        #expect(state.generation == 1 && !state.isReloading)
        // Late answers have no effect.
        #expect(state.tried(3, round: 1, failure: nil, at: 0) == [])
    }

    @Test func `a worker that ends while it tries the new version refuses it`() {
        var state = running()
        _ = state.wantsReload(.signal)
        _ = state.tried(1, round: 1, failure: nil, at: 60)
        let actions = state.ended(2, .signal(11), at: 60)
        #expect(actions.contains { if case .roundEnded(_, .some, _) = $0 { true } else { false } })
        #expect(actions.last == .start(2))
    }

    @Test func `a worker that ends in the middle gets a successor after the reload`() {
        var state = running()
        _ = state.wantsReload(.signal)
        for number in 1...3 { _ = state.tried(number, round: 1, failure: nil, at: 60) }
        _ = state.reloaded(1, round: 1, failure: nil, at: 60)
        #expect(
            state.ended(2, .signal(9), at: 60) == [.log("worker 2 was ended by signal 9 (SIGKILL): \(again)")]
        )
        #expect(
            state.reloaded(3, round: 1, failure: nil, at: 60)
                == [.roundEnded(.signal, failure: nil, []), .start(2)])
    }

    @Test func `a worker that could load it only once is replaced`() {
        var state = running(2)
        _ = state.wantsReload(.signal)
        for number in 1...2 { _ = state.tried(number, round: 1, failure: nil, at: 0) }
        _ = state.reloaded(1, round: 1, failure: nil, at: 0)
        let actions = state.reloaded(2, round: 1, failure: failure, at: 0)
        #expect(actions.contains(.kill(2)))
        #expect(actions.last == .roundEnded(.signal, failure: nil, []))
    }

    @Test func `reloads that are asked for meanwhile are one`() {
        var state = running(2)
        _ = state.wantsReload(.files(["a"]))
        #expect(state.wantsReload(.files(["b"])) == [])
        #expect(state.wantsReload(.files(["a", "c"])) == [])
        for number in 1...2 { _ = state.tried(number, round: 1, failure: nil, at: 0) }
        _ = state.reloaded(1, round: 1, failure: nil, at: 0)
        #expect(
            state.reloaded(2, round: 1, failure: nil, at: 0)
                == [.roundEnded(.files(["a"]), failure: nil, []), .tryLoad(1, round: 2, readsDisk: true)])
        for number in 1...2 { _ = state.tried(number, round: 2, failure: nil, at: 0) }
        _ = state.reloaded(1, round: 2, failure: nil, at: 0)
        #expect(
            state.reloaded(2, round: 2, failure: nil, at: 0)
                == [.roundEnded(.files(["b", "a", "c"]), failure: nil, [])])
    }

    @Test func `a reload waits for a worker that starts`() {
        var state = running(2)
        _ = state.ended(2, .signal(9), at: 60)
        #expect(state.wantsReload(.signal) == [])
        #expect(
            state.isReady(2, at: 61)
                == [.log("worker 2 serves again"), .tryLoad(1, round: 1, readsDisk: true)])
    }

    @Test func `a phase that takes too long ends`() {
        var state = running(2)
        _ = state.wantsReload(.signal)
        _ = state.tried(1, round: 1, failure: nil, at: 0)
        let late = state.roundIsLate(1, at: 60)
        #expect(
            late == [
                .roundEnded(.signal, failure: ["message": "no answer came in time from worker 2"], [])
            ])
        _ = state.wantsReload(.signal)
        for number in 1...2 { _ = state.tried(number, round: 2, failure: nil, at: 60) }
        _ = state.reloaded(1, round: 2, failure: nil, at: 60)
        // The limit of an earlier round, and of an earlier phase, has no effect.
        #expect(state.roundIsLate(1, at: 61) == [])
        #expect(state.roundIsLate(2, at: 120) == [.kill(2), .roundEnded(.signal, failure: nil, [])])
    }

    @Test func `the end waits for all workers, and has the highest code`() {
        var state = running()
        #expect(state.leave() == [.stop(1), .stop(2), .stop(3)])
        #expect(state.ended(1, .code(0), at: 1) == [])
        #expect(state.ended(3, .code(1), at: 1) == [])
        #expect(state.wantsReload(.signal) == [])
        #expect(state.ended(2, .signal(15), at: 1) == [.exit(1)])
    }

    @Test func `a script without further work ends the host`() {
        var state = running(2)
        state.isEnding(1, code: 1)
        #expect(state.ended(1, .code(1), at: 1) == [.stop(2)])
        #expect(state.ended(2, .code(0), at: 1) == [.exit(1)])
    }
}
